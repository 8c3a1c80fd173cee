// Importing: what errors advise, and files whose first line or numbers need it.

import SteleModel
import SteleService
import TestSupport
import Testing

@Suite struct ImportAdviceTests {
    private func house() throws -> House {
        try House(
            makeModel([
                EntityMaker("Note").attribute("code", .string).attribute("count", .integer32)
                    .attribute("day", .date)
            ]))
    }

    @Test(arguments: [
        "sep=;\ncode;count\na,b;1\n", "\u{FEFF}SEP=;\r\n\"code\";count\r\n\"a,b\";1\r\n",
        "sep=|\ncode|count\na,b|1\n", "sep=,\ncode,count\n\"a,b\",1\n",
        "sep=\t\ncode\tcount\na,b\t1\n",
    ])
    func aFirstLineOfExcelNamesTheSeparator(_ text: String) throws {
        let house = try house()
        _ = try house.load([("note.csv", text)])
        #expect(try house.values("Note.code") == [.string("a,b")])
        #expect(try house.values("Note.count") == [.int(1)])
        let error = #expect(throws: ImportError.self) {
            try house.load([("note.csv", "sep=;\ncode;count\nb;x\n")])
        }
        #expect(error?.line == 3 && error?.column == "count", "\(error as Any)")
    }

    @Test func aHeaderWithoutAKnownColumnIsNotAdvisedToBeIgnored() throws {
        let house = try house()
        func message(_ text: String) throws -> String {
            let error = #expect(throws: ImportError.self) {
                try house.load([("note.csv", text)])
            }
            return error?.message ?? ""
        }
        let none = try message("xx,yy\n1,2\n")
        #expect(none.contains("is the first row the header?"), "\(none)")
        #expect(!none.contains("--ignore-unknown"), "\(none)")
        #expect(try message("xx,code\n1,2\n").contains("--ignore-unknown"))
    }

    @Test(arguments: [
        ("1714554000", "seconds reads"), ("1714554000123", "milliseconds reads"),
        ("-1714554000123", "milliseconds reads"), ("1714554000123456", "microseconds reads"),
        ("1714554000123456000", "nanoseconds reads"), ("30000000000", "seconds, or milliseconds,"),
    ])
    func aNumberForADateIsAdvisedByItsSize(_ number: String, _ unit: String) throws {
        let house = try house()
        for (file, text) in [
            ("note.ndjson", "{\"day\":\(number)}"), ("note.ndjson", "{\"day\":\"\(number)\"}"),
            ("note.csv", "day,code\n\(number),a\n"),
        ] {
            let error = #expect(throws: ImportError.self) { try house.load([(file, text)]) }
            #expect(error?.message.contains("(--dates \(unit)") == true, "\(error as Any)")
        }
    }

    @Test(arguments: [
        (ImportOptions.Dates.seconds, "1714554000.5"), (.milliseconds, "1714554000500"),
        (.microseconds, "1714554000500000"), (.nanoseconds, "1714554000500000000"),
    ])
    func numbersAreDatesInTheUnitThatIsGiven(_ unit: ImportOptions.Dates, _ number: String) throws {
        let house = try house()
        _ = try house.load([
            ("note.ndjson", "{\"day\":\(number)}\n{\"day\":\"\(number)\"}"),
            ("note.csv", "day,code\n\(number),a\n"),
        ]) { $0.dates = unit }
        let days = try house.values("Note.day")
        #expect(days == Array(repeating: .date(736_246_800.5), count: 3))
    }
}
