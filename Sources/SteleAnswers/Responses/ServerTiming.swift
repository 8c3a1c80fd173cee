/// The time of each step of a request, for its `Server-Timing` field.

import Glibc
import SteleHTTP
import SteleJSON
import SteleSystem

/// A stopwatch with a lap for each step.
package struct ServerTiming: Sendable {
    private var laps: [(name: StaticString, nanoseconds: UInt64)] = []
    private var last: UInt64
    private let isOn: Bool

    package init(isOn: Bool) {
        self.isOn = isOn
        last = isOn ? MonotonicClock.now : 0
        if isOn { laps.reserveCapacity(6) }
    }

    /// Ends a step. A step that a request takes again, such as its wait for a worker, is one entry
    /// with the time of all.
    package mutating func lap(_ name: StaticString) {
        guard isOn else { return }
        let now = MonotonicClock.now
        if let place = laps.firstIndex(where: { Self.areEqual($0.name, name) }) {
            laps[place].nanoseconds &+= now &- last
        } else {
            laps.append((name, now &- last))
        }
        last = now
    }

    private static func areEqual(_ left: StaticString, _ right: StaticString) -> Bool {
        left.utf8CodeUnitCount == right.utf8CodeUnitCount
            && memcmp(left.utf8Start, right.utf8Start, left.utf8CodeUnitCount) == 0
    }

    /// Adds the field, in milliseconds with three digits: `route;dur=0.004, call;dur=0.012`.
    package func add(to response: inout Response) {
        guard isOn else { return }
        var writer = ByteWriter(capacity: 96)
        for (index, lap) in laps.enumerated() {
            if index > 0 { writer.raw(", ") }
            writer.raw(lap.name)
            writer.raw(";dur=")
            Self.write(microseconds: lap.nanoseconds / 1000, to: &writer)
        }
        response.headers.append(
            ("Server-Timing", String(decoding: writer.bytes, as: UTF8.self)))
    }

    private static func write(microseconds: UInt64, to writer: inout ByteWriter) {
        writer.integer(Int64(microseconds / 1000))
        let rest = microseconds % 1000
        writer.byte(UInt8(ascii: "."))
        for divisor: UInt64 in [100, 10, 1] {
            writer.byte(UInt8(ascii: "0") + UInt8(rest / divisor % 10))
        }
    }

    /// Writes a time as milliseconds with three digits.
    package static func write(nanoseconds: UInt64, to writer: inout ByteWriter) {
        write(microseconds: nanoseconds / 1000, to: &writer)
    }
}
