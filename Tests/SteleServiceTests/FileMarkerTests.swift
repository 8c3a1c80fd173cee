// Contents of a column with external storage that begin as the name of a file and are none.

import Foundation
import SteleModel
import SteleSQLite
import TestSupport
import Testing

@testable import SteleService

@Suite struct FileMarkerTests {
    private let service: ServiceFixture
    private let raw: RawDatabase

    /// What the column has, and the value that it is; nil for a file that is missing.
    private static let contents: [(stored: String, value: [UInt8]?)] = [
        ("010102", [1, 2]), ("01", []), ("", []), ("0005", [0, 5]),
        ("022E2E2F782F7900", Array("\u{2}../x/y\0".utf8)), ("02", [2]), ("0200", [2, 0]),
        // A name without its last byte, and with one too many.
        (named("6BA7B810-9DAD-11D1-80B4-00C04FD430C8", end: ""), nil),
        (named("6BA7B810-9DAD-11D1-80B4-00C04FD430C8", end: "0000"), nil),
        (named(String(repeating: "x", count: 36)), nil),
        (named("6BA7B810-9DAD-11D1-80B4-00C04FD430C8"), nil),
    ].map { stored, value in
        let isFile = stored == named("6BA7B810-9DAD-11D1-80B4-00C04FD430C8")
        return (stored, value ?? (isFile ? nil : bytes(stored)))
    }

    private static func named(_ name: String, end: String = "00") -> String {
        "02" + name.utf8.map { String($0, radix: 16, uppercase: true) }.joined() + end
    }

    private static func bytes(_ digits: String) -> [UInt8] {
        stride(from: 0, to: digits.count, by: 2).map { place in
            UInt8(digits.dropFirst(place).prefix(2), radix: 16) ?? 0
        }
    }

    init() throws {
        let model = try makeModel([
            EntityMaker("Note").attribute("name", .string).attribute("photo", .binary) {
                $0.allowsExternalBinaryDataStorage = true
            }
        ])
        service = try ServiceFixture(model)
        raw = try RawDatabase(service.path)
        var lines: [String] = []
        for (place, content) in Self.contents.enumerated() {
            lines.append(
                "INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, ZNAME, ZPHOTO) VALUES "
                    + "(\(place + 1), 1, 1, 'n', X'\(content.stored)')")
        }
        lines.append("INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (99, 1, 1, 'n')")
        lines.append("UPDATE Z_PRIMARYKEY SET Z_MAX = 99 WHERE Z_ENT = 1")
        try raw.run(lines.joined(separator: "; "))
        (service.coordinator.store as? SQLiteStore)?.findForeignValues()
    }

    private func keys(_ answer: Answer) throws -> [Int] {
        let list = try JSONSerialization.jsonObject(with: Data(answer.bytes))
        return (list as? [[String: Any]] ?? []).compactMap { $0["_id"] as? Int }
    }

    private func find(_ predicate: String, _ ask: (String) -> Answer) throws -> [Int] {
        try keys(ask("/Note?select=_id&sort=_id&where=" + encoded(predicate)))
    }

    private func shown(_ value: [UInt8]?) -> String {
        value.map { "\"\(Data($0).base64EncodedString())\"" } ?? "{\"bytes\":null"
    }

    /// Each is a value wherever it is looked at: that of the list, and not null.
    @Test func allRequestsReadThemAlike() throws {
        let keys = Array(1...Self.contents.count)
        for (key, content) in zip(keys, Self.contents) {
            let value = shown(content.value)
            for path in ["/Note/\(key)", "/Note?where=_id=\(key)", "/Note/\(key)?select=photo"] {
                let text = service.get(path).text
                #expect(text.contains("\"photo\":\(value)"), "\(content.stored): \(text)")
            }
            let route = service.get("/Note/\(key)/photo")
            #expect(route.status == (content.value == nil ? 410 : 200), "\(content.stored)")
            #expect(content.value == nil || route.bytes == content.value, "\(content.stored)")
        }
        #expect(try find("photo == nil") { service.get($0) } == [99])
        #expect(try find("photo != nil") { service.get($0) } == keys)
        let counted = service.get("/Note?select=n:count(photo)").text
        #expect(counted == "[{\"n\":\(keys.count)}]", "\(counted)")
        // The same in a context, which evaluates the objects that it has changed.
        let editor = try Editor(service)
        for key in keys + [99] {
            #expect(editor.patch("/Note/\(key)", #"{"name":"m"}"#).status == 200)
        }
        #expect(try find("photo == nil") { editor.get($0) } == [99])
        #expect(try find("photo != nil") { editor.get($0) } == keys)
    }

    /// A change of another attribute leaves them as they are, and so does what GET gives.
    @Test func savesOfOtherAttributesLeaveThem() throws {
        let stored = "SELECT hex(ZPHOTO) FROM ZNOTE WHERE ZPHOTO IS NOT NULL ORDER BY Z_PK"
        for key in 1...Self.contents.count {
            let patched = service.ask("PATCH", "/Note/\(key)", #"{"name":"a"}"#)
            #expect(patched.status == 200, "\(patched.text)")
            let text = service.get("/Note/\(key)").text
            let put = service.ask("PUT", "/Note/\(key)", text)
            #expect(put.status == 200 && put.text == text, "\(put.text)")
        }
        #expect(try raw.texts(stored) == Self.contents.map(\.stored))
        // The bytes are those of the value from then on.
        let written = service.ask("PATCH", "/Note/5", #"{"photo":"AgM="}"#)
        #expect(written.status == 200 && written.text.contains(#""photo":"AgM=""#))
        #expect(try raw.texts("SELECT hex(ZPHOTO) FROM ZNOTE WHERE Z_PK = 5") == ["010203"])
    }

    @Test func inspectionNamesThem() throws {
        let found = try SQLiteStore.inspect(path: service.path, among: [service.service.model])
        let line =
            "ZNOTE.ZPHOTO: in 6 rows (first: Z_PK 5) the value begins as the name of a file, and is "
            + "none: Note.photo is read as all its bytes"
        #expect(found.differences.contains(line), "\(found.differences)")
        #expect(found.differences.count == 2, "\(found.differences)")
    }
}
