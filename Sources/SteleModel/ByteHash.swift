extension UnsafeRawBufferPointer {
    /// A hash of the bytes, which reads eight at a time. For short texts it takes a fifth of the
    /// time of `Hasher`. It has no random seed, so an attacker can construct collisions: use it
    /// only in tables that are bounded or whose keys come from the model.
    package var quickHash: Int {
        var hash = UInt64(count)
        func fold(_ word: UInt64) {
            let product = (hash ^ word).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
            hash = product.high ^ product.low
        }
        var place = 0
        while count - place >= 8 {
            fold(loadUnaligned(fromByteOffset: place, as: UInt64.self))
            place += 8
        }
        var rest: UInt64 = 0
        while place < count {
            rest = rest << 8 | UInt64(self[place])
            place += 1
        }
        fold(rest)
        return Int(truncatingIfNeeded: hash)
    }
}
