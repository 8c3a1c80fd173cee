/// Large values and encrypted ones, through the program and over a socket.

import Foundation
import Testing

@Suite struct AttributeServeTests {
    private static let model = """
        {"name":"Album","entities":[{"name":"Picture","attributes":[
          {"name":"name","type":"String"},
          {"name":"photo","type":"Binary","externalStorage":true},
          {"name":"secret","type":"Transformable","valueTransformer":"TRANSFORMER"},
          {"name":"home","type":"Composite","composite":"Address"}]}],
         "composites":[{"name":"Address","attributes":[{"name":"city","type":"String"}]}]}
        """

    private func folder(_ transformer: String = "JSONTransformer") throws -> String {
        let path = String(try temporaryFile("").dropLast("/file".count))
        try Self.model.replacingOccurrences(of: "TRANSFORMER", with: transformer)
            .write(toFile: path + "/album.json", atomically: true, encoding: .utf8)
        return path
    }

    /// Sends a body of so many bytes in pieces, each byte by its place.
    private func put(_ caller: Caller, _ path: String, _ count: Int) throws -> String {
        let descriptor = try caller.socket()
        defer { close(descriptor) }
        try caller.send(
            "PUT", path, ["Connection: close", "Content-Length: \(count)"], to: descriptor)
        var sent = 0
        while sent < count {
            let piece = Self.bytes(sent..<min(sent + 65_536, count))
            let done = piece.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if done <= 0 { break }
            sent += done
        }
        var answer: [UInt8] = []
        while let more = Caller.read(descriptor) { answer += more }
        return String(decoding: answer, as: UTF8.self)
    }

    /// After so many bytes they begin anew.
    private static let period = 251 * 256
    /// Made once: a client that makes each byte anew is so slow under the sanitizers that the server
    /// takes it for one that reads nothing.
    private static let pattern = (0..<4 * period).map { UInt8(truncatingIfNeeded: $0 / 251 &+ $0) }

    /// The bytes at these places, at most three times the period of them.
    private static func bytes(_ range: Range<Int>) -> Data {
        let first = range.lowerBound % period
        return Data(pattern[first..<first + range.count])
    }

    /// Reads an answer's body and compares it piece by piece.
    private func isSame(_ caller: Caller, _ path: String, _ count: Int) throws -> Bool {
        let descriptor = try caller.socket()
        defer { close(descriptor) }
        try caller.send("GET", path, ["Connection: close"], to: descriptor)
        var head: [UInt8] = []
        var place = 0
        while let more = Caller.read(descriptor) {
            var rest = more[...]
            if place == 0, head.suffix(4) != [13, 10, 13, 10] {
                while let byte = rest.popFirst() {
                    head.append(byte)
                    if head.suffix(4) == [13, 10, 13, 10] { break }
                }
            }
            guard Data(rest) == Self.bytes(place..<place + rest.count) else { return false }
            place += rest.count
        }
        return place == count
    }

    @Test func aLargeValueGoesInAndOutWithoutBeingHeldAndSurvivesAKill() throws {
        let folder = try folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let arguments = ["serve", "album.json", "--port", "0"]
        let program = try Program(arguments, folder: folder)
        let caller = try Caller(program.lines(3))
        _ = try caller.call("POST", "/Picture", #"{"home":{"city":"Rome"}}"#)
        let before = program.peakMemory
        let size = 96 << 20
        #expect(try put(caller, "/Picture/1/photo", size).hasPrefix("HTTP/1.1 204"))
        #expect(try isSame(caller, "/Picture/1/photo", size))
        // A third of it would be far more than a piece or two.
        #expect(program.peakMemory - before < 32 << 10, "\(program.peakMemory - before) KiB")
        program.signal(SIGKILL)
        _ = program.end()
        let second = try Program(arguments, folder: folder)
        let again = try Caller(second.lines(3))
        let object = try again.call("GET", "/Picture/1")
        #expect(object.contains(#""photo":{"bytes":\#(size),"href":"/Picture/1/photo"}"#))
        #expect(object.contains(#""home":{"city":"Rome"}"#))
        #expect(try isSame(again, "/Picture/1/photo", size))
        // On other routes a body is held, and bounded.
        let descriptor = try again.socket()
        defer { close(descriptor) }
        try again.send("PUT", "/Picture/1", ["Content-Length: \(size)"], to: descriptor)
        let refused = Caller.read(descriptor).map { String(decoding: $0, as: UTF8.self) }
        #expect(refused?.hasPrefix("HTTP/1.1 413") == true)
        second.signal(SIGTERM)
        #expect(second.end().status == 0)
    }

    @Test func aKeyComesFromAFileOrTheEnvironmentAndIsNeverSaid() throws {
        let folder = try folder("AESGCMTransformer")
        let key = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
        try (key + "\n").write(toFile: folder + "/key", atomically: true, encoding: .utf8)
        let none = try Program.run("serve", "album.json", "--port", "0", folder: folder)
        #expect(none.status == 1 && none.errors.contains("encryption-key-file"))
        try "bad".write(toFile: folder + "/bad", atomically: true, encoding: .utf8)
        let bad = try Program.run(
            "serve", "album.json", "--encryption-key-file", "bad", folder: folder)
        #expect(bad.status == 1 && bad.errors.contains("256 bits"), "\(bad.errors)")
        let both = try Program.run(
            "serve", "album.json", "--encryption-key-file", "key",
            environment: ["STELE_ENCRYPTION_KEY": key], folder: folder)
        #expect(both.status == 1 && !both.errors.contains(key))

        let first = try Program(
            [
                "serve", "album.json", "--port", "0", "--encryption-key-file", "key",
                "--log-level", "trace",
            ], folder: folder)
        var caller = try Caller(first.lines(3))
        let made = try caller.call("POST", "/Picture", #"{"secret":{"pin":12345678}}"#)
        #expect(made.contains("12345678"))
        first.signal(SIGTERM)
        let (status, log) = first.end()
        #expect(status == 0, "\(log)")
        #expect(!log.contains("MDEyMzQ1") && !log.contains("12345678"))

        let second = try Program(
            ["serve", "album.json", "--port", "0"], environment: ["STELE_ENCRYPTION_KEY": key],
            folder: folder)
        caller = try Caller(second.lines(3))
        #expect(try caller.call("GET", "/Picture/1").contains(#""secret":{"pin":12345678}"#))
        second.signal(SIGTERM)
        _ = second.end()

        let third = try Program(
            ["serve", "album.json", "--port", "0"],
            environment: ["STELE_ENCRYPTION_KEY": String(repeating: "00", count: 32)],
            folder: folder)
        caller = try Caller(third.lines(3))
        let refused = try caller.call("GET", "/Picture/1")
        #expect(refused.hasPrefix("HTTP/1.1 500") && refused.contains("secret of Picture 1"))
        third.signal(SIGTERM)
        let (_, said) = third.end()
        #expect(!said.contains("00000000"))
    }

    @Test func anImportTakesCompositesAndLargeValues() throws {
        let folder = try folder()
        let photo = Self.bytes(0..<150_000).base64EncodedString()
        try """
        {"name":"A","home":{"city":"Oslo"},"photo":"\(photo)"}
        {"name":"B","home":null}
        """.write(toFile: folder + "/picture.ndjson", atomically: true, encoding: .utf8)
        let done = try Program.run(
            "import", "album.json", "--store", "Album.sqlite", "picture.ndjson", folder: folder)
        #expect(done.status == 0, "\(done.errors)")
        let program = try Program(["serve", "album.json", "--port", "0"], folder: folder)
        let caller = try Caller(program.lines(3))
        #expect(try caller.call("GET", "/Picture/1").contains(#""home":{"city":"Oslo"}"#))
        #expect(try isSame(caller, "/Picture/1/photo", 150_000))
        program.signal(SIGTERM)
        _ = program.end()
        try #"{"name":"C","home":{"town":"x"}}"#
            .write(toFile: folder + "/picture.ndjson", atomically: true, encoding: .utf8)
        let refused = try Program.run(
            "import", "album.json", "--store", "Album.sqlite", "picture.ndjson", folder: folder)
        #expect(refused.status == 1 && refused.errors.contains("town"), "\(refused.errors)")
    }

    @Test func aTransformerThatIsNotKnownIsServedUnlessThatIsRefused() throws {
        let folder = try folder("ColorsTransformer")
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let printed = try Program.run("model", "album.json", folder: folder)
        #expect(printed.status == 0, "\(printed.errors)")
        #expect(printed.output.contains("ColorsTransformer is not registered"), "\(printed.output)")
        for (arguments, environment) in [
            (["--strict-transformers"], [:]), ([], ["STELE_STRICT_TRANSFORMERS": "true"]),
        ] {
            let refused = try Program(
                ["serve", "album.json", "--port", "0"] + arguments, environment: environment,
                folder: folder
            ).end()
            #expect(refused.status == 1, "\(refused.errors)")
            #expect(refused.errors.contains("transformer ColorsTransformer is not known"))
        }
        let strict = try Program.run(
            "model", "album.json", environment: ["STELE_STRICT_TRANSFORMERS": "1"], folder: folder)
        #expect(strict.output.contains("transformer ColorsTransformer is not known"))
        let form = #"{"$transformer":"ColorsTransformer","$base64":"AP8H"}"#
        try #"{"_id":1,"_entity":"Picture","secret":\#(form)}"#.write(
            toFile: folder + "/picture.ndjson", atomically: true, encoding: .utf8)
        let done = try Program.run(
            "import", "album.json", "--store", "Album.sqlite", "picture.ndjson", folder: folder)
        #expect(done.status == 0, "\(done.errors)")
        let exported = try Program.run(
            "export", "album.json", "--store", "Album.sqlite", folder: folder)
        #expect(exported.output.contains(#""secret":\#(form)"#), "\(exported)")
    }
}
