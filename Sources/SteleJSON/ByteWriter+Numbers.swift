// Numbers as JSON. Reals have the shortest digits that read back the same.

extension ByteWriter {
    /// Appends an integer.
    public mutating func integer(_ value: Int64) {
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        digits(value.magnitude)
    }

    /// Appends a real with the shortest digits that read back the same: `51234.5`, `3`, `1e+21`.
    /// NaN and the infinities, which JSON does not have, become `null`; only a store that another
    /// program wrote can hold them.
    public mutating func double(_ value: Double) { real(value, below: 0x1p53) }

    /// Appends a Float as `double` does, with the digits that read back the same Float.
    public mutating func float(_ value: Float) { real(value, below: 0x1p24) }

    /// - Parameter bound: every whole number below it is exact in the type.
    private mutating func real<Real: BinaryFloatingPoint & TextOutputStreamable>(
        _ value: Real, below bound: Real
    ) {
        if let whole = Self.whole(value, below: bound) {
            guard whole != 0 || value.sign == .plus else { return raw("-0.0") }
            integer(whole)
        } else if value.isFinite {
            value.write(to: &self)
            dropEmptyFraction()
        } else {
            null()
        }
    }

    /// Appends a number, padded with zeros to at least `width` digits.
    mutating func digits(_ value: UInt64, width: Int) {
        var bound: UInt64 = 10
        var zeros = width - 1
        while zeros > 0, value >= bound {
            zeros -= 1
            let (next, overflow) = bound.multipliedReportingOverflow(by: 10)
            if overflow {
                zeros = 0
            } else {
                bound = next
            }
        }
        for _ in 0..<max(zeros, 0) { bytes.append(UInt8(ascii: "0")) }
        digits(value)
    }

    private mutating func digits(_ value: UInt64) {
        if value < 10 {
            bytes.append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: value))
            return
        }
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { room in
            var rest = value
            var at = 20
            while rest > 0 {
                let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
                at -= 1
                room[at] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: digit)
                rest = quotient
            }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: room[at..<20]))
        }
    }

    /// The value as an integer, or nil. `rounded` would call into the C library.
    private static func whole<Real: BinaryFloatingPoint>(
        _ value: Real, below bound: Real
    ) -> Int64? {
        guard abs(value) < bound else { return nil }
        let whole = Int64(value)
        return Real(whole) == value ? whole : nil
    }

    /// Removes the `.0` that Swift prints after a whole real; it reads back the same without it.
    private mutating func dropEmptyFraction() {
        if bytes.count > 2, bytes[bytes.count - 1] == UInt8(ascii: "0"),
            bytes[bytes.count - 2] == UInt8(ascii: ".")
        {
            bytes.removeLast(2)
        }
    }
}
