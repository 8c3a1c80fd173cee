// The known versions of a model, and which of them a store was made with.

import SteleModel

/// A version of a model, with the hashes that a store made with it has.
public struct KnownVersion: Sendable {
    /// The model.
    public let model: Model
    /// The 32 bytes of each entity's version hash, by entity name (`entityVersionHashesByName`).
    public let hashes: [String: [UInt8]]
    /// Those that a store made by an earlier version of Stele has, if they are others.
    package var formerHashes: [String: [UInt8]]?

    /// Creates a version.
    ///
    /// - Parameters:
    ///   - model: the model of the version.
    ///   - hashes: the version hashes of the entities that the store has, which are fewer than the
    ///     model's if the store has a configuration of it.
    public init(model: Model, hashes: [String: [UInt8]]) {
        self.model = model
        self.hashes = hashes
    }

    /// The version's name.
    public var name: String { model.name }

    /// Whether a store of the version has an entity, which may be that of another store.
    func hasStored(_ name: String) -> Bool { model.storedEntities.contains { $0.name == name } }
}

/// The known versions of a model, in their order, and which is current.
public struct KnownVersions: Sendable {
    /// The versions, the oldest first.
    public let versions: [KnownVersion]
    /// The index of the current version.
    public let currentIndex: Int

    /// Creates a list of versions; nil if none has the name of the current one.
    public init?(_ versions: [KnownVersion], current name: String) {
        guard let index = versions.firstIndex(where: { $0.name == name }) else { return nil }
        self.versions = versions
        currentIndex = index
    }

    /// The current version.
    public var current: KnownVersion { versions[currentIndex] }

    /// The versions, the nearest to the current one first.
    public var nearestFirst: [KnownVersion] {
        versions.indices.sorted { isNearer($0, than: $1) }.map { versions[$0] }
    }

    /// The version that a store was made with.
    public struct Found: Sendable, Hashable {
        /// The index of the version.
        public var index: Int
        /// The names of other versions with the same hashes. Data of one is data of the other, and
        /// the version that is nearest to the current one is chosen.
        public var others: [String]
    }

    /// Finds the version that a store was made with, by its version hashes.
    ///
    /// - Throws: `MigrationError.Code.missingSourceModel` (134130) with what differs from the
    ///   nearest version if no version has these hashes. That store may be of a newer version than
    ///   every known one.
    public func version(withHashes hashes: [String: [UInt8]]) throws(MigrationError) -> Found {
        let matching = versions.indices.filter {
            versions[$0].hashes == hashes || versions[$0].formerHashes == hashes
        }
        guard let index = matching.min(by: { isNearer($0, than: $1) }) else {
            throw missing(hashes)
        }
        return Found(
            index: index, others: matching.filter { $0 != index }.map { versions[$0].name })
    }

    /// Whether a version is nearer to the current one than another. Of two at the same distance it
    /// is the older one.
    private func isNearer(_ a: Int, than b: Int) -> Bool {
        (abs(a - currentIndex), a) < (abs(b - currentIndex), b)
    }

    private func missing(_ hashes: [String: [UInt8]]) -> MigrationError {
        let differing = versions.map { version in
            Set(version.hashes.keys).union(hashes.keys)
                .filter { version.hashes[$0] != hashes[$0] }.sorted()
        }
        let names = versions.map(\.name).joined(separator: ", ")
        let nearest = versions.indices.min {
            differing[$0].count != differing[$1].count
                ? differing[$0].count < differing[$1].count : isNearer($0, than: $1)
        }
        let known = versions.count == 1 ? "the only known version" : "any known version"
        return MigrationError(
            .missingSourceModel,
            "the store was not made with \(known) (\(names)): it is of a newer one, or of one "
                + "that has been removed or changed since",
            reasons: nearest.map { reasons(differing[$0], versions[$0], hashes) } ?? [],
            hint: "add the version that the store was made with to the model, beside the current "
                + "one, or use another store"
        )
    }

    /// What differs between a store and a version, with at most ten entities.
    private func reasons(
        _ entities: [String], _ version: KnownVersion, _ hashes: [String: [UInt8]]
    ) -> [String] {
        let limit = 10
        let reasons = entities.prefix(limit).map { name in
            if version.hashes[name] == nil {
                return "the store has an entity \(excerpt(name)), and \(version.name) does not"
            }
            return hashes[name] == nil
                ? "\(version.name) has an entity \(name), and the store does not"
                : "the entity \(name) of the store differs from that of \(version.name)"
        }
        let rest = entities.count - limit
        return rest > 0 ? reasons + ["\(rest) more entities differ"] : reasons
    }
}
