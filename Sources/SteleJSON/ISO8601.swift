/// Dates as text (ISO 8601, RFC 3339) to and from seconds since 2001-01-01T00:00:00Z, as Core Data
/// stores them. The calendar is the proleptic Gregorian one; there are no leap seconds.
public enum ISO8601 {
    /// Why a text is not a date.
    public struct Failure: Error, Sendable, Equatable, CustomStringConvertible {
        /// A sentence that quotes the text and says what is wrong with it.
        public var message: String
        /// How to correct it, if that is known.
        public var hint: String?
        /// The byte at which reading stopped, from 0.
        public var position: Int

        /// The message, followed by the hint.
        public var description: String {
            guard let hint else { return message }
            return "\(message) (\(hint))"
        }
    }

    /// Instants this many seconds from 2001 or more have no text: some 95 billion years.
    public static let secondsLimit: Double = 3e18

    /// Reads `2024-05-01`, which is midnight UTC, or `2024-05-01T09:00:00.5+02:00`. Seconds and
    /// fraction may be left out; the offset (`Z`, `±hh:mm`, `±hhmm`, `±hh`) may not. A space may
    /// be in the place of the `T`, and before the sign of the offset. Years outside
    /// 0…9999 have a sign and at least six digits.
    ///
    /// - Parameter zone: the time zone of a date, with or without a time, that has no offset; nil
    ///   if a date alone is in UTC, and a time needs an offset.
    /// - Returns: the Double nearest to the instant, in seconds since 2001-01-01T00:00:00Z.
    /// - Throws: `Failure` if the text is not a date, or names a date that does not exist, or that
    ///   the clocks of the zone have twice.
    public static func secondsSinceReferenceDate(
        _ text: String, zone: ZoneRules? = nil
    ) throws(ISO8601.Failure) -> Double {
        var reader = DateReader(Array(text.utf8), zone: zone)
        return try reader.read()
    }

    /// Reads a date from UTF-8, as above.
    /// - Throws: as `secondsSinceReferenceDate(_:)`.
    public static func secondsSinceReferenceDate(
        utf8: UnsafeBufferPointer<UInt8>
    ) throws(ISO8601.Failure) -> Double {
        var reader = DateReader(Array(utf8))
        return try reader.read()
    }

    /// The text of an instant; nil for NaN, the infinities and instants beyond ``secondsLimit``.
    public static func text(secondsSinceReferenceDate seconds: Double) -> String? {
        guard abs(seconds) < secondsLimit else { return nil }
        var writer = ByteWriter(capacity: 32)
        append(seconds, to: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// An instant in a message: its text, or the seconds of one that has no text.
    public static func shown(secondsSinceReferenceDate seconds: Double) -> String {
        text(secondsSinceReferenceDate: seconds) ?? seconds.description
    }
}
