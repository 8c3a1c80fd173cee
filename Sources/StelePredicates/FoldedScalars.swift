/// Iterates over the scalars of UTF-8 text with case or accents folded. It does not allocate, and
/// ASCII needs no table.
struct FoldedScalars {
    let bytes: UnsafeBufferPointer<UInt8>
    private(set) var index = 0
    private let folding: CaseFolding?
    private let foldsCase: Bool
    /// The remaining scalars of an expansion.
    private var pending: CaseFolding.Packed = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>, _ folding: CaseFolding?) {
        self.bytes = bytes
        self.folding = folding
        foldsCase = folding?.foldsCase ?? false
    }

    init(_ bytes: UnsafeBufferPointer<UInt8>, from index: Int, _ folding: CaseFolding?) {
        self.init(bytes, folding)
        self.index = index
    }

    /// Whether the next scalar begins a scalar of the text.
    var isAtBoundary: Bool { pending == 0 }

    @inline(__always)
    mutating func next() -> UInt32? {
        if pending != 0 { return takePending() }
        while index < bytes.count {
            let byte = bytes[index]
            if byte < 0x80 {
                index += 1
                return UInt32(foldsCase && byte &- 0x41 < 26 ? byte | 0x20 : byte)
            }
            let scalar = decode()
            guard let folding else { return scalar }
            pending = folding.expansion(of: scalar)
            if pending != 0 { return takePending() }
        }
        return nil
    }

    @inline(__always)
    private mutating func takePending() -> UInt32 {
        let first = UInt32(truncatingIfNeeded: pending & 0x1F_FFFF)
        pending >>= 21
        return first
    }

    /// Skips one scalar of the text with its whole expansion.
    /// - Returns: false at the end of the text.
    mutating func skipSource() -> Bool {
        guard pending != 0 || next() != nil else { return false }
        pending = 0
        return true
    }

    /// Decodes the scalar at `index` and advances. A byte that begins no valid scalar is U+FFFD.
    private mutating func decode() -> UInt32 {
        let first = bytes[index]
        let length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
        guard first >= 0xC2, first < 0xF5, index + length <= bytes.count else {
            index += 1
            return 0xFFFD
        }
        var value = UInt32(first) & (length == 2 ? 0x1F : length == 3 ? 0x0F : 0x07)
        for offset in 1..<length {
            let next = bytes[index + offset]
            guard next & 0xC0 == 0x80 else {
                index += 1
                return 0xFFFD
            }
            value = value << 6 | UInt32(next & 0x3F)
        }
        index += length
        return value
    }
}
