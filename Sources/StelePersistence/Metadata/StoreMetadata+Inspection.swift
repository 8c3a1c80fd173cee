import SteleModel

extension StoreMetadata {
    /// What the metadata says twice and differently: the digest and the checksum of the version
    /// hashes.
    package var differences: [String] {
        let values = values("")
        let computed = [
            ("NSStoreModelVersionHashesDigest", Self.digest(of: hashes)),
            ("NSStoreModelVersionChecksumKey", Self.checksum(of: hashes)),
        ]
        return computed.compactMap { key, computed in
            guard let stored = values[key], stored.string != computed else { return nil }
            return "Z_METADATA: \(key) is not that of NSStoreModelVersionHashes, so one of the two "
                + "was changed alone"
        }
    }

    /// The names of the entities that have a version hash.
    package var entityNames: Set<String> { Set(hashes.keys) }
}
