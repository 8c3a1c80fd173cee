/// The steps that take a store to the current version of its model.

import SteleModel

/// The way from the version that a store was made with to the current one, as values. Nothing is
/// read or written.
public struct MigrationPlan: Sendable {
    /// A migration from one version to another.
    public struct Step: Sendable {
        /// How the mapping came about.
        public enum Kind: Sendable, Hashable {
            /// It is inferred from the two models.
            case inferred
            /// It is the mapping model of that name.
            case mappingModel(String)
        }

        /// The version before.
        public let source: KnownVersion
        /// The version after.
        public let destination: KnownVersion
        /// The mapping.
        public let mappingModel: MappingModel
        /// How the mapping came about.
        public let kind: Kind
        /// Whether its mapping model was named by the user, or knows that it is for the versions.
        let isCertain: Bool

        package init(
            source: KnownVersion, destination: KnownVersion, mappingModel: MappingModel,
            kind: Kind, isCertain: Bool = false
        ) {
            self.isCertain = isCertain
            self.source = source
            self.destination = destination
            self.mappingModel = mappingModel
            self.kind = kind
        }

        /// The conditions on the data without which the step fails.
        public var requirements: [MigrationRequirement] {
            mappingModel.requirements(from: source.model, to: destination.model)
        }
    }

    /// The version that the store was made with.
    public let source: KnownVersion
    /// The current version.
    public let destination: KnownVersion
    /// The names of other versions with the hashes of the store.
    public let sameAsSource: [String]
    /// The steps; empty if the store is of the current version.
    public let steps: [Step]
    /// Whether the current version is older than that of the store. What only the newer one has is
    /// removed.
    public let isBackward: Bool
    /// Why mapping models lead between no two of the versions, a sentence for each of them.
    public package(set) var unusedMappings: [String]

    /// Whether the store may be of a newer version that is not known, and something of it would be
    /// lost: inference removes it, or a mapping model changes it that was not named and may be for
    /// another version.
    package var mayLeadBack: Bool {
        guard source.isCached else { return false }
        return steps.contains { $0.isCertain ? false : $0.kind != .inferred || $0.removes }
    }

    /// Whether there is nothing to do.
    public var isEmpty: Bool { steps.isEmpty }
}

extension MigrationPlan {
    /// Finds the way for a store with these version hashes.
    ///
    /// A mapping model from the store's version to the current one is taken first. Otherwise the
    /// mapping is inferred if that is possible, and neither a mapping model nor a rename of the
    /// versions between would be skipped. Otherwise the steps go through versions between, as few
    /// as possible, each by a mapping model or inferred.
    ///
    /// A store of none of the versions that has its own model is migrated from that: by a mapping
    /// model that leads from it to a version, and else by inference.
    ///
    /// - Throws: `MigrationError`: 134130 if no version has the hashes, 134190 with every reason if
    ///   there is no other version between and nothing can be inferred, 134140 with every reason if
    ///   there is no way through the versions between either, if a mapping model on the way does
    ///   not fit its versions, or if one that names other versions fits what is inferred.
    public init(
        storeHashes: [String: [UInt8]], versions: KnownVersions, mappings: [KnownMapping] = []
    ) throws(MigrationError) {
        let own = versions.ownVersion(of: storeHashes)
        let mappings = mappings.map {
            $0.identified(among: versions.versions + [own].compactMap(\.self))
        }
        let versions = own.map { versions.including($0, mappings) } ?? versions
        let found = try versions.version(withHashes: storeHashes)
        var planner = Planner(versions.versions, mappings)
        source = versions.versions[found.index]
        destination = versions.current
        sameAsSource = found.others
        steps = try planner.steps(
            from: found.index, to: versions.currentIndex, isFormer: source.hashes != storeHashes)
        isBackward = found.index > versions.currentIndex
        let unused = UnusedMappings(mappings, versions, steps, from: source)
        try unused.check()
        unusedMappings = unused.reasons
        if source.isCached { try checkIsOfSameModel() }
    }

    /// Checks that an inferred step from the store's own model does not remove all that it has.
    /// - Throws: `MigrationError.Code.missingSourceModel` (134130).
    private func checkIsOfSameModel() throws(MigrationError) {
        guard let first = steps.first, first.kind == .inferred,
            !source.model.storedEntities.isEmpty,
            !first.mappingModel.entityMappings.contains(where: {
                $0.sourceEntityName != nil && $0.destinationEntityName != nil
            })
        else { return }
        throw MigrationError(
            .missingSourceModel,
            "the store is of another model: none of its entities is one of "
                + "\(first.destination.name), or becomes one",
            hint: "name the store's model, or another store")
    }
}
