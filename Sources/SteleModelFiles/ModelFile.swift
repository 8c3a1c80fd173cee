/// Reading models.

import struct FoundationEssentials.URL
import SteleModel

/// A data model as read from a `.xcdatamodeld`, a `.xcdatamodel`, a `contents` file, a compiled
/// `.momd` or `.mom`, a JSON file or a folder of JSON files: its versions, and which one is current.
public struct ModelFile: Sendable {
    /// The name of the model: that of the folder with its versions, or of its only version.
    public var name: String
    /// All versions that can be read, in the Finder's order: `M 2` before `M 10`.
    public var versions: [ManagedObjectModel]
    /// The name of the current version: the one in `.xccurrentversion` or `VersionInfo.plist`,
    /// otherwise the last.
    public var currentVersionName: String
    /// Notes on what was ignored: unknown attributes and elements, and old versions that cannot be
    /// read.
    public var notes: [ModelError]

    /// The current version.
    public var current: ManagedObjectModel
    /// The version hashes of the entities that `VersionInfo.plist` has, by the names of the
    /// versions. Core Data has computed them; other models have none.
    public var versionHashes: [String: [String: [UInt8]]] = [:]
    /// For a model that was read from a store: the names of the entities that the store has, which
    /// are all or those of a configuration. Nil for other models.
    public var storedEntityNames: Set<String>?
    /// The path that `read` was given, from the root; nil for a model that was not read from a model
    /// file. Mapping models are looked for beside it.
    public var path: String?
    /// The mapping models in the source of the program; empty for a model that was read from a file.
    public var embeddedMappings: [EmbeddedMapping] = []

    /// Creates a model with a single version.
    public init(_ model: ManagedObjectModel, notes: [ModelError] = []) {
        name = model.name
        versions = [model]
        currentVersionName = model.name
        current = model
        self.notes = notes
    }

    init?(
        name: String, versions: [ManagedObjectModel], current version: String,
        notes: [ModelError]
    ) {
        guard let current = versions.first(where: { $0.name == version }) else { return nil }
        // The path of a folder may be `.`.
        self.name = name.isEmpty || name.hasPrefix(".") ? version : name
        self.versions = versions
        self.current = current
        self.notes = notes
        currentVersionName = version
    }

    /// Reads a model.
    ///
    /// A folder contains versions, as `.xcdatamodel` folders, `.mom` or `.json` files, or it is a
    /// version and contains a `contents` file. A file is a compiled model if it is a binary
    /// property list, JSON if its first character is `{`, otherwise XML.
    ///
    /// - Throws: `ModelErrors` if the path does not exist, contains no model, or the current
    ///   version cannot be read.
    public static func read(_ path: String) throws(ModelErrors) -> ModelFile {
        let place = ModelPath(path)
        var file: ModelFile
        switch place.kind {
        case .missing:
            throw ModelErrors(path, "there is no such file or folder")
        case .file: file = try readFile(place)
        case .folder: file = try readFolder(place)
        }
        file.path = URL(filePath: path).path
        return file
    }

    /// The current version, checked and linked.
    ///
    /// - Throws: `ModelErrors` with every error in it.
    public func model() throws(ModelErrors) -> Model { try Model(current) }

    /// All versions that are valid, checked and linked, in their order. The current one is the
    /// model of the name `currentVersionName`.
    ///
    /// - Returns: the models, and a note on each older version that is left out.
    /// - Throws: `ModelErrors` with every error in the current version.
    public func models() throws(ModelErrors) -> (models: [Model], notes: [ModelError]) {
        var models: [Model] = []
        var notes: [ModelError] = []
        for version in versions {
            do {
                models.append(try Model(version))
            } catch  where version.name != currentVersionName {
                notes.append(
                    ModelError(version.name, "this version is ignored: \(error.description)"))
            }
        }
        return (models, notes)
    }
}

extension ModelFile {
    /// A readable summary, which `stele model` prints.
    package var summary: String {
        ModelSummary.text(current, of: name, versions: versions.map(\.name), notes: notes)
    }
}
