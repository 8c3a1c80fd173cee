/// Mapping models that were read, and the versions that they lead from and to.

import SteleModel

/// A mapping model with its name and the versions that it is for.
public struct KnownMapping: Sendable {
    /// The name of the mapping model, such as the path of its file.
    public let name: String
    /// The name of the source version; nil if the file does not say it.
    public let sourceName: String?
    /// The name of the destination version; nil if the file does not say it.
    public let destinationName: String?
    /// Whether it was named by the user, and is taken before those that were found.
    package var isGiven = false
    /// The names of the versions that it is for by what it knows of their entities; nil where that
    /// is not known.
    var sources: Set<String>?
    var destinations: Set<String>?
    /// The copies of both models in its file.
    private(set) var sourceShape: ModelShape?
    private(set) var destinationShape: ModelShape?
    let mappingModel: MappingModel
    private let completion: (@Sendable (Model, Model) throws(ModelErrors) -> MappingModel)?

    /// Creates a mapping model with a name.
    ///
    /// - Parameters:
    ///   - name: the name of the mapping model, such as the path of its file.
    ///   - mappingModel: the mapping model as its file has it.
    ///   - source: the source version's name, or a path that ends with it, such as
    ///     `Shop.xcdatamodeld/Shop 2.xcdatamodel`.
    ///   - destination: the same of the destination version.
    ///   - completion: completes and checks the mapping model for two models; nil leaves it as it
    ///     is.
    public init(
        name: String, _ mappingModel: MappingModel, source: String? = nil,
        destination: String? = nil,
        completion: (@Sendable (Model, Model) throws(ModelErrors) -> MappingModel)? = nil
    ) {
        self.name = name
        self.mappingModel = mappingModel
        self.completion = completion
        sourceName = source.map(Self.versionName)
        destinationName = destination.map(Self.versionName)
    }

    /// Creates a mapping model from a file.
    public init(_ file: MappingFile) {
        self.init(
            name: file.path, file.mappings, source: file.sourceVersion,
            destination: file.destinationVersion
        ) { (source, destination) throws(ModelErrors) in
            try file.mappingModel(from: source, to: destination)
        }
        sourceShape = file.sourceShape
        destinationShape = file.destinationShape
    }

    /// Whether two versions have the entities that the mapping model maps.
    func hasEntities(_ way: (from: KnownVersion, to: KnownVersion)) -> Bool {
        mappingModel.entityMappings.allSatisfy { mapping in
            [(mapping.sourceEntityName, way.from), (mapping.destinationEntityName, way.to)]
                .allSatisfy { name, version in name.map(version.hasStored) ?? true }
        }
    }

    /// Whether the mapping model leads from one version to another.
    public func leads(from source: KnownVersion, to destination: KnownVersion) -> Bool {
        guard mismatches(from: source, to: destination).isEmpty else { return false }
        // The file may be for another version that is gone.
        let isGuess = sources == nil && (sourceName.map { mayName(source, $0) } ?? false)
        return !isGuess || (try? mappingModel(from: source, to: destination)) != nil
    }

    /// Whether what the file knows of the entities of its source is that of a version.
    func isIdentified(as source: KnownVersion) -> Bool {
        if sources?.contains(source.name) == true { return true }
        let hashed = mappingModel.entityMappings.filter {
            $0.sourceEntityName != nil && $0.sourceEntityVersionHash != nil
        }
        return !hashed.isEmpty
            && hashed.allSatisfy { mapping in
                guard let name = mapping.sourceEntityName,
                    let hash = mapping.sourceEntityVersionHash
                else { return false }
                return source.hasHash(hash, of: name)
            }
    }

    /// Whether a name in the file may be that of the store's own model.
    private func mayName(_ version: KnownVersion, _ name: String) -> Bool {
        sourceShape == nil && version.mayBe(named: name)
    }

    /// Why the mapping model does not lead from one version to another; empty if it does.
    ///
    /// What it knows of the entities decides: their version hashes, or the copies of the models in a
    /// file of Xcode. If that fits no version, the names of the versions decide, and where a compiled
    /// mapping model has Core Data's hashes and the versions have not, the entities and properties. A
    /// file with none of them leads between all versions that have its entities.
    public func mismatches(
        from source: KnownVersion, to destination: KnownVersion
    ) -> [String] {
        let entities = mappingModel.entityMappings.flatMap { mapping in
            [
                (mapping.sourceEntityName, mapping.sourceEntityVersionHash, source, "source"),
                (
                    mapping.destinationEntityName, mapping.destinationEntityVersionHash,
                    destination, "destination"
                ),
            ]
        }
        let elsewhere = entities.compactMap { name, _, version, _ in
            name.flatMap {
                version.model.entity(named: $0) == nil || version.hasStored($0)
                    ? nil : "the store does not have the entity \($0), which it maps"
            }
        }
        if !elsewhere.isEmpty { return elsewhere }
        let hashed = entities.filter { $0.0 != nil && $0.1 != nil }
        let differing = hashed.filter { name, hash, version, _ in
            guard let name, let hash else { return true }
            return !version.hasHash(hash, of: name)
        }
        if !hashed.isEmpty, differing.isEmpty { return [] }
        let sides = [
            (sources, sourceName, source, "source"),
            (destinations, destinationName, destination, "destination"),
        ]
        if sides.contains(where: { $0.0 != nil || $0.1 != nil }) {
            return sides.compactMap { identified, named, version, side in
                if identified == nil, let named, mayName(version, named) { return nil }
                guard let names = identified ?? named.map({ [$0] }), !names.contains(version.name)
                else { return nil }
                return "its \(side) is the version \(names.sorted().joined(separator: " or ")), "
                    + "not \(version.name)"
            }
        }
        // Core Data's hashes, of which those of the one version or of both are not known.
        let isUnknown = hashed.allSatisfy { name, hash, version, _ in
            let isDifferent = differing.contains { $0.0 == name && $0.1 == hash }
            return isDifferent == (version.publishedHashes == nil)
        }
        let missing = entities.contains { name, _, version, _ in
            name.map { version.model.entity(named: $0) == nil } ?? false
        }
        if isUnknown, !missing, !hashed.isEmpty {
            return misfits(from: source, to: destination)
        }
        return (hashed.isEmpty ? entities : differing).compactMap { name, _, version, side in
            guard let name else { return nil }
            if version.model.entity(named: name) == nil {
                return "\(version.name) has no entity \(name), which it maps"
            }
            return hashed.isEmpty
                ? nil : "its \(side) entity \(name) is not that of \(version.name)"
        }
    }

    /// The mapping model for two versions, completed and checked.
    ///
    /// - Throws: `MigrationError.Code.missingMappingModel` (134140) with every reason why it does
    ///   not fit them.
    func mappingModel(
        from source: KnownVersion, to destination: KnownVersion
    ) throws(MigrationError) -> MappingModel {
        guard let completion else { return mappingModel }
        do {
            return try completion(source.model, destination.model)
        } catch {
            throw MigrationError(
                .missingMappingModel,
                "the mapping model \(name) does not fit \(source.name) and \(destination.name)",
                reasons: error.errors.map(\.description))
        }
    }

    /// The last part of a path without its extension.
    private static func versionName(_ path: String) -> String {
        let last = path.split(separator: "/").last.map(String.init) ?? path
        for ending in [".xcdatamodel", ".mom", ".json"] where last.hasSuffix(ending) {
            return String(last.dropLast(ending.count))
        }
        return last
    }
}
