/// Compiled patterns that nobody uses at the moment, for all threads.

import SteleSystem

/// Keeps compiled patterns from one use to the next; bounded.
final class PatternPool: Sendable {
    /// A pattern as it was written, and how it is read.
    struct Key: Hashable, Sendable {
        var pattern: [UInt8]
        /// 1 ignores case, 2 leaves accents out.
        var flags: UInt8
    }

    // A compiled pattern in the pool is nobody's, and one thread takes it out.
    private struct Idle: @unchecked Sendable {
        let key: Key
        let expression: RegularExpression
    }

    static let shared = PatternPool()

    /// Newest last.
    private let idle = Mutex<[Idle]>([])
    /// How many are kept.
    static let capacity = 64

    /// A compiled pattern, out of the pool or made now.
    ///
    /// - Throws: `RegularExpression.Malformed`.
    func take(_ key: Key) throws(RegularExpression.Malformed) -> RegularExpression {
        let known = idle.withLock { idle in
            idle.lastIndex { $0.key == key }.map { idle.remove(at: $0) }
        }
        if let known { return known.expression }
        let units = key.pattern.withUnsafeBufferPointer { bytes in
            UTF16Units.array(bytes, key.flags & 2 != 0 ? .marksOnly : nil)
        }
        return try RegularExpression(units, ignoresCase: key.flags & 1 != 0)
    }

    /// Takes one back.
    func give(_ expression: RegularExpression, _ key: Key) {
        let one = Idle(key: key, expression: expression)
        idle.withLock { idle in
            if idle.count >= Self.capacity { idle.removeFirst() }
            idle.append(one)
        }
    }
}

/// UTF-8 as the UTF-16 that ICU reads.
enum UTF16Units {
    /// Writes the text's units and gives their number; there must be room for one a byte, and for
    /// four where accents are left out.
    static func write(
        _ bytes: UnsafeBufferPointer<UInt8>, _ folding: CaseFolding?,
        to units: UnsafeMutablePointer<UInt16>
    ) -> Int {
        var count = 0
        while count < bytes.count, bytes[count] < 0x80 {
            units[count] = UInt16(bytes[count])
            count += 1
        }
        if count == bytes.count { return count }
        var scalars = FoldedScalars(bytes, from: count, folding)
        while let value = scalars.next() {
            if value < 0x10000 {
                units[count] = UInt16(truncatingIfNeeded: value)
                count += 1
            } else {
                units[count] = UInt16(truncatingIfNeeded: 0xD7C0 + (value >> 10))
                units[count + 1] = UInt16(truncatingIfNeeded: 0xDC00 + (value & 0x3FF))
                count += 2
            }
        }
        return count
    }

    static func array(_ bytes: UnsafeBufferPointer<UInt8>, _ folding: CaseFolding?) -> [UInt16] {
        [UInt16](unsafeUninitializedCapacity: 4 * bytes.count + 1) { buffer, count in
            guard let start = buffer.baseAddress else { return }
            count = write(bytes, folding, to: start)
        }
    }
}
