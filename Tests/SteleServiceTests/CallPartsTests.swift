// The small parts that texts become types by.

import SteleModel
import Testing

@testable import SteleAnswers
@testable import SteleFeed
@testable import SteleRequests
@testable import SteleService

@Suite struct CallPartsTests {
    @Test func cursorsKeepEveryValueExactly() throws {
        let uuid = try #require(UUID(uuidString: "6F9619FF-8B86-D011-B42D-00CF4FC964FF"))
        let decimal = try #require(DecimalText.parse(Array("-1234567890.0987654321".utf8)))
        let position: [Value] = [
            .null, .bool(true), .bool(false), .int(.min), .double(0.1), .double(-0.0),
            .decimal(decimal), .string("é\n\""), .string(""), .date(-1.25), .data([0, 255]),
            .uuid(uuid), .key(.max),
        ]
        let text = Cursor(fingerprint: .max - 3, position: position).text
        #expect(text.utf8.allSatisfy { $0 < 0x80 && $0 != 0x2B && $0 != 0x2F && $0 != 0x3D })
        let read = try Cursor(text)
        #expect(read.fingerprint == UInt64.max - 3)
        #expect(read.position == position)
    }

    @Test func brokenCursorsAreRefused() throws {
        let whole = Cursor(fingerprint: 7, position: [.string("abc"), .date(5), .key(1)]).text
        for count in 0..<whole.utf8.count where ![12, 30, 42].contains(count) {
            let cut = String(whole.prefix(count))
            if let read = try? Cursor(cut) { #expect(read.position.count < 3, "\(cut)") }
        }
        for place in whole.utf8.indices {
            for letter in "A_9z" {
                let changed = whole[..<place] + String(letter) + whole[place...].dropFirst()
                guard let read = try? Cursor(String(changed)) else { continue }
                #expect(try Cursor(read.text).position == read.position)
            }
        }
        #expect(throws: Problem.self) { try Cursor("%%%") }
        #expect(throws: Problem.self) { try Cursor("") }
    }

    @Test(
        "Accept-Encoding is read whatever it holds",
        arguments: [
            ("gzip", true), ("GZip", true), ("br, gzip", true), ("deflate , gzip;q=0.5", true),
            ("*", true), ("br;q=1, *;q=0.1", true), ("gzip;q=0", false), ("gzip; Q=0.000", false),
            ("gzip;q=0, *", false), ("*;q=0", false), ("identity", false), ("", false),
            (";", false), (",;,", false), (";q=0", false), (";;, ;gzip", false),
        ])
    func acceptEncoding(_ field: String, _ takesGzip: Bool) {
        #expect(Terms.takesGzip(field) == takesGzip)
    }

    @Test func keysAreFoundByTheirBytes() {
        let names = (0..<200).map { "key\($0)" } + ["", "é", "_id"]
        let table = KeyTable(names.enumerated().map { ($0.element, $0.offset) })
        for (index, name) in names.enumerated() {
            var name = name
            #expect(name.withUTF8 { table[$0] } == index)
        }
        for name in ["key", "key200", "Key1", "_ID"] {
            var name = name
            #expect(name.withUTF8 { table[$0] } == nil)
        }
    }

    @Test(arguments: [Int64.min, -5, 0, 7, .max])
    func aVersionIsReadFromItsTag(_ version: Int64) {
        let mark = "7f3a09c1"
        let plain = EntityTags.plain(version: version, generation: mark)
        #expect(EntityTags.version(of: plain) == version)
        let end = EntityTags.destination(
            version: version, key: 12, generation: mark, token: 3, hash: 99)
        #expect(EntityTags.version(of: end) == version)
        #expect(EntityTags.isDestination(end, version: version, key: 12))
        #expect(!EntityTags.isDestination(end, version: version, key: 13))
        #expect(!EntityTags.isDestination(end, version: version ^ 1, key: 12))
        let list = EntityTags.list(generation: mark, token: 3, hash: 99)
        #expect(EntityTags.version(of: list) == nil)
    }

    @Test func listsSplitOutsideQuotesAndBrackets() throws {
        let pieces = try ListPiece.split(
            #"name, max:TERNARY(a > 1, "x,y", {1,2}) ,-pay[cd],b[0]"#, of: .sort, limits: Limits())
        #expect(pieces.map(\.text).count == 4)
        #expect(pieces[1].named.name == "max")
        #expect(pieces[1].named.expression.text == #"TERNARY(a > 1, "x,y", {1,2})"#)
        #expect(pieces[2].sortKey.expression.text == "pay")
        #expect(!pieces[2].sortKey.ascending)
        #expect(pieces[2].sortKey.options == [.caseInsensitive, .diacriticInsensitive])
        #expect(pieces[3].sortKey.expression.text == "b[0]")
        func name(_ text: String) -> String {
            ListPiece(excerpt: Excerpt(text, of: .select)).named.name
        }
        #expect(name("a + b * ( c )") == "a+b*(c)")
        #expect(name("count( distinct  x )") == "count(distinct x)")
        #expect(name(#"x == "a b""#) == #"x=="a b""#)
        #expect(pieces.map(\.excerpt.position) == [0, 6, 40, 49])
        #expect(pieces[1].named.expression.position == 10)
        #expect(pieces[2].sortKey.expression.position == 41)
        #expect(throws: Problem.self) { try ListPiece.split("a,", of: .sort, limits: Limits()) }
    }

    @Test func formatsAreChosenByQualityAndCloseness() throws {
        func best(_ header: String?) -> MediaType? {
            try? Accept(header).best(of: [.json, .xml, .csv])
        }
        #expect(best(nil) == .json)
        #expect(best("*/*") == .json)
        #expect(best("application/*") == .json)
        #expect(best("text/csv, application/json;q=0.9") == .csv)
        #expect(best("text/csv;q=0.1, */*;q=0.5") == .json)
        #expect(best("application/xml, */*") == .xml)
        #expect(best("application/json;q=0, */*") == .xml)
        #expect(best("image/png") == nil)
        #expect(best("text/*;q=0.3") == .csv)
    }
}
