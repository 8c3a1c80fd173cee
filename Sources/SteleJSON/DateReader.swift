/// Reads one ISO 8601 text from start to end.
struct DateReader {
    private let bytes: [UInt8]
    private var at = 0
    /// The time zone of a date without an offset; nil if it must have one.
    private let zone: ZoneRules?

    init(_ bytes: [UInt8], zone: ZoneRules? = nil) {
        self.bytes = bytes
        self.zone = zone
    }

    mutating func read() throws(ISO8601.Failure) -> Double {
        let seconds = try instant()
        guard abs(seconds) < ISO8601.secondsLimit else { throw beyond }
        return seconds
    }

    private var beyond: ISO8601.Failure {
        failure("is beyond the dates that can be written", hint: "years have ten digits at most")
    }

    private mutating func instant() throws(ISO8601.Failure) -> Double {
        let days = try date().daysSince2001
        if at == bytes.count {
            guard let zone else { return Double(days * 86_400) }
            return Double(days * 86_400 - (try offset(at: days * 86_400, zone)))
        }
        switch peek {
        // RFC 3339 allows the space.
        case UInt8(ascii: "T"), UInt8(ascii: "t"), UInt8(ascii: " "):
            at += 1
        default:
            throw failure("has something other than T after the date")
        }
        let time = try secondsOfDay()
        let fraction = try fractionDigits()
        let local = days * 86_400 + time
        if at == bytes.count, let zone {
            let whole = local - (try offset(at: local, zone))
            return DecimalSeconds.double(whole: whole, fraction: fraction)
        }
        let offset = try offset()
        guard at == bytes.count else { throw failure("has text after the offset") }
        return DecimalSeconds.double(whole: local - offset, fraction: fraction)
    }

    /// The offset of a time zone at a local time.
    private func offset(at local: Int64, _ zone: ZoneRules) throws(ISO8601.Failure) -> Int64 {
        let offsets = zone.offsets(atLocal: local)
        if let offset = offsets.first, offsets.count == 1 { return offset }
        throw failure(
            offsets.isEmpty
                ? "names a time that the clocks of its zone leave out"
                : "names a time that the clocks of its zone have twice",
            hint: "write its offset, such as Z or +02:00")
    }

    private mutating func date() throws(ISO8601.Failure) -> CivilDate {
        let year = try year()
        try expect(UInt8(ascii: "-"), "a date is written YYYY-MM-DD")
        let month = try number("month", 2)
        guard (1...12).contains(month) else {
            throw failure("names month \(month)", hint: "months go from 01 to 12")
        }
        try expect(UInt8(ascii: "-"), "a date is written YYYY-MM-DD")
        let day = try number("day", 2)
        let last = CivilDate.days(ofMonth: month, year: year)
        guard (1...last).contains(day) else {
            throw failure(
                "names a day that does not exist", hint: "that month has \(last) days")
        }
        return CivilDate(year: year, month: month, day: day)
    }

    private mutating func year() throws(ISO8601.Failure) -> Int64 {
        let sign = peek
        guard sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") else {
            return try number("year", 4)
        }
        at += 1
        let width = bytes[at...].prefix { Self.isDigit($0) }.count
        guard width >= 6 else {
            throw failure("has a sign before its year", hint: "such a year has six digits or more")
        }
        guard width <= 11 else { throw beyond }
        let year = try number("year", width)
        if sign == UInt8(ascii: "+") { return year }
        guard year > 0 else {
            throw failure("names the year -0", hint: "the year 0 is written 0000")
        }
        return -year
    }

    private mutating func secondsOfDay() throws(ISO8601.Failure) -> Int64 {
        let hour = try number("hour", 2)
        guard hour < 24 else { throw failure("names hour \(hour)", hint: "hours go to 23") }
        try expect(UInt8(ascii: ":"), "a time is written hh:mm:ss")
        let minute = try number("minute", 2)
        guard minute < 60 else {
            throw failure("names minute \(minute)", hint: "minutes go to 59")
        }
        guard peek == UInt8(ascii: ":") else { return hour * 3600 + minute * 60 }
        at += 1
        let second = try number("second", 2)
        guard second < 60 else {
            throw failure(
                "names second \(second)", hint: "seconds go to 59; leap seconds cannot be stored")
        }
        return hour * 3600 + minute * 60 + second
    }

    /// The digits after the decimal point, without the zeros at the end.
    private mutating func fractionDigits() throws(ISO8601.Failure) -> ArraySlice<UInt8> {
        guard peek == UInt8(ascii: ".") || peek == UInt8(ascii: ",") else { return [] }
        // ISO 8601 also allows a fraction of a minute or an hour, which is most likely a mistake.
        guard bytes.count > at - 6, at >= 6, bytes[at - 3] == UInt8(ascii: ":"),
            bytes[at - 6] == UInt8(ascii: ":")
        else { throw failure("has a fraction without seconds") }
        at += 1
        let digits = bytes[at...].prefix { Self.isDigit($0) }
        guard !digits.isEmpty else { throw failure("has no digits after the point") }
        at = digits.endIndex
        let zeros = digits.reversed().prefix { $0 == UInt8(ascii: "0") }.count
        return digits.dropLast(zeros)
    }

    private mutating func offset() throws(ISO8601.Failure) -> Int64 {
        if peek == UInt8(ascii: " "), at + 1 < bytes.count,
            bytes[at + 1] == UInt8(ascii: "+") || bytes[at + 1] == UInt8(ascii: "-")
        {
            at += 1
        }
        let sign = peek
        switch sign {
        case UInt8(ascii: "Z"), UInt8(ascii: "z"):
            at += 1
            return 0
        case UInt8(ascii: "+"), UInt8(ascii: "-"):
            at += 1
        case UInt8(ascii: " ") where at + 1 < bytes.count && Self.isDigit(bytes[at + 1]):
            throw failure(
                "has a space where its offset begins",
                hint: "in a URL + means a space: write %2B for it")
        case nil:
            throw failure(
                "has no offset",
                hint: "a time needs an offset, such as Z or +02:00"
                    + (bytes.count > 40
                        ? "" : ": \(String(decoding: bytes, as: UTF8.self))Z is the time in UTC"))
        default:
            throw failure("cannot be read after its time", hint: "an offset is Z or such as +02:00")
        }
        let hours = try number("offset's hour", 2)
        var minutes: Int64 = 0
        if peek == UInt8(ascii: ":") {
            at += 1
            minutes = try number("offset's minute", 2)
        } else if peek != nil {
            minutes = try number("offset's minute", 2)
        }
        guard hours < 24, minutes < 60 else {
            throw failure("has an offset that does not exist", hint: "offsets go to ±23:59")
        }
        let seconds = hours * 3600 + minutes * 60
        return sign == UInt8(ascii: "-") ? -seconds : seconds
    }

    private var peek: UInt8? { at < bytes.count ? bytes[at] : nil }

    private mutating func number(
        _ name: String, _ width: Int
    ) throws(ISO8601.Failure) -> Int64 {
        var value: Int64 = 0
        for index in at..<at + width {
            guard index < bytes.count, Self.isDigit(bytes[index]) else {
                throw failure("does not have \(width) digits for the \(name)", at: index)
            }
            value = value * 10 + Int64(bytes[index] - UInt8(ascii: "0"))
        }
        at += width
        return value
    }

    private mutating func expect(_ byte: UInt8, _ hint: String) throws(ISO8601.Failure) {
        guard peek == byte else { throw failure("is not a date in ISO 8601", hint: hint) }
        at += 1
    }

    private func failure(
        _ what: String, hint: String? = nil, at position: Int? = nil
    ) -> ISO8601.Failure {
        var text = String(decoding: bytes.prefix(40), as: UTF8.self)
        if bytes.count > 40 { text += "…" }
        return ISO8601.Failure(
            message: "\"\(text)\" \(what)", hint: hint,
            position: min(position ?? at, bytes.count))
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
    }
}
