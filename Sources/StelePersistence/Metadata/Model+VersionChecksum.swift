import SteleModel

extension Model {
    /// The checksum of the version hashes of all entities, which stores of the model have as
    /// NSStoreModelVersionChecksumKey (`NSManagedObjectModel.versionChecksum`).
    public var versionChecksum: String {
        StoreMetadata.checksum(of: StoreMetadata.hashes(of: self))
    }

    /// The checksum that stores of earlier versions of Stele have: it differs for a model with
    /// derivations in another form than that of Core Data's compiler.
    package var formerVersionChecksum: String {
        StoreMetadata.checksum(of: StoreMetadata.hashes(of: self, asWritten: true))
    }
}
