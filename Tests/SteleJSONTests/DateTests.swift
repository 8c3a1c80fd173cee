// Dates: what is written reads back to the very same Double; what is not a date is named.

import Foundation
import SteleJSON
import TestSupport
import Testing

@Suite struct DateTests {
    private func seconds(_ text: String) throws(ISO8601.Failure) -> Double {
        try ISO8601.secondsSinceReferenceDate(text)
    }

    private func refusal(_ text: String) -> ISO8601.Failure? {
        do throws(ISO8601.Failure) {
            _ = try seconds(text)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        arguments: [
            (0, "2001-01-01T00:00:00Z"), (-978_307_200, "1970-01-01T00:00:00Z"),
            (736_246_800, "2024-05-01T09:00:00Z"), (736_246_800.123, "2024-05-01T09:00:00.123Z"),
            (0.5, "2001-01-01T00:00:00.500Z"), (-0.25, "2000-12-31T23:59:59.750Z"),
            (0.000001, "2001-01-01T00:00:00.000001Z"), (1e-9, "2001-01-01T00:00:00.000000001Z"),
            (736_246_800.1234567, "2024-05-01T09:00:00.123456700Z"),
            (-1e-10, "2000-12-31T23:59:59.9999999999Z"), (-1e9, "1969-04-24T22:13:20Z"),
            (-63_113_904_000, "0001-01-01T00:00:00Z"), (252_423_993_599, "9999-12-31T23:59:59Z"),
            (252_423_993_600, "+010000-01-01T00:00:00Z"), (-63_113_904_001, "0000-12-31T23:59:59Z"),
            (-63_145_526_400, "0000-01-01T00:00:00Z"), (-63_145_526_401, "-000001-12-31T23:59:59Z"),
            (5_270_400, "2001-03-03T00:00:00Z"), (99_792_000, "2004-03-01T00:00:00Z"),
            (-63_114_076_800, "0000-12-30T00:00:00Z"),  // Foundation's Date.distantPast
            (63_113_904_000, "4001-01-01T00:00:00Z"),  // Date.distantFuture
        ] as [(Double, String)])
    func instantsHaveTheirText(_ value: Double, _ text: String) throws {
        #expect(written { $0.date(secondsSince2001: value) } == "\"\(text)\"")
        #expect(ISO8601.text(secondsSinceReferenceDate: value) == text)
        #expect(try seconds(text) == value)
    }

    @Test func everyDayOfTheCalendarIsItsOwn() throws {
        // Counted by hand from 1 January of the year 1, a day at a time.
        var day = -63_113_904_000.0
        let lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        for year in 1...9999 {
            let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
            for month in 1...12 {
                let last = lengths[month - 1] + (isLeap && month == 2 ? 1 : 0)
                if year % 100 > 1, year % 7 > 0 {  // whole years where rules bend, others thinly
                    day += Double(last) * 86_400
                    continue
                }
                for number in 1...last {
                    let text = written {
                        $0.date(secondsSince2001: day, quoted: false)
                    }
                    let expected = "\(pad(year, 4))-\(pad(month, 2))-\(pad(number, 2))"
                    if text != expected + "T00:00:00Z" { Issue.record("\(day) is \(text)") }
                    if try seconds(expected) != day { Issue.record("\(expected) is not \(day)") }
                    day += 86_400
                }
            }
        }
        #expect(day == 252_423_993_600)
    }

    private func pad(_ value: Int, _ width: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, width - text.count)) + text
    }

    @Test func aMillionInstantsReadBackToTheVerySameDouble() throws {
        let seed = drawSeed(#function)
        var generator = SeededNumbers(seed: seed)
        // A million take minutes under a sanitizer; `make sanitize` asks for fewer.
        let asked = ProcessInfo.processInfo.environment["STELE_TEST_INSTANTS"].flatMap(Int.init)
        for round in 0..<(asked ?? 1_000_000) {
            var value = Double.random(in: -6.3e10...2.5e11, using: &generator)
            switch round % 8 {
            case 0: value = Double.random(in: -1e9...1e9, using: &generator)
            case 1: value = (value * 1000).rounded() / 1000
            case 2: value = (value / 300 * 1e6).rounded() / 1e6
            case 3:
                let bits = Double(bitPattern: generator.next())
                if abs(bits) < ISO8601.secondsLimit, abs(bits) > 1e-30 { value = bits }
            case 4: value = value.rounded()
            case 5: value /= 1e12
            default: break
            }
            guard let text = ISO8601.text(secondsSinceReferenceDate: value) else {
                Issue.record("\(value) has no text")
                continue
            }
            if try seconds(text) != value { Issue.record("\(value) as \(text)") }
        }
    }

    @Test(arguments: [
        Double.leastNonzeroMagnitude, -.leastNonzeroMagnitude, .leastNormalMagnitude, -1.5e-300,
        1e-20, -1e-20, 0x1p53, -0x1p53 - 2, 0x1p52 + 0.5,
        -0x1p51 - 0.75, 1e17, -1e17, 2.9e18, -2.9e18,
    ])
    func extremesEndAndReadBack(_ value: Double) throws {
        let text = try #require(ISO8601.text(secondsSinceReferenceDate: value))
        #expect(try seconds(text) == value)
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, 3e18, -1e300])
    func whatHasNoTextIsNull(_ value: Double) {
        #expect(written { $0.date(secondsSince2001: value) } == "null")
        #expect(ISO8601.text(secondsSinceReferenceDate: value) == nil)
    }

    @Test(arguments: [
        "2024-05-01T09:00:00Z", "2024-05-01t09:00:00z", "2024-05-01T09:00Z",
        "2024-05-01T11:00:00+02:00", "2024-05-01T11:00:00+0200", "2024-05-01T11:00+02",
        "2024-05-01T03:30:00-05:30", "2024-04-30T23:00:00-10:00", "2024-05-01T09:00:00.000Z",
        "2024-05-01T09:00:00,0+00:00", "2024-05-01 09:00:00Z", "2024-05-01 11:00+02",
        "2024-05-01 04:00:00 -0500", "+002024-05-01T09:00:00-00:00",
    ])
    func manyWaysToWriteOneInstant(_ text: String) throws {
        #expect(try seconds(text) == 736_246_800)
    }

    @Test func aDateAloneIsMidnightUTC() throws {
        #expect(try seconds("2024-05-01") == 736_214_400)
        #expect(try seconds("0000-02-29") == seconds("+000000-02-29T00:00Z"))
    }

    @Test func longFractionsAreRoundedToTheNearestDouble() throws {
        #expect(try seconds("2001-01-01T00:00:00.1000000000000000055511151231257827Z") == 0.1)
        let nines = String(repeating: "9", count: 500)
        #expect(try seconds("2001-01-01T00:00:01.\(nines)Z") == 2)
        let halfway = "2001-01-01T00:00:01.00000000000000011102230246251565404236316680908203125"
        #expect(try seconds(halfway + "Z") == 1)
        #expect(try seconds(halfway + "000001Z") == 1.0.nextUp)
        #expect(try seconds("2000-12-31T23:59:59.9Z") == -0.1)
    }

    @Test(
        arguments: [
            ("2023-02-30", "does not exist", "28 days"),
            ("2023-02-29T00:00:00Z", "not exist", "28"),
            ("2024-02-30", "does not exist", "29 days"), ("1900-02-29", "does not exist", "28"),
            ("2024-04-31", "does not exist", "30"), ("2024-13-01", "month 13", "12"),
            ("2024-00-01", "month 0", "12"), ("2024-01-00", "does not exist", "31"),
            ("2024-05-01T09:00:00", "no offset", "Z or +02:00"),
            ("2024-05-01T09:00", "no offset", "Z"),
            ("2024-05-01T09:00:00 02:00", "space", "%2B"),
            ("2024-05-01T09:00:00.5 0200", "space", "%2B"),
            ("2024-05-01 09:00:00 02:00", "space", "%2B"),
            ("2024-05-01T24:00:00Z", "hour 24", "23"),
            ("2024-05-01T09:60:00Z", "minute 60", "59"),
            ("2016-12-31T23:59:60Z", "second 60", "leap"),
            ("2024-05-01T09:00:00+24:00", "offset", "23:59"),
            ("2024-05-01T09:00:00+02:60", "offset", "23:59"),
            ("2024-05-01T09:00:00.Z", "no digits", nil), ("2024-05-01T09:00.5Z", "fraction", nil),
            ("2024-05-01T09:00:00Zx", "after the offset", nil),
            ("2024-05-01T", "digits for the hour", nil),
            ("2024-05-01T09:00:00+2:00", "digits for the offset", nil),
            ("20240501", "not a date", "YYYY"),
            ("2024-5-1", "month", nil), ("", "year", nil), ("today", "year", nil),
            ("-000000-01-01", "year -0", "0000"), ("+2024-01-01", "sign", "six digits"),
            ("2024/05/01", "not a date", "YYYY-MM-DD"), (" 2024-05-01", "year", nil),
            ("2024-05-01Z", "other than T", nil), ("+999999999999-01-01", "beyond", "ten"),
            ("+99999999999-01-01", "beyond", "ten digits"),
            ("-99999999999-12-31T23:59:59Z", "beyond", "ten digits"),
        ] as [(String, String, String?)])
    func whatIsNoDateIsNamed(_ text: String, _ message: String, _ hint: String?) {
        let failure = refusal(text)
        #expect(failure?.message.contains("\"\(text)\"") == true)
        #expect(failure?.message.contains(message) == true, "\(String(describing: failure))")
        if let hint { #expect(failure?.hint?.contains(hint) == true, "\(text)") }
    }

    @Test func aDateCutShortAnywhereIsRefusedOrADate() throws {
        let whole = "2024-05-01T09:00:00.123+02:00"
        for end in 0..<whole.count where ![10, 26].contains(end) {
            #expect(refusal(String(whole.prefix(end))) != nil, "cut after \(end)")
        }
        #expect(refusal(whole) == nil)
    }
}
