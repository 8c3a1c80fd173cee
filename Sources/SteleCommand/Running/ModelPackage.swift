/// A model with all its versions, and the mapping models beside it.

import FoundationEssentials
import Stele
import SteleMigration
import SteleModel
import SteleModelFiles
import StelePersistence
import StelePredicates

/// A model file as a command was given it.
struct ModelPackage {
    /// The path of the model.
    let path: String
    /// The current version, which can be served.
    let model: Model
    private let file: ModelFile
    /// The paths of the mapping models that the user named, and of folders of them.
    let mappingPaths: [String]
    /// The entities that the versions have, or that a store of them has.
    private var entities = Entities.all

    /// The entities of a package's versions.
    private enum Entities {
        case all
        /// All, of which a store has those of a configuration.
        case stored(configuration: String)
        /// Those of a configuration alone.
        case configuration(String)
        /// Those with these names alone.
        case named(Set<String>)

        var configuration: String? {
            switch self {
            case .stored(let name), .configuration(let name): name
            case .all, .named: nil
            }
        }

        /// Returns an older version with these entities, whose relationships may lead to others; nil
        /// for one without the configuration.
        func anyVersion(_ whole: Model) -> Model? {
            if let version = try? version(whole) { return version }
            return configuration.flatMap { whole.restricted(to: $0) }
        }

        /// Returns a version with these entities; nil for one without the configuration.
        func version(_ whole: Model) throws(ModelErrors) -> Model? {
            switch self {
            case .all: whole
            case .stored(let configuration): whole.restricted(to: configuration)
            case .configuration(let name): try whole.part(of: name)
            case .named(let names): try whole.part(ofEntities: names)
            }
        }
    }

    /// The configuration of the store; nil for all entities.
    var configuration: String? { entities.configuration }

    /// The model's name, which all its versions share.
    var name: String { file.name }

    /// Notes on what the model has and Stele ignores.
    var notes: [ModelError] { file.notes + leftOut }
    /// The fetch requests of a store's own model that can never be evaluated.
    private var leftOut: [ModelError] = []

    /// The version hashes that Core Data has computed, by the names of the versions; empty for a
    /// model without VersionInfo.plist.
    var versionHashes: [String: [String: [UInt8]]] { file.versionHashes }

    /// Reads a model.
    /// - Parameters:
    ///   - isServed: whether to check that its current version can be served.
    ///   - mappings: the paths of mapping models for its stores, and of folders of them.
    init(_ path: String, isServed: Bool = true, mappings: [String] = []) throws {
        self.path = path
        mappingPaths = mappings
        for path in mappings { _ = try MappingSearch.files(named: path) }
        file = try ModelFile.given(path)
        do {
            let whole = try file.model()
            if isServed, file.storedEntityNames != nil {
                let (rest, mistakes) = try whole.withoutMistakenRequests()
                model = rest
                leftOut = mistakes.map {
                    ModelError(
                        $0.place, $0.message + ", and the request is left out", hint: $0.hint)
                }
            } else {
                if isServed { try whole.checkRequests() }
                model = whole
            }
        } catch {
            let text = error.description
            throw Failure(text.contains(path) ? text : "\(path): \(text)")
        }
        if isServed, let refusal = model.refusal { throw Failure(refusal) }
    }

    /// The model for a store of one configuration among several stores.
    /// - Throws: `Failure` where the model has no configuration of that name.
    func restricted(to configuration: String) throws -> ModelPackage {
        try with(.stored(configuration: configuration))
    }

    /// The model for a store of one configuration that is used alone.
    /// - Throws: `Failure` where the model has no configuration of that name, and where a
    ///   relationship leads out of it.
    func part(of configuration: String) throws -> ModelPackage {
        try with(.configuration(configuration))
    }

    /// The model for the store that it was read from, which may have one configuration alone.
    /// - Throws: `Failure` where a relationship leads to an entity that the store does not have.
    func ofItsStore() throws -> ModelPackage {
        guard let names = file.storedEntityNames else { return self }
        return try with(.named(names))
    }

    private func with(_ entities: Entities) throws -> ModelPackage {
        do throws(ModelErrors) {
            if let own = try entities.version(model) { return ModelPackage(self, own, entities) }
        } catch {
            throw Failure("\(path): \(error.description)")
        }
        throw Failure("the model has no configuration \(entities.configuration ?? "")")
    }

    /// The configuration that has these entities, by their names, and no others; nil for none, and
    /// for all entities.
    func configuration(ofEntities names: Set<String>) -> String? {
        let whole = model.whole
        if names.count == whole.entities.count { return nil }
        return whole.declaration.configurations.map(\.name).first {
            whole.restricted(to: $0)?.storedEntities.map(\.name).sorted() == names.sorted()
        }
    }

    private init(_ whole: ModelPackage, _ model: Model, _ entities: Entities) {
        path = whole.path
        mappingPaths = whole.mappingPaths
        file = whole.file
        self.model = model
        self.entities = entities
    }

    /// The versions that can be read, in their order, with the entities of any store.
    func modelVersions() throws -> [Model] { try file.models().models }

    /// The versions that can be read, with their version hashes.
    func versions() throws -> KnownVersions {
        let versions = try file.models().models.compactMap { whole -> KnownVersion? in
            // A version without the configuration has no store of it.
            guard let model = entities.anyVersion(whole) else { return nil }
            var version = KnownVersion(hashing: model)
            version.publishedHashes = file.versionHashes[model.name]
            return version
        }
        guard let known = KnownVersions(versions, current: model.name) else {
            throw Failure("\(path): the current version \(model.name) is not among its versions")
        }
        return known
    }

    /// The mapping models for its stores: those that the user named, and those that are found.
    func mappings() throws -> FoundMappings {
        var mappings = try mappingSearch.mappings()
        mappings.given = try mappingPaths.flatMap { try MappingSearch.mappings(named: $0) }
        mappings.removeRepeated()
        return mappings
    }

    /// The search for mapping models about the model.
    var mappingSearch: MappingSearch { MappingSearch(model: path) }

    /// The versions that are left out, each with the reason.
    func ignoredVersions() throws -> [String] {
        try (file.notes + file.models().notes).map(\.description)
    }
}
