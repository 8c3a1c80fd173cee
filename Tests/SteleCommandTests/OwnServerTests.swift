// A server of a program's own, with a rights file and a certificate.

import Foundation
import SteleGraph
import SteleModel
import SteleModelFiles
import StelePersistence
import SteleService
import TestSupport
import Testing

@testable import SteleCommand

@Suite struct OwnServerTests {
    private let folder: TemporaryFolder
    private let coordinator: PersistentStoreCoordinator
    private static let rights = """
        {"roles": {"reader": {"Team": {"read": true}}},
         "tokens": [{"name": "r", "role": "reader",
           "sha256": "3eb1bd439947eb762998e566ccc2e099c791118b2f40579cc4f7da2b5061b7f9"}]}
        """

    init() throws {
        folder = try TemporaryFolder()
        let model = try ModelFile.read(samplePath("League")).model()
        coordinator = PersistentStoreCoordinator(store: InMemoryStore(model: model))
        try folder.write(Self.rights, to: "rights.json")
        try folder.write(TestCertificate.one.certificate, to: "one.pem")
        try folder.write(TestCertificate.one.key, to: "key.pem")
    }

    private func files(
        rights: String? = "rights.json", certificate: String? = "one.pem", key: String? = "key.pem"
    ) -> SecurityFiles {
        func path(_ name: String?) -> String? { name.map { folder.path + "/" + $0 } }
        return SecurityFiles(rights: path(rights), certificate: path(certificate), key: path(key))
    }

    private func status(of target: String, _ port: Int, token: String?) throws -> String {
        let socket = try ClientSocket(
            host: "localhost", port: port, trust: .system(and: folder.path + "/one.pem"),
            seconds: 10)
        let bearer = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
        socket.send(
            "GET \(target) HTTP/1.1\r\nHost: localhost\r\n\(bearer)Connection: close\r\n\r\n")
        var text = ""
        while let bytes = socket.receive() { text += String(decoding: bytes, as: UTF8.self) }
        return String(text.split(separator: "\r\n").first ?? "")
    }

    @Test func rightsAndTLSAreThoseOfTheFiles() throws {
        // All addresses, which a rights file allows without a token of the options.
        let server = try Server(coordinator, host: "0.0.0.0", port: 0, files: files())
        defer { server.stop() }
        let token = "0123456789abcdef0123456789abcdef"
        #expect(try status(of: "/Team", server.port, token: nil) == "HTTP/1.1 401 Unauthorized")
        #expect(try status(of: "/Team", server.port, token: token) == "HTTP/1.1 200 OK")
        #expect(try status(of: "/Player", server.port, token: token) == "HTTP/1.1 403 Forbidden")
    }

    @Test func filesThatCannotBeUsedAreNamed() throws {
        func refusal(_ files: SecurityFiles, host: String = "127.0.0.1") -> String {
            do {
                try Server(coordinator, host: host, port: 0, files: files).stop()
                return "none"
            } catch { return "\(error)" }
        }
        #expect(refusal(files(rights: "none.json")).contains("none.json cannot be read: No such"))
        try folder.write("{", to: "bad.json")
        #expect(refusal(files(rights: "bad.json")).contains("bad.json: it is not JSON"))
        try folder.write(Self.rights.replacing("Team", with: "Steam"), to: "steam.json")
        let steam = refusal(files(rights: "steam.json"))
        #expect(steam.contains("steam.json: ") && steam.contains("Steam"), "\(steam)")
        #expect(refusal(files(key: nil)) == "tls-key: the certificate needs the key")
        #expect(
            refusal(files(certificate: nil)) == "tls-certificate: the key needs the certificate")
        #expect(refusal(files(key: "one.pem")).contains("one.pem: "))
        let none = files(rights: nil, certificate: nil, key: nil)
        #expect(refusal(none, host: "0.0.0.0").contains("name a rights file"))
        #expect(refusal(none) == "none")
    }
}
