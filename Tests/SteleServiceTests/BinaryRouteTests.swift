// A Binary attribute's bytes by themselves, in the row and in a file.

import FoundationEssentials
import Glibc
import SteleHTTP
import SteleModel
import StelePersistence
import Testing

@testable import SteleAnswers
@testable import SteleFeed
@testable import SteleRequests
@testable import SteleService

@Suite struct BinaryRouteTests {
    private static let large = (0..<250_000).map { UInt8(truncatingIfNeeded: $0 &* 13) }

    private func put(
        _ people: ServiceFixture, _ path: String, _ bytes: [UInt8],
        _ headers: [(name: String, value: String)] = [], streamed: Bool = false
    ) -> Answer {
        let all = [("Host", "localhost")] + headers
        let head = Request(method: "PUT", path: path, headers: HTTPHeaders(all))
        guard streamed, let sink = people.service.sink(for: head) else {
            return people.answer(
                Request(method: "PUT", path: path, headers: HTTPHeaders(all), body: bytes))
        }
        for start in stride(from: 0, to: bytes.count, by: 30_000) {
            sink.take(Array(bytes[start..<min(start + 30_000, bytes.count)]))
        }
        let request = Request(method: "PUT", path: path, headers: HTTPHeaders(all), sink: sink)
        defer { sink.close() }
        return Answer(response: people.service.respond(to: request))
    }

    private func body(_ answer: Answer) -> [UInt8] {
        switch answer.response.body {
        case .bytes(let bytes): return bytes
        case .file(let file, let range):
            // As the server does: by its descriptor alone.
            let mirror = Mirror(reflecting: file).children.first { $0.label == "descriptor" }
            guard let descriptor = mirror?.value as? Int32 else { return [] }
            var bytes = [UInt8](repeating: 0, count: range.count)
            let read = pread(descriptor, &bytes, range.count, off_t(range.lowerBound))
            return read == range.count ? bytes : []
        default: return []
        }
    }

    private func files(_ people: ServiceFixture) -> [String] {
        let name = people.path.split(separator: "/").last?.dropLast(".sqlite".count) ?? ""
        let folder = people.path.dropLast(name.count + ".sqlite".count)
        return
            (try? FileManager.default.contentsOfDirectory(
                atPath: "\(folder).\(name)_SUPPORT/_EXTERNAL_DATA")) ?? []
    }

    @Test(
        arguments: [("photo", true), ("photo", false), ("icon", false)], [false, true])
    func bytesGoInAndOut(_ how: (name: String, streamed: Bool), _ inMemory: Bool) throws {
        let people = try ServiceFixture.people(inMemory: inMemory)
        #expect(people.post("/Person", #"{"name":"Ann"}"#).status == 201)
        let path = "/Person/1/\(how.name)"
        #expect(people.get(path).code == "value.none" && people.get(path).status == 404)
        for bytes in [[], [1, 2, 3], Self.large, [9]] as [[UInt8]] {
            let written = put(people, path, bytes, streamed: how.streamed)
            #expect(written.status == 204, "\(written.text)")
            let read = people.get(path)
            #expect(read.status == 200 && body(read) == bytes)
            #expect(read["Content-Type"] == "application/octet-stream")
            #expect(read["ETag"] == written["ETag"])
            #expect(people.get(path, [("If-None-Match", read["ETag"] ?? "")]).status == 304)
        }
        let removed = people.ask("DELETE", path)
        #expect(removed.status == 204 && people.get(path).status == 404)
        #expect(people.get("/Person/1").text.contains("\"\(how.name)\":null"))
    }

    @Test func aFileIsToldByItsSizeAndAddressAndGivenWholeWhereSelected() throws {
        let people = try ServiceFixture.people()
        #expect(people.post("/Person", #"{"name":"Ann"}"#).status == 201)
        #expect(put(people, "/Person/1/photo", Self.large, streamed: true).status == 204)
        let told = #""photo":{"bytes":250000,"href":"/Person/1/photo"}"#
        #expect(people.get("/Person/1").text.contains(told))
        #expect(people.get("/Person").text.contains(told))
        let base64 = Data(Self.large).base64EncodedString()
        #expect(people.get("/Person/1?select=photo").text == "{\"photo\":\"\(base64)\"}")
        #expect(people.get("/Person?format=csv").text.contains(",/Person/1/photo,"))
        #expect(
            people.get("/Person?where=" + encoded("photo != nil") + "&select=name").text
                == #"[{"name":"Ann"}]"#)
        let refused = people.get(
            "/Person?where=" + encoded("photo == icon"))
        #expect(refused.status == 400 && refused.text.contains("nil"), "\(refused.text)")
        // What an answer says can be sent back.
        let object = people.get("/Person/1").text
        let patched = people.patch("/Person/1", #"{"name":"Bea",\#(told)}"#)
        #expect(patched.status == 200 && patched.text.contains(told), "\(patched.text)")
        #expect(people.ask("PUT", "/Person/1", #"{"name":"Cleo"}"#).text.contains(told))
        #expect(
            people.patch("/Person/1", #"{"photo":{"bytes":1,"href":"/Person/2/photo"}}"#)
                .code == "value.type")
        #expect(object.contains("Ann"))
        // As base64 a large one becomes a file as well, a small one does not.
        #expect(
            people.post("/Person", #"{"photo":"\#(base64)"}"#).text.contains(
                #""photo":{"bytes":250000,"href":"/Person/2/photo"}"#))
        #expect(people.post("/Person", #"{"photo":"AAEC"}"#).text.contains(#""photo":"AAEC""#))
        #expect(files(people).count == 2)
    }

    @Test(arguments: [false, true]) func theSameBytesAgainAreNoChange(_ streamed: Bool) throws {
        let people = try ServiceFixture.people()
        #expect(people.post("/Person", "{}").status == 201)
        let path = "/Person/1/photo"
        let tag = try #require(put(people, path, Self.large, streamed: streamed)["ETag"])
        let base64 = Data(Self.large).base64EncodedString()
        let patched = people.patch("/Person/1", #"{"photo":"\#(base64)"}"#)
        #expect(patched.status == 200 && patched.text.contains(#""_version":2"#))
        let again = put(people, path, Self.large, streamed: streamed)
        #expect(again.status == 204 && again["ETag"] == tag)
        #expect(files(people).count == 1)
        #expect(body(people.get(path)) == Self.large)
        // The last byte of as many is another one.
        let other = Self.large.dropLast() + [1]
        #expect(other != Self.large[...])
        let changed = put(people, path, Array(other), streamed: streamed)
        #expect(changed.status == 204 && changed["ETag"] != tag)
        #expect(body(people.get(path)) == Array(other))
        let shorter = put(people, path, Array(other.dropLast()), streamed: streamed)
        #expect(shorter["ETag"] != changed["ETag"])
    }

    @Test func rangesArePartsOfTheBytes() throws {
        let people = try ServiceFixture.people()
        #expect(people.post("/Person", "{}").status == 201)
        for name in ["photo", "icon"] {
            let path = "/Person/1/\(name)"
            let tag = try #require(put(people, path, Self.large)["ETag"])
            let parts: [(String, Range<Int>)] = [
                ("bytes=0-9", 0..<10), ("bytes=249990-", 249_990..<250_000),
                ("bytes=-5", 249_995..<250_000), ("bytes=100000-999999999", 100_000..<250_000),
            ]
            for (field, range) in parts {
                let part = people.get(path, [("Range", field)])
                #expect(part.status == 206 && body(part) == Array(Self.large[range]), "\(field)")
                #expect(
                    part["Content-Range"]
                        == "bytes \(range.lowerBound)-\(range.upperBound - 1)/250000")
            }
            for field in ["bytes=250000-", "bytes=-0"] {
                let none = people.get(path, [("Range", field)])
                #expect(none.status == 416 && none.code == "range.unsatisfiable")
                #expect(none["Content-Range"] == "bytes */250000")
            }
            for field in ["bytes=5-1", "bytes=0-1,3-4", "lines=1-2", "bytes=a-b"] {
                #expect(people.get(path, [("Range", field)]).status == 200, "\(field)")
            }
            let held: [(name: String, value: String)] = [("Range", "bytes=0-9"), ("If-Range", tag)]
            #expect(people.get(path, held).status == 206)
            #expect(people.get(path, [held[0], ("If-Range", "\"other\"")]).status == 200)
        }
    }

    @Test func versionsGuardTheBytes() throws {
        let people = try ServiceFixture.people()
        let made = people.post("/Person", "{}")
        let tag = try #require(made["ETag"])
        #expect(put(people, "/Person/1/photo", [1], [("If-Match", tag)]).status == 204)
        for streamed in [false, true] {
            let late = put(
                people, "/Person/1/photo", Self.large, [("If-Match", tag)], streamed: streamed)
            #expect(late.status == 412)
        }
        #expect(people.ask("DELETE", "/Person/1/photo", nil, [("If-Match", tag)]).status == 412)
        #expect(put(people, "/Person/9/photo", Self.large, streamed: true).status == 404)
        // What was refused has left no file.
        #expect(files(people).isEmpty)
        #expect(body(people.get("/Person/1/photo")) == [1])
    }

    @Test(
        arguments: [("photo", true), ("photo", false), ("icon", false)], [false, true])
    func preconditionsFindNothingWhereThereIsNoValue(
        _ how: (name: String, streamed: Bool), _ inMemory: Bool
    ) throws {
        let people = try ServiceFixture.people(inMemory: inMemory)
        #expect(people.post("/Person", "{}").status == 201)
        let path = "/Person/1/\(how.name)"
        func status(_ field: String, _ value: String) -> Int {
            put(people, path, Self.large, [(field, value)], streamed: how.streamed).status
        }
        #expect(status("If-Match", "*") == 412)
        #expect(status("If-Match", "\"9-x\"") == 412)
        #expect(people.ask("DELETE", path, nil, [("If-Match", "*")]).status == 412)
        let met = [("If-Match", false), ("If-None-Match", true), ("If-None-Match", false)]
        for (field, isAny) in met {
            let tag = try #require(people.get("/Person/1")["ETag"])
            #expect(status(field, isAny ? "*" : tag) == 204, "\(field)")
            #expect(status("If-None-Match", "*") == 412)
            #expect(people.get(path, [("If-None-Match", "*")]).status == 304)
            let removed = people.ask("DELETE", path, nil, [("If-Match", "*")])
            #expect(removed.status == 204)
            let conditions: [(name: String, value: String)] = [
                ("If-None-Match", "*"), ("If-None-Match", removed["ETag"] ?? ""),
                ("If-Match", "\"9-9\""), ("If-Match", "*"),
            ]
            for condition in conditions {
                let read = people.get(path, [condition])
                #expect(read.status == 404 && read.code == "value.none", "\(condition)")
            }
        }
    }

    @Test func onlyBinaryAttributesHaveSuchARoute() throws {
        let people = try ServiceFixture.people()
        #expect(people.get("/Person/1/name").status == 404)
        #expect(people.get("/Person/1/photo/x").status == 404)
        #expect(
            people.ask("POST", "/Person/1/photo", "x")["Allow"] == "GET, HEAD, PUT, DELETE, OPTIONS"
        )
        #expect(people.get("/Person/1/photo?select=name").code == "request.unknown-parameter")
        let packed = put(people, "/Person/1/photo", [1], [("Content-Encoding", "gzip")])
        #expect(packed.status == 415)
        // A body is only streamed where the request will be heard.
        func sink(_ path: String, _ headers: [(name: String, value: String)]) -> Bool {
            people.service.sink(
                for: Request(method: "PUT", path: path, headers: HTTPHeaders(headers))) != nil
        }
        #expect(sink("/Person/1/photo", [("Host", "localhost")]))
        #expect(!sink("/Person/1/photo", [("Host", "evil.example")]))
        #expect(!sink("/Person/1/icon", [("Host", "localhost")]))
        #expect(!sink("/Person/1", [("Host", "localhost")]))
    }

    @Test func theFeedTellsSizesAndNoBytes() throws {
        let people = try ServiceFixture.people()
        #expect(people.post("/Person", "{}").status == 201)
        #expect(put(people, "/Person/1/photo", Self.large).status == 204)
        #expect(people.ask("DELETE", "/Person/1/photo").status == 204)
        let feed = people.get("/changes?values=true").text
        #expect(feed.contains(#""updated":["photo"]"#))
        #expect(feed.contains(#""photo":{"bytes":250000,"href":"/Person/1/photo"}"#))
        #expect(feed.contains(#""before":{"photo":{"bytes":250000}}"#))
        #expect(feed.utf8.count < 4_000)
    }

    @Test(arguments: ["photo", "icon"])
    func aPartReplacesNothing(_ name: String) throws {
        let people = try ServiceFixture.people()
        _ = people.post("/Person", "{}")
        #expect(put(people, "/Person/1/\(name)", [1, 2, 3]).status == 204)
        let part = put(
            people, "/Person/1/\(name)", [9], [("Content-Range", "bytes 0-0/3")], streamed: true)
        #expect(part.status == 400 && part.code == "request.header", "\(part.text)")
        #expect(part.detail.contains("Content-Range"))
        #expect(body(people.get("/Person/1/\(name)")) == [1, 2, 3])
    }
}
