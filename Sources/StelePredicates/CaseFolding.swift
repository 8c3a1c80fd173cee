@_spi(_Unicode) import Swift

/// What a Unicode scalar becomes when case or accents are ignored.
///
/// Case: Unicode's full case folding (ß becomes ss). Accents: canonical decomposition without
/// nonspacing marks. With both, accents are removed first.
enum CaseFolding: UInt8, Sendable {
    case caseOnly, marksOnly, both

    var foldsCase: Bool { self != .marksOnly }
    var stripsMarks: Bool { self != .caseOnly }

    /// Up to three scalars of 21 bits each, the first in the lowest bits; 0 is none.
    typealias Packed = UInt64

    /// The expansion of a scalar, from a table for scalars below `bound`.
    @inline(__always)
    func expansion(of value: UInt32) -> Packed {
        guard value < Self.bound else { return rare(value) }
        switch self {
        case .caseOnly: return Self.caseTable[Int(value)]
        case .marksOnly: return Self.marksTable[Int(value)]
        case .both: return Self.bothTable[Int(value)]
        }
    }

    private static let bound: UInt32 = 0x3000
    private static let caseTable = (0..<bound).map { CaseFolding.caseOnly.computed($0) }
    private static let marksTable = (0..<bound).map { CaseFolding.marksOnly.computed($0) }
    private static let bothTable = (0..<bound).map { CaseFolding.both.computed($0) }

    /// Ideographs expand to themselves, and so does Hangul without decomposition.
    private func rare(_ value: UInt32) -> Packed {
        if value >= 0x3100, value < 0xA000 { return Packed(value) }
        if self == .caseOnly, value >= 0xAC00, value < 0xD7A4 { return Packed(value) }
        return computed(value)
    }

    private func computed(_ value: UInt32) -> Packed {
        guard let scalar = Unicode.Scalar(value) else { return Packed(value) }
        var packed: Packed = 0
        var shift = 0
        func append(_ value: UInt32) {
            // No scalar expands to more than three; a test checks all of them.
            if shift < 63 { packed |= Packed(value) << Packed(shift) }
            shift += 21
        }
        guard stripsMarks else {
            Self.fold(scalar, into: append)
            return packed
        }
        for part in String(scalar)._nfd where part.properties.generalCategory != .nonspacingMark {
            if foldsCase { Self.fold(part, into: append) } else { append(part.value) }
        }
        return packed
    }

    /// The standard library has no case folding. Lowercase of uppercase is the same except for the
    /// capital ß, the dotless i, which folds to itself, and Cherokee, which folds to capitals.
    private static func fold(_ scalar: Unicode.Scalar, into append: (UInt32) -> Void) {
        switch scalar.value {
        case 0x1E9E:
            append(0x73)
            append(0x73)
        case 0x131, 0x13A0...0x13F5: append(scalar.value)
        case 0x13F8...0x13FD: append(scalar.value - 8)
        case 0xAB70...0xABBF: append(scalar.value - 0xAB70 + 0x13A0)
        default:
            for upper in scalar.properties.uppercaseMapping.unicodeScalars {
                for lower in upper.properties.lowercaseMapping.unicodeScalars {
                    append(lower.value)
                }
            }
        }
    }

    /// Swaps uppercase and lowercase, so that lowercase sorts first.
    static func toggled(_ value: UInt32) -> UInt32 {
        if value < 0x80 {
            return (value | 0x20) &- 0x61 < 26 ? value ^ 0x20 : value
        }
        guard let scalar = Unicode.Scalar(value) else { return value }
        let lower = scalar.properties.lowercaseMapping.unicodeScalars
        if lower.count == 1, let first = lower.first, first != scalar { return first.value }
        let upper = scalar.properties.uppercaseMapping.unicodeScalars
        if upper.count == 1, let first = upper.first { return first.value }
        return value
    }
}
