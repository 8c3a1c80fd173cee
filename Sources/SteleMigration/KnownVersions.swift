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
    /// Whether it is the model that the store itself has, and none of the given versions.
    package var isCached = false
    /// The names of the given versions beside the store's own model. A mapping model from a version
    /// of another name may lead from it.
    var others: Set<String> = []
    /// Those that Core Data has computed, by entity name; nil where they are not known.
    package var publishedHashes: [String: [UInt8]]?

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

    /// Whether the store's own model may be a version of that name, which is not among the others.
    func mayBe(named name: String) -> Bool { isCached && !others.contains(name) }

    /// Whether a store with these version hashes is of the version.
    func has(_ storeHashes: [String: [UInt8]]) -> Bool {
        hashes == storeHashes || formerHashes == storeHashes
    }

    /// Whether a store of the version has an entity, which may be that of another store.
    func hasStored(_ name: String) -> Bool { model.storedEntities.contains { $0.name == name } }
}

/// The known versions of a model, in their order, and which is current.
public struct KnownVersions: Sendable {
    /// The versions, the oldest first.
    public let versions: [KnownVersion]
    /// The index of the current version.
    public let currentIndex: Int
    /// The model that the store itself has (`NSManagedObjectModel.cachedModelForPersistentStore`),
    /// which is its version where none of the others is, or why it cannot be read; nil where that
    /// was not tried.
    package private(set) var cached: Result<KnownVersion, ModelErrors>?

    /// Takes the model that the store itself has, unless that is a store of another configuration.
    /// - Parameter configuration: that of the versions; nil for all entities.
    package mutating func take(
        _ cached: Result<KnownVersion, ModelErrors>?, configuration: String? = nil
    ) {
        if case .success(let own)? = cached, own.model.configuration != configuration { return }
        self.cached = cached
    }

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

    /// The versions of which a store may be, in the order of trying.
    package var candidates: [KnownVersion] {
        nearestFirst + [cached].compactMap { try? $0?.get() }
    }

    /// The store's own model where the store is of none of the versions.
    func ownVersion(of hashes: [String: [UInt8]]) -> KnownVersion? {
        guard case .success(var own)? = cached, own.has(hashes),
            !versions.contains(where: { $0.has(hashes) })
        else { return nil }
        own.others = Set(versions.map(\.name))
        return own
    }

    /// The versions with the store's own model among them: before the version to which a mapping
    /// model leads from it, and else before the one that it is most like.
    func including(_ own: KnownVersion, _ mappings: [KnownMapping]) -> KnownVersions {
        let mapped = versions.firstIndex { version in
            mappings.contains { $0.leads(from: own, to: version) }
        }
        var all = versions
        let distances = versions.map { VersionFacts.distance($0.model, own.model) }
        // Of several the oldest, so that no mapping model on the way is passed over.
        let nearest = versions.indices.min { distances[$0] < distances[$1] }
        all.insert(own, at: mapped ?? nearest ?? 0)
        return KnownVersions(all, current: current.name) ?? self
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
        let matching = versions.indices.filter { versions[$0].has(hashes) }
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
            reasons: (nearest.map { reasons(differing[$0], versions[$0], hashes) } ?? [])
                + cachedReasons,
            hint: "add the version that the store was made with to the model, beside the current "
                + "one, or use another store"
        )
    }

    /// Why the store's own model is not taken in place of a version.
    private var cachedReasons: [String] {
        switch cached {
        case nil: []
        case .success: ["the model that the store has of itself is not that of its data"]
        case .failure(let errors): errors.errors.map(\.description)
        }
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
