import SteleSystem

/// A bounded pool of compiled patterns that are not in use, shared by all threads.
final class PatternPool: Sendable {
    /// The text of a pattern and its options.
    struct Key: Hashable, Sendable {
        var pattern: [UInt8]
        /// Bit 1: ignore case. Bit 2: remove accents.
        var flags: UInt8
    }

    // Each pattern in the pool is taken out by one thread only.
    private struct Idle: @unchecked Sendable {
        let key: Key
        let expression: RegularExpression
    }

    static let shared = PatternPool()

    /// The most recently returned pattern is last.
    private let idle = Mutex<[Idle]>([])
    /// The most patterns that are kept.
    static let capacity = 64

    /// A compiled pattern, from the pool or newly compiled.
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

    /// Returns a pattern to the pool.
    func give(_ expression: RegularExpression, _ key: Key) {
        let one = Idle(key: key, expression: expression)
        idle.withLock { idle in
            if idle.count >= Self.capacity { idle.removeFirst() }
            idle.append(one)
        }
    }
}

/// Converts UTF-8 to the UTF-16 that ICU reads.
enum UTF16Units {
    /// Writes the UTF-16 units of a text and returns their number. The buffer must have room for
    /// one unit for each byte, or four if accents are removed.
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
