/// A model with all its versions, and the mapping models beside it.

import FoundationEssentials
import SteleMigration
import SteleModel
import StelePersistence

/// A model file as a command was given it.
struct ModelPackage {
    /// The path of the model.
    let path: String
    /// The current version, which can be served.
    let model: Model
    private let file: ModelFile

    /// The model's name, which all its versions share.
    var name: String { file.name }

    /// Reads a model, and checks that its current version can be served.
    init(_ path: String) throws {
        self.path = path
        do {
            file = try ModelFile.read(path)
            model = try file.model()
            try model.checkRequests()
        } catch {
            let text = error.description
            throw Failure(text.contains(path) ? text : "\(path): \(text)")
        }
        if let refusal = model.refusal { throw Failure(refusal) }
    }

    /// The versions that can be read, with their version hashes.
    func versions() throws -> KnownVersions {
        let versions = try file.models().models.map { model in
            KnownVersion(
                model: model,
                hashes: Dictionary(
                    model.entities.map { ($0.name, [UInt8](VersionHash.of($0, in: model))) },
                    uniquingKeysWith: { first, _ in first }))
        }
        guard let known = KnownVersions(versions, current: model.name) else {
            throw Failure("\(path): the current version \(model.name) is not among its versions")
        }
        return known
    }

    /// The mapping models in the model's folder.
    func mappings() throws -> [KnownMapping] {
        var folder = path
        while folder.hasSuffix("/") { folder.removeLast() }
        folder = folder.lastIndex(of: "/").map { String(folder[..<$0]) } ?? "."
        let names: [String]
        do { names = try FileManager.default.contentsOfDirectory(atPath: folder) } catch {
            throw Failure("\(folder) cannot be listed, and may have mapping models")
        }
        let endings = [".xcmappingmodel", ".cdm", ".mapping.json"]
        return try names.sorted().filter { name in endings.contains { name.hasSuffix($0) } }
            .map { KnownMapping(try MappingFile.read("\(folder)/\($0)")) }
    }
}
