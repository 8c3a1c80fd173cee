// TLS, and what SIGHUP reads again, as a user sets them up.

import Foundation
import TestSupport
import Testing

@testable import SteleHTTP
@testable import SteleCommand

@Suite struct TLSServeTests {
    private let folder: TemporaryFolder
    private let league = samplePath("League")

    init() throws { folder = try TemporaryFolder() }

    private func write(_ pair: TestCertificate) throws {
        try folder.write(pair.certificate, to: "cert.pem")
        try folder.write(pair.key, to: "key.pem")
    }

    /// A service with that certificate, and its port.
    private func serve(_ more: String...) throws -> (program: Program, port: Int) {
        let program = try Program(
            ["serve", league, "--store", ":memory:", "--port", "0"] + more
                + ["--tls-certificate", "cert.pem", "--tls-key", "key.pem"], folder: folder.path)
        let line = try program.lines(3)[1]
        let port = try #require(line.split(separator: ":").last.flatMap { Int($0) }, "\(line)")
        #expect(line.hasPrefix("on https://127.0.0.1:"))
        return (program, port)
    }

    /// The answer to a GET over TLS, where the certificate in the file is trusted for the name.
    private func get(
        _ target: String, _ port: Int, trusting file: String, token: String? = nil
    ) throws -> String {
        let socket = try ClientSocket(
            host: "localhost", port: port,
            trust: .system(and: folder.path + "/" + file), seconds: 10)
        let bearer = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
        socket.send(
            "GET \(target) HTTP/1.1\r\nHost: localhost\r\n\(bearer)Connection: close\r\n\r\n")
        var text = ""
        while let bytes = socket.receive() { text += String(decoding: bytes, as: UTF8.self) }
        return text
    }

    @Test func aNewCertificateIsPresentedAfterSIGHUP() throws {
        try write(.one)
        try folder.write(TestCertificate.one.certificate, to: "one.pem")
        try folder.write(TestCertificate.two.certificate, to: "two.pem")
        let (program, port) = try serve()
        #expect(try get("/Team", port, trusting: "one.pem").hasPrefix("HTTP/1.1 200 OK"))
        #expect(throws: Failure.self) { try get("/Team", port, trusting: "two.pem") }
        let health = try Program.run(
            "health", "--port", "\(port)", "--tls-certificate", "one.pem", folder: folder.path)
        #expect(health.status == 0, "\(health.errors)")
        let trusted = try Program.run(
            "health", "https://localhost:\(port)", "--tls-certificate", "one.pem",
            folder: folder.path)
        #expect(trusted.status == 0, "\(trusted.errors)")
        let untrusted = try Program.run("health", "https://localhost:\(port)")
        #expect(untrusted.status == 1 && untrusted.errors.contains("NOT trusted"))
        let plain = try Program.run("health", "http://localhost:\(port)")
        #expect(plain.status == 1)
        // Files that do not fit each other change nothing.
        try folder.write(TestCertificate.two.certificate, to: "cert.pem")
        program.signal(SIGHUP)
        usleep(300_000)
        #expect(try get("/Team", port, trusting: "one.pem").hasPrefix("HTTP/1.1 200 OK"))
        try write(.two)
        program.signal(SIGHUP)
        var isNew = false
        for _ in 0..<100 where !isNew {
            usleep(50_000)
            isNew = (try? get("/Team", port, trusting: "two.pem"))?.contains("200 OK") ?? false
        }
        #expect(isNew)
        program.signal(SIGHUP)
        usleep(300_000)
        #expect(throws: Failure.self) { try get("/Team", port, trusting: "one.pem") }
        program.signal(SIGTERM)
        let end = program.end()
        #expect(end.status == 0)
        #expect(end.errors.contains("the previous certificate stays"), "\(end.errors)")
        #expect(end.errors.contains("the key is not that of the certificate"), "\(end.errors)")
        #expect(end.errors.contains("the certificate is new"), "\(end.errors)")
        #expect(end.errors.contains("the certificate is as before"), "\(end.errors)")
    }

    /// The service starts all the same: some clients take it, and without it none could connect.
    @Test(arguments: [
        (TestCertificate.expired, ["the certificate expired on 2024-02-01 00:00 UTC"]),
        (
            TestCertificate.weak,
            ["has a weak key, RSA with 1024 bits", "has a weak signature, RSA-SHA1"]
        ),
    ])
    func aCertificateThatClientsRefuseIsSaidBefore(
        _ pair: TestCertificate, _ faults: [String]
    ) throws {
        try write(.one)
        let flags = ["--tls-certificate", "cert.pem", "--tls-key", "key.pem"]
        let good = try Program.run(["serve", league, "--check"] + flags, folder: folder.path)
        #expect(good.status == 0 && good.errors.isEmpty, "\(good.errors)")
        let (renewed, _) = try serve()
        try write(pair)
        let check = try Program.run(["serve", league, "--check"] + flags, folder: folder.path)
        #expect(check.status == 1 && check.errors.contains("cert.pem"), "\(check.errors)")
        let (program, _) = try serve()
        renewed.signal(SIGHUP)
        usleep(300_000)
        var logs: [String] = []
        for started in [program, renewed] {
            started.signal(SIGTERM)
            let end = started.end()
            #expect(end.status == 0)
            logs.append(end.errors)
        }
        for fault in faults {
            #expect(check.errors.contains(fault), "\(check.errors)")
            for log in logs {
                #expect(log.contains("warning") && log.contains(fault), "\(log)")
            }
        }
    }

    @Test func certificateFaultsDependOnTheTime() throws {
        func made(_ pair: TestCertificate) throws -> ServerCertificate {
            try ServerCertificate(
                certificate: Array(pair.certificate.utf8), key: Array(pair.key.utf8))
        }
        let day = 86_400
        let start = 1_704_067_200
        let one = try made(.expired)
        #expect(one.faults(at: start + day).isEmpty && one.daysLeft(at: start + day) == 30)
        #expect(one.faults(at: start + 31 * day).isEmpty)
        #expect(one.daysLeft(at: start + 31 * day) == 0)
        #expect(one.faults(at: start + 31 * day + 1).count == 1)
        #expect(
            one.faults(at: start - 1) == [
                "the certificate is not valid before 2024-01-01 00:00 UTC"
            ])
        #expect(try made(.two).faults().isEmpty)
    }

    /// Requests of all shapes, and streams, over TLS.
    @Test func bodiesAndStreamsGoOverTLS() throws {
        try write(.one)
        let (program, port) = try serve()
        let trust = TLSSession.Trust.system(and: folder.path + "/cert.pem")
        func open() throws -> ClientSocket {
            try ClientSocket(host: "localhost", port: port, trust: trust, seconds: 10)
        }
        let stream = try open()
        stream.send(
            "GET /changes HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n")
        var told = ""
        while !told.contains("id: "), let bytes = stream.receive() {
            told += String(decoding: bytes, as: UTF8.self)
        }
        let teams = (0..<5_000).map { "{\"name\":\"Team \($0)\"}" }
        let body = "[\(teams.joined(separator: ","))]"
        let socket = try open()
        socket.send(
            "POST /Team HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                + "Content-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n" + body)
        var answer = ""
        while let bytes = socket.receive() { answer += String(decoding: bytes, as: UTF8.self) }
        #expect(answer.hasPrefix("HTTP/1.1 201"), "\(answer.prefix(300))")
        while !told.contains("POST /Team"), let bytes = stream.receive() {
            told += String(decoding: bytes, as: UTF8.self)
        }
        #expect(told.contains("POST /Team"))
        let list = try get("/Team?select=name&limit=5000", port, trusting: "cert.pem")
        #expect(teams.allSatisfy(list.contains))
        program.signal(SIGTERM)
        #expect(program.end().status == 0)
    }

    /// Far beyond the limit, by a client that reads when it has sent everything.
    @Test func aBodyThatIsTooLargeGetsItsAnswerOverTLS() throws {
        try write(.one)
        let (program, port) = try serve("--body-limit", "1")
        for megabytes in [2, 20] {
            let socket = try ClientSocket(
                host: "localhost", port: port, trust: .system(and: folder.path + "/cert.pem"),
                seconds: 20)
            socket.send(
                "POST /Team HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
            let chunk = "100000\r\n" + String(repeating: " ", count: 1 << 20) + "\r\n"
            for _ in 0..<megabytes { socket.send(chunk) }
            socket.send("0\r\n\r\n")
            var answer = ""
            while let bytes = socket.receive() { answer += String(decoding: bytes, as: UTF8.self) }
            #expect(answer.hasPrefix("HTTP/1.1 413"), "\(megabytes): \(answer.prefix(300))")
            #expect(answer.contains("\"status\":413") && answer.hasSuffix("}"))
        }
        program.signal(SIGTERM)
        #expect(program.end().status == 0)
    }

    @Test func aSettingThatIsMissingOrWrongIsNamed() throws {
        try write(.one)
        try folder.write(TestCertificate.two.key, to: "other.pem")
        try folder.write(
            TestCertificate.one.certificate + "\n-----BEGIN CERT", to: "half.pem")
        let runs: [([String], String)] = [
            (["--tls-key", "key.pem"], "tls-key needs tls-certificate"),
            (["--tls-certificate", "cert.pem"], "tls-certificate needs tls-key"),
            (["--tls-certificate", "none.pem", "--tls-key", "key.pem"], "none.pem cannot be read"),
            (["--tls-certificate", "key.pem", "--tls-key", "key.pem"], "the certificate: "),
            (
                ["--tls-certificate", "cert.pem", "--tls-key", "cert.pem"],
                "the key: it is not in the file in PEM"
            ),
            (["--tls-certificate", "half.pem", "--tls-key", "key.pem"], "ends within one"),
            (["--tls-certificate", "", "--tls-key", "key.pem"], "tls-certificate is empty"),
            (["--token", ""], "token is empty"), (["--rights", ""], "rights is empty"),
            (
                ["--tls-certificate", "cert.pem", "--tls-key", "other.pem"],
                "the key is not that of the certificate"
            ),
        ]
        for (flags, message) in runs {
            let run = try Program.run(["serve", "--port", "0"] + flags, folder: folder.path)
            #expect(run.status != 0 && run.errors.contains(message), "\(flags): \(run.errors)")
        }
    }

    /// As by `systemctl reload` for a service without such files. In a terminal it ends.
    @Test func withoutFilesAndTerminalSIGHUPChangesNothing() throws {
        let program = try Program(
            ["-c", "exec \"$0\" serve --port 0 </dev/null", Program.path], folder: folder.path,
            file: "/bin/sh")
        let caller = try Caller(program.lines(3))
        program.signal(SIGHUP)
        for _ in 0..<20 {
            usleep(10_000)
            #expect(try caller.call("GET", "/readyz").contains(" 200 "))
        }
        program.signal(SIGTERM)
        #expect(program.end().status == 0)
    }
}
