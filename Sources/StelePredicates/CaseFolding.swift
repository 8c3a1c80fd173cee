/// Unicode case folding and the removal of accents, one scalar at a time.

@_spi(_Unicode) import Swift

/// What a scalar becomes where case or accents do not matter.
///
/// Case: Unicode's full case folding (ß is ss). Accents: canonical decomposition without its
/// nonspacing marks. Both: accents first.
struct CaseFolding: Sendable {
    let foldsCase: Bool
    let stripsMarks: Bool
    /// For scalars below `bound`: the one they become, or `several` or `none`.
    private let table: [UInt32]

    static let bound: UInt32 = 0x3000
    static let several: UInt32 = 0xFFFF_FFFF
    static let none: UInt32 = 0xFFFF_FFFE

    static let caseOnly = CaseFolding(foldsCase: true, stripsMarks: false)
    static let marksOnly = CaseFolding(foldsCase: false, stripsMarks: true)
    static let both = CaseFolding(foldsCase: true, stripsMarks: true)

    private init(foldsCase: Bool, stripsMarks: Bool) {
        self.foldsCase = foldsCase
        self.stripsMarks = stripsMarks
        table = (0..<Self.bound).map { value in
            let result = Self.expansion(of: value, foldsCase, stripsMarks)
            switch result.count {
            case 0: return Self.none
            case 1: return result[0]
            default: return Self.several
            }
        }
    }

    /// The scalar that it becomes, or `several` or `none`, without allocating where it is common.
    @inline(__always)
    func single(_ value: UInt32) -> UInt32 {
        if value < Self.bound { return table[Int(value)] }
        return rare(value)
    }

    /// Ideographs and the like are themselves; the rest is looked up.
    private func rare(_ value: UInt32) -> UInt32 {
        if value >= 0x3100, value < 0xA000 { return value }
        let result = expansion(of: value)
        switch result.count {
        case 0: return Self.none
        case 1: return result[0]
        default: return Self.several
        }
    }

    /// All that it becomes.
    func expansion(of value: UInt32) -> [UInt32] {
        Self.expansion(of: value, foldsCase, stripsMarks)
    }

    private static func expansion(
        of value: UInt32, _ foldsCase: Bool, _ stripsMarks: Bool
    ) -> [UInt32] {
        guard let scalar = Unicode.Scalar(value) else { return [value] }
        guard stripsMarks else { return folded(scalar) }
        var result: [UInt32] = []
        for part in String(scalar)._nfd where part.properties.generalCategory != .nonspacingMark {
            if foldsCase { result += folded(part) } else { result.append(part.value) }
        }
        return result
    }

    /// The standard library has no case folding; lowercase of uppercase is the same but for the
    /// dotless i, which folds to itself, and Cherokee, which folds to capitals.
    private static func folded(_ scalar: Unicode.Scalar) -> [UInt32] {
        switch scalar.value {
        case 0x131, 0x13A0...0x13F5: return [scalar.value]
        case 0x13F8...0x13FD: return [scalar.value - 8]
        case 0xAB70...0xABBF: return [scalar.value - 0xAB70 + 0x13A0]
        default:
            var result: [UInt32] = []
            for upper in scalar.properties.uppercaseMapping.unicodeScalars {
                for lower in upper.properties.lowercaseMapping.unicodeScalars {
                    result.append(lower.value)
                }
            }
            return result
        }
    }

    /// Capitals for small letters and the other way round, so that small ones sort first.
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
