// Dates without an offset, in a time zone.

import Foundation
import TestSupport
import Testing

@testable import SteleJSON

@Suite struct ZoneRulesTests {
    /// The zone of a name; nil where the machine has no time zone database.
    private func zone(_ name: String) -> ZoneRules? {
        guard let data = FileManager.default.contents(atPath: "/usr/share/zoneinfo/\(name)") else {
            return nil
        }
        return ZoneRules(tzif: Array(data))
    }

    private func text(_ date: String, _ zone: ZoneRules) throws -> String? {
        ISO8601.text(
            secondsSinceReferenceDate: try ISO8601.secondsSinceReferenceDate(date, zone: zone))
    }

    @Test func aZoneWithOneOffsetIsThatOffset() throws {
        let zone = ZoneRules(offset: 7200)
        #expect(try text("2024-05-01T09:00:00.5", zone) == "2024-05-01T07:00:00.500Z")
        #expect(try text("2024-05-01 09:00", zone) == "2024-05-01T07:00:00Z")
        #expect(try text("2024-05-01", zone) == "2024-04-30T22:00:00Z")
        // An offset that is written counts.
        #expect(try text("2024-05-01T09:00:00Z", zone) == "2024-05-01T09:00:00Z")
        #expect(try text("2024-05-01 09:00:00-03", zone) == "2024-05-01T12:00:00Z")
    }

    @Test func summerTimeIsThatOfTheDay() throws {
        guard let zurich = zone("Europe/Zurich") else { return }
        for (date, expected) in [
            ("2024-01-01T12:00:00", "2024-01-01T11:00:00Z"),
            ("2024-07-01T12:00:00", "2024-07-01T10:00:00Z"),
            ("2024-03-31T01:59:59", "2024-03-31T00:59:59Z"),
            ("2024-03-31T03:00:00", "2024-03-31T01:00:00Z"),
            ("2024-10-27T01:59:59", "2024-10-26T23:59:59Z"),
            ("2024-10-27T03:00:00", "2024-10-27T02:00:00Z"),
            // After the last transition that the file lists.
            ("2150-01-01T12:00:00", "2150-01-01T11:00:00Z"),
            ("2150-07-01T12:00:00", "2150-07-01T10:00:00Z"),
        ] {
            #expect(try text(date, zurich) == expected, "\(date)")
        }
        for (date, words) in [
            ("2024-03-31T02:30:00", "leave out"), ("2024-10-27T02:30:00", "have twice"),
            ("2150-03-29T02:30:00", "leave out"),
        ] {
            let error = #expect(throws: ISO8601.Failure.self) { try text(date, zurich) }
            #expect(error?.message.contains(words) == true, "\(date): \(error as Any)")
            #expect(error?.hint?.contains("+02:00") == true)
        }
    }

    @Test(arguments: [
        "Europe/Zurich", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "Europe/Dublin",
        "Asia/Tehran", "America/Santiago", "Pacific/Apia", "Etc/GMT+5",
    ])
    func everyTimeIsReadBack(name: String) throws {
        guard let zone = zone(name), let other = TimeZone(identifier: name) else { return }
        let seed = drawSeed("everyTimeIsReadBack \(name)")
        var numbers = SeededNumbers(seed: seed)
        for _ in 0..<2_000 {
            // 1970 to 2037, of which all programs say the same.
            let seconds = Int64.random(in: -978_307_200..<1_136_073_600, using: &numbers)
            let date = Date(timeIntervalSinceReferenceDate: Double(seconds))
            let offset = Int64(other.secondsFromGMT(for: date))
            let found = zone.offsets(atLocal: seconds + offset)
            #expect(found.contains(offset), "seed \(seed): \(date) \(found) \(offset)")
        }
    }

    @Test(arguments: [
        "", "TZif", "TZif1" + String(repeating: "\u{0}", count: 39), "not a zone",
    ])
    func otherBytesAreNoZone(text: String) {
        #expect(ZoneRules(tzif: Array(text.utf8)) == nil)
    }

    @Test func aFileThatIsCutIsNoZone() {
        let file = "/usr/share/zoneinfo/Europe/Zurich"
        guard let data = FileManager.default.contents(atPath: file) else { return }
        let bytes = Array(data)
        for count in stride(from: 0, to: bytes.count, by: 7) {
            let isNone = ZoneRules(tzif: Array(bytes.prefix(count))) == nil
            #expect(isNone, "\(count) bytes")
        }
    }
}
