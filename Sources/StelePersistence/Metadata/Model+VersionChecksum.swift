import SteleModel

extension Model {
    /// The checksum of the version hashes of all entities, which stores of the model have as
    /// NSStoreModelVersionChecksumKey (`NSManagedObjectModel.versionChecksum`).
    public var versionChecksum: String {
        StoreMetadata.checksum(of: StoreMetadata.hashes(of: self))
    }
}
