/// The offsets of a time zone from UTC, for dates that are written without one.
///
/// Seconds count from 2001-01-01, as those of dates do.
public struct ZoneRules: Sendable {
    private struct Transition {
        let time: Int64
        let offset: Int64
    }

    private var transitions: [Transition] = []
    /// The offset before the first transition.
    private var first: Int64
    /// What holds after the last transition; nil for the offset of that transition.
    private var rest: YearlyRules?
    /// All offsets that the zone has had.
    private var all: [Int64]

    /// A zone with one offset.
    /// - Parameter offset: the seconds that its clocks are ahead of UTC.
    public init(offset: Int64) {
        first = offset
        all = [offset]
    }

    /// Reads a file of the time zone database, in TZif of version 2 or later (RFC 9636).
    /// - Returns: nil for other bytes, and for rules after the last transition that are not of the
    ///   form `M10.5.0/3`.
    public init?(tzif bytes: [UInt8]) {
        // The first half has times of 32 bits; the second repeats it with 64.
        guard let old = Head(bytes, at: 0), old.version >= UInt8(ascii: "2"),
            let head = Head(bytes, at: old.end(timeBytes: 4)), head.types > 0
        else { return nil }
        let times = head.start
        let indexes = times + head.times * 8
        let types = indexes + head.times
        let end = head.end(timeBytes: 8)
        guard end <= bytes.count else { return nil }
        let offsets = (0..<head.types).map {
            Int64(Int32(truncatingIfNeeded: Head.number(bytes, types + $0 * 6, 4)))
        }
        for index in 0..<head.times {
            let type = Int(bytes[indexes + index])
            guard type < offsets.count else { return nil }
            let time = Head.number(bytes, times + index * 8, 8)
            transitions.append(
                Transition(time: time &- Self.secondsTo2001, offset: offsets[type]))
        }
        first = offsets[0]
        all = Array(Set(offsets))
        guard bytes.count >= end + 2, bytes[end] == 0x0A, bytes.last == 0x0A else { return nil }
        let footer = bytes[(end + 1)..<(bytes.count - 1)]
        if footer.isEmpty { return }
        guard let rules = YearlyRules(Array(footer)) else { return nil }
        rest = rules
        all = Array(Set(all + rules.offsets))
    }

    /// Seconds from 1970 to 2001.
    private static let secondsTo2001: Int64 = 978_307_200

    /// The offsets that make a local time a time of the zone, lowest first: none where its clocks
    /// leave the time out, two where they have it twice.
    func offsets(atLocal seconds: Int64) -> [Int64] {
        all.filter { offset(at: seconds - $0) == $0 }.sorted()
    }

    /// The offset at a time in UTC.
    private func offset(at seconds: Int64) -> Int64 {
        var (low, high) = (0, transitions.count)
        while low < high {
            let middle = (low + high) / 2
            if transitions[middle].time <= seconds { low = middle + 1 } else { high = middle }
        }
        if low == transitions.count, let rest { return rest.offset(at: seconds) }
        return low == 0 ? first : transitions[low - 1].offset
    }
}

/// The head of a half of a TZif file.
private struct Head {
    let version: UInt8
    let start: Int
    let (utc, standard, leaps, times, types, letters): (Int, Int, Int, Int, Int, Int)

    init?(_ bytes: [UInt8], at place: Int) {
        guard place + 44 <= bytes.count, bytes[place..<place + 4].elementsEqual("TZif".utf8) else {
            return nil
        }
        version = bytes[place + 4]
        start = place + 44
        let counts = (0..<6).map { Int(Self.number(bytes, place + 20 + $0 * 4, 4)) }
        (utc, standard, leaps) = (counts[0], counts[1], counts[2])
        (times, types, letters) = (counts[3], counts[4], counts[5])
    }

    /// The place after the data of this half.
    func end(timeBytes: Int) -> Int {
        start + times * (timeBytes + 1) + types * 6 + letters + leaps * (timeBytes + 4) + standard
            + utc
    }

    /// A number of bytes, the highest first.
    static func number(_ bytes: [UInt8], _ place: Int, _ width: Int) -> Int64 {
        bytes[place..<place + width].reduce(0) { $0 << 8 | Int64($1) }
    }
}

/// The rules of a POSIX TZ string, such as `CET-1CEST,M3.5.0,M10.5.0/3`.
private struct YearlyRules {
    /// A day of each year, and the seconds after its midnight.
    private struct Day {
        let month: Int64
        let week: Int64
        let weekday: Int64
        let time: Int64

        /// The local time of it in a year.
        func time(in year: Int64) -> Int64 {
            let first = CivilDate(year: year, month: month, day: 1).daysSince2001
            // 2001-01-01 was a Monday.
            let weekdayOfFirst = floorRemainder(first + 1, 7)
            var day = floorRemainder(weekday - weekdayOfFirst, 7) + (week - 1) * 7
            if day >= CivilDate.days(ofMonth: month, year: year) { day -= 7 }
            return (first + day) * 86_400 + time
        }
    }

    private let standard: Int64
    private let summer: (offset: Int64, start: Day, end: Day)?

    var offsets: [Int64] { [standard] + (summer.map { [$0.offset] } ?? []) }

    init?(_ text: [UInt8]) {
        var scan = Scan(text)
        guard scan.skipName(), let west = scan.time() else { return nil }
        standard = -west
        guard !scan.isAtEnd else {
            summer = nil
            return
        }
        guard scan.skipName() else { return nil }
        let offset = scan.startsTime ? scan.time().map { -$0 } : standard + 3600
        guard let offset, let start = Self.day(&scan), let end = Self.day(&scan), scan.isAtEnd
        else { return nil }
        summer = (offset, start, end)
    }

    private static func day(_ scan: inout Scan) -> Day? {
        guard scan.skip(","), scan.skip("M"), let month = scan.number(), scan.skip("."),
            let week = scan.number(), scan.skip("."), let weekday = scan.number(),
            (1...12).contains(month), (1...5).contains(week), (0...6).contains(weekday)
        else { return nil }
        guard scan.skip("/") else {
            return Day(month: month, week: week, weekday: weekday, time: 7200)
        }
        return scan.time().map { Day(month: month, week: week, weekday: weekday, time: $0) }
    }

    func offset(at seconds: Int64) -> Int64 {
        guard let summer else { return standard }
        let year = CivilDate(daysSince2001: floorDivide(seconds + standard, 86_400)).year
        let start = summer.start.time(in: year) - standard
        let end = summer.end.time(in: year) - summer.offset
        let isSummer =
            start < end ? start <= seconds && seconds < end : seconds < end || start <= seconds
        return isSummer ? summer.offset : standard
    }

    private struct Scan {
        private let text: [UInt8]
        private var at = 0

        init(_ text: [UInt8]) { self.text = text }

        var isAtEnd: Bool { at == text.count }
        var startsTime: Bool { peek.map { $0 != UInt8(ascii: ",") } ?? false }
        private var peek: UInt8? { at < text.count ? text[at] : nil }

        mutating func skip(_ byte: Unicode.Scalar) -> Bool {
            guard peek == UInt8(ascii: byte) else { return false }
            at += 1
            return true
        }

        /// `CET`, or `<+03>`.
        mutating func skipName() -> Bool {
            let start = at
            if skip("<") {
                while let byte = peek, byte != UInt8(ascii: ">") { at += 1 }
                return skip(">")
            }
            while let byte = peek, (byte | 0x20) &- 0x61 < 26 { at += 1 }
            return at > start
        }

        mutating func number() -> Int64? {
            let digits = text[at...].prefix { $0 &- 0x30 < 10 }
            at = digits.endIndex
            return Int64(String(decoding: digits, as: UTF8.self))
        }

        /// `-1`, `5:30` or `167:00:00`, in seconds.
        mutating func time() -> Int64? {
            let isNegative = skip("-")
            if !isNegative { _ = skip("+") }
            guard let hours = number(), hours <= 167 else { return nil }
            var seconds = hours * 3600
            for unit: Int64 in [60, 1] where skip(":") {
                guard let part = number(), part < 60 else { return nil }
                seconds += part * unit
            }
            return isNegative ? -seconds : seconds
        }
    }
}

/// The remainder that is never negative.
private func floorRemainder(_ dividend: Int64, _ divisor: Int64) -> Int64 {
    dividend - floorDivide(dividend, divisor) * divisor
}
