/// Staged migration: the steps are declared instead of found.

import SteleModel

/// A reference to a version of the model (NSManagedObjectModelReference), by name,
/// by checksum or by both.
public struct ModelReference: Sendable, Hashable, CustomStringConvertible {
    /// The version's name.
    public var name: String?
    /// The version's checksum (`versionChecksum`).
    public var checksum: String?

    /// Refers to a version by its name.
    public init(name: String) { self.name = name }

    /// Refers to a version by its checksum, and by its name if one is given.
    public init(checksum: String, name: String? = nil) {
        self.checksum = checksum
        self.name = name
    }

    /// The name or the checksum.
    public var description: String { name ?? checksum ?? "" }

    fileprivate func refers(to version: KnownVersion) -> Bool {
        (name ?? version.name) == version.name
            && (checksum == nil || checksum == version.checksum)
    }
}

/// A stage of a staged migration (NSMigrationStage).
public struct MigrationStage: Sendable, Hashable {
    /// The kind of a stage.
    public enum Kind: Sendable, Hashable {
        /// Versions that follow each other by inferred mappings (NSLightweightMigrationStage).
        case lightweight([ModelReference])
        /// One inferred mapping with code before and after it (NSCustomMigrationStage).
        case custom(current: ModelReference, next: ModelReference)
    }

    /// The stage's name, by which the code of a custom stage is found.
    public var label: String
    /// The kind of the stage.
    public var kind: Kind

    /// Creates a stage.
    public init(label: String, _ kind: Kind) {
        self.label = label
        self.kind = kind
    }
}

extension MigrationPlan {
    /// Makes the plan of a staged migration (NSStagedMigrationManager): from the place of the
    /// store's version among the stages to the current version. Stages between which a version
    /// changes are joined by an inferred step, and so is the last stage with the current version.
    ///
    /// - Parameter storeChecksum: the store's NSStoreModelVersionChecksumKey; nil if it has none.
    /// - Throws: `MigrationError`: 134505 for a store without a checksum, 134504 for a reference to
    ///   no known version or a store whose version is in no stage, 134506 for stages that lead back
    ///   or a store that is newer than the current version, 134190 where nothing can be inferred.
    public init(
        storeChecksum: String?, versions: KnownVersions, stages: [MigrationStage]
    ) throws(MigrationError) {
        guard let storeChecksum else {
            throw MigrationError(
                .stagedFrameworkVersionMismatch,
                "the store has no NSStoreModelVersionChecksumKey, which staged migration needs",
                hint: "migrate it once without stages")
        }
        var track = StageTrack(versions)
        for stage in stages { try track.append(stage) }
        let range = try track.range(from: storeChecksum)
        var steps: [Step] = []
        for place in range {
            let from = track.points[place]
            let to = track.points[place + 1]
            if from.stage == nil, from.version.hashes == to.version.hashes { continue }
            steps.append(
                Step(
                    source: from.version, destination: to.version,
                    mappingModel: try .inferred(from: from.version.model, to: to.version.model),
                    kind: from.stage.map { .customStage($0) } ?? .inferred))
        }
        self.init(
            from: track.points[range.lowerBound].version, to: versions.current, sameAsSource: [],
            steps: steps)
    }
}

/// The versions that stages lead through, in order.
private struct StageTrack {
    struct Point {
        var index: Int
        var version: KnownVersion
        /// The name of the custom stage that leads to the next point; nil for none.
        var stage: String?
    }

    private(set) var points: [Point] = []
    private let versions: KnownVersions

    init(_ versions: KnownVersions) { self.versions = versions }

    mutating func append(_ stage: MigrationStage) throws(MigrationError) {
        switch stage.kind {
        case .lightweight(let references):
            for reference in references { try append(reference, of: stage) }
        case .custom(let current, let next):
            try append(current, of: stage)
            points[points.count - 1].stage = stage.label
            try append(next, of: stage)
        }
    }

    private mutating func append(
        _ reference: ModelReference, of stage: MigrationStage
    ) throws(MigrationError) {
        let all = versions.versions
        guard let index = all.firstIndex(where: { reference.refers(to: $0) }) else {
            throw MigrationError(
                .modelReferenceNotFound,
                "the stage \(stage.label) refers to \(reference), which is no known version",
                hint: "the versions are \(all.map(\.name).joined(separator: ", "))")
        }
        if let last = points.last {
            guard index >= last.index else {
                throw MigrationError(
                    .stagedBackwardMigration,
                    "the stage \(stage.label) leads back from \(last.version.name) to "
                        + all[index].name)
            }
            if index == last.index, last.stage == nil { return }
        }
        points.append(Point(index: index, version: all[index]))
    }

    /// The places of the points that the steps begin with, from the store's version to the current
    /// one.
    mutating func range(from checksum: String) throws(MigrationError) -> Range<Int> {
        guard let begin = points.lastIndex(where: { $0.version.checksum == checksum }) else {
            let name = versions.versions.first { $0.checksum == checksum }?.name
            throw MigrationError(
                .modelReferenceNotFound,
                name.map { "no stage refers to \($0), which the store was made with" }
                    ?? "the store was made with a version that no stage refers to")
        }
        if let last = points.last, last.index < versions.currentIndex {
            points.append(Point(index: versions.currentIndex, version: versions.current))
        }
        guard let end = points.lastIndex(where: { $0.index == versions.currentIndex }), end >= begin
        else {
            throw MigrationError(
                .stagedBackwardMigration,
                "the store was made with \(points[begin].version.name), which is newer than the "
                    + "current version \(versions.current.name)")
        }
        return begin..<end
    }
}
