/// The property list in a compiled model with versions.

import SteleModel

/// The contents of `VersionInfo.plist` in a `.momd` folder.
struct VersionInfo {
    static let fileName = "VersionInfo.plist"

    /// The name of the current version; nil if it names none.
    var currentVersionName: String?
    /// The version hashes of the entities, by the names of the versions.
    var versionHashes: [String: [String: [UInt8]]] = [:]

    init(currentVersionName: String, versionHashes: [String: [String: [UInt8]]]) {
        self.currentVersionName = currentVersionName
        self.versionHashes = versionHashes
    }

    /// Reads the property list.
    /// - Throws: `ModelErrors` for bytes that are none, and for a hash that has not 32 bytes.
    init(_ bytes: [UInt8], place: String) throws(ModelErrors) {
        let list = try PropertyList.read(bytes, place: place)
        let current = list[Self.current]?.string
        currentVersionName = current == "" ? nil : current
        for version in list[Self.hashes]?.entries ?? [] {
            var hashes: [String: [UInt8]] = [:]
            for entity in version.value.entries ?? [] {
                guard let hash = entity.value.data, hash.count == 32 else {
                    throw ModelErrors(
                        place,
                        "its version hash of \(entity.key) in \(version.key) is not one of "
                            + "32 bytes")
                }
                hashes[entity.key] = hash
            }
            versionHashes[version.key] = hashes
        }
    }

    /// The binary property list. It has no hashes where none are known.
    var bytes: [UInt8] {
        var entries: [PropertyList.Entry] = []
        if let currentVersionName {
            entries.append(.init(key: Self.current, value: .string(currentVersionName)))
        }
        if !versionHashes.isEmpty {
            let versions = versionHashes.mapValues { hashes in
                Self.dictionary(hashes.mapValues { .data($0) })
            }
            entries.append(.init(key: Self.hashes, value: Self.dictionary(versions)))
        }
        return BinaryPropertyListWriter.bytes(.dictionary(entries))
    }

    private static func dictionary(_ values: [String: PropertyList]) -> PropertyList {
        .dictionary(
            values.sorted { $0.key < $1.key }.map { .init(key: $0.key, value: $0.value) })
    }

    private static let current = "NSManagedObjectModel_CurrentVersionName"
    private static let hashes = "NSManagedObjectModel_VersionHashes"
}
