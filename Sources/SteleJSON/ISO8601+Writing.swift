// An instant as text: date and time by integer arithmetic, then the fraction.

extension ISO8601 {
    /// Appends an instant that is within `secondsLimit`, without quotes.
    static func append(_ seconds: Double, to writer: inout ByteWriter) {
        let (whole, fraction) = DecimalSeconds.split(seconds)
        let days = floorDivide(whole, 86_400)
        append(CivilDate(daysSince2001: days), to: &writer)
        let time = whole - days * 86_400
        writer.byte(UInt8(ascii: "T"))
        twoDigits(time / 3600, to: &writer)
        writer.byte(UInt8(ascii: ":"))
        twoDigits(time / 60 % 60, to: &writer)
        writer.byte(UInt8(ascii: ":"))
        twoDigits(time % 60, to: &writer)
        switch fraction {
        case .none:
            break
        case .number(let number, let width):
            writer.byte(UInt8(ascii: "."))
            writer.digits(number.magnitude, width: width)
        case .digits(let digits):
            writer.byte(UInt8(ascii: "."))
            writer.raw(digits)
        }
        writer.byte(UInt8(ascii: "Z"))
    }

    private static func append(_ date: CivilDate, to writer: inout ByteWriter) {
        if (0...9999).contains(date.year) {
            writer.digits(date.year.magnitude, width: 4)
        } else {
            writer.byte(date.year < 0 ? UInt8(ascii: "-") : UInt8(ascii: "+"))
            writer.digits(date.year.magnitude, width: 6)
        }
        writer.byte(UInt8(ascii: "-"))
        twoDigits(date.month, to: &writer)
        writer.byte(UInt8(ascii: "-"))
        twoDigits(date.day, to: &writer)
    }

    private static func twoDigits(_ value: Int64, to writer: inout ByteWriter) {
        writer.byte(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: value / 10))
        writer.byte(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: value % 10))
    }
}
