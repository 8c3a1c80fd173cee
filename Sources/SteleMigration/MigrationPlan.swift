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
    public let unusedMappings: [String]

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
    /// - Throws: `MigrationError`: 134130 if no version has the hashes, 134190 with every reason if
    ///   there is no other version between and nothing can be inferred, 134140 with every reason if
    ///   there is no way through the versions between either, or if a mapping model on the way does
    ///   not fit its versions.
    public init(
        storeHashes: [String: [UInt8]], versions: KnownVersions, mappings: [KnownMapping] = []
    ) throws(MigrationError) {
        let found = try versions.version(withHashes: storeHashes)
        var planner = Planner(versions.versions, mappings)
        source = versions.versions[found.index]
        destination = versions.current
        sameAsSource = found.others
        steps = try planner.steps(from: found.index, to: versions.currentIndex)
        isBackward = found.index > versions.currentIndex
        for mapping in mappings { try mapping.checkNames(versions, steps) }
        unusedMappings = mappings.compactMap { [steps] in
            $0.reasonNotUsed(steps, versions, from: versions.versions[found.index])
        }
    }
}

extension KnownMapping {
    /// Whether an inferred step begins or ends where the names of the mapping say.
    private func isPassedOver(by step: MigrationPlan.Step) -> Bool {
        step.kind == .inferred
            && (sourceName == step.source.name || destinationName == step.destination.name)
    }

    /// Checks that a mapping of an inferred step's version names a version on its other end, too.
    /// The step would remove what the mapping was written to keep.
    fileprivate func checkNames(
        _ versions: KnownVersions, _ steps: [MigrationPlan.Step]
    ) throws(MigrationError) {
        guard !hasHashes, let sourceName, let destinationName,
            steps.contains(where: isPassedOver)
        else { return }
        let names = versions.versions.map(\.name)
        // One with other entities is of another model in the folder.
        guard let unknown = [sourceName, destinationName].first(where: { !names.contains($0) }),
            versions.versions.contains(where: {
                [sourceName, destinationName].contains($0.name) && fits($0)
            })
        else { return }
        throw MigrationError(
            .missingMappingModel,
            "\(name) leads from \(sourceName) to \(destinationName), and the model has no version "
                + unknown + (Nearest.hint(to: unknown, among: names).map { ": \($0)" } ?? ""),
            hint: "its versions are \(names.joined(separator: ", ")); correct the name, or remove "
                + "the file")
    }

    /// Why a plan does not use the mapping; nil where it does, and for one that says nothing of the
    /// plan's versions.
    fileprivate func reasonNotUsed(
        _ steps: [MigrationPlan.Step], _ versions: KnownVersions, from source: KnownVersion
    ) -> String? {
        let all = versions.versions
        let leadsSomewhere = all.contains { source in
            all.contains { $0.name != source.name && leads(from: source, to: $0) }
        }
        if leadsSomewhere {
            guard !hasHashes, let sourceName, let destinationName,
                steps.contains(where: isPassedOver)
            else { return nil }
            return "\(name) leads from \(sourceName) to \(destinationName), and is not used"
        }
        let reasons = mismatches(from: source, to: versions.current)
        return "\(name) is for other versions, and is not used: "
            + reasons.joined(separator: "; ")
    }
}
