/// A model with all its versions, and the mapping models beside it.

import FoundationEssentials
import SteleMigration
import SteleModel
import SteleModelFiles
import StelePersistence

/// A model file as a command was given it.
struct ModelPackage {
    /// The path of the model.
    let path: String
    /// The current version, which can be served.
    let model: Model
    private let file: ModelFile
    /// The configuration that the versions are restricted to; nil for all entities.
    let configuration: String?

    /// The model's name, which all its versions share.
    var name: String { file.name }

    /// Notes on what the model has and Stele ignores.
    var notes: [ModelError] { file.notes }

    /// The version hashes that Core Data has computed, by the names of the versions; empty for a
    /// model without VersionInfo.plist.
    var versionHashes: [String: [String: [UInt8]]] { file.versionHashes }

    /// Reads a model.
    /// - Parameter isServed: whether to check that its current version can be served.
    init(_ path: String, isServed: Bool = true) throws {
        self.path = path
        configuration = nil
        file = try ModelFile.given(path)
        do {
            model = try file.model()
            if isServed { try model.checkRequests() }
        } catch {
            let text = error.description
            throw Failure(text.contains(path) ? text : "\(path): \(text)")
        }
        if isServed, let refusal = model.refusal { throw Failure(refusal) }
    }

    /// The model for a store of one configuration.
    /// - Throws: `Failure` where the model has no configuration of that name.
    func restricted(to configuration: String) throws -> ModelPackage {
        guard let own = model.restricted(to: configuration) else {
            throw Failure("the model has no configuration \(configuration)")
        }
        return ModelPackage(path: path, model: own, file: file, configuration: configuration)
    }

    private init(path: String, model: Model, file: ModelFile, configuration: String) {
        self.path = path
        self.model = model
        self.file = file
        self.configuration = configuration
    }

    /// The versions that can be read, with their version hashes.
    func versions() throws -> KnownVersions {
        func hashes(of model: Model, asWritten: Bool = false) -> [String: [UInt8]] {
            Dictionary(
                model.storedEntities.map {
                    ($0.name, [UInt8](VersionHash.of($0, in: model, asWritten: asWritten)))
                }, uniquingKeysWith: { first, _ in first })
        }
        let versions = try file.models().models.compactMap { whole -> KnownVersion? in
            // A version without the configuration has no store of it.
            guard let model = configuration.map({ whole.restricted(to: $0) }) ?? whole else {
                return nil
            }
            var version = KnownVersion(model: model, hashes: hashes(of: model))
            version.formerHashes = hashes(of: model, asWritten: true)
            return version
        }
        guard let known = KnownVersions(versions, current: model.name) else {
            throw Failure("\(path): the current version \(model.name) is not among its versions")
        }
        return known
    }

    /// The versions that are left out, each with the reason.
    func ignoredVersions() throws -> [String] {
        try (file.notes + file.models().notes).map(\.description)
    }
}
