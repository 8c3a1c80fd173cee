/// A data model on disk: one version or several, and which of them is the current one.

/// What is read from a `.xcdatamodeld`, a `.xcdatamodel`, a `contents` file or a JSON model.
public struct ModelFile: Sendable {
    /// All versions that can be read, by name as the Finder sorts them: `M 2` before `M 10`.
    public var versions: [ManagedObjectModel]
    /// The current version's name: `.xccurrentversion` says it; where it does not, the last one.
    public var currentVersionName: String
    /// What was met and has no effect: attributes and elements that are not known, old versions
    /// that cannot be read.
    public var notes: [ModelError]

    /// The current version.
    public var current: ManagedObjectModel

    /// A model of one version.
    public init(_ model: ManagedObjectModel, notes: [ModelError] = []) {
        versions = [model]
        currentVersionName = model.name
        current = model
        self.notes = notes
    }

    init?(versions: [ManagedObjectModel], current name: String, notes: [ModelError]) {
        guard let current = versions.first(where: { $0.name == name }) else { return nil }
        self.versions = versions
        self.current = current
        self.notes = notes
        currentVersionName = name
    }

    /// Reads a model.
    ///
    /// A folder is taken for what it holds: `.xcdatamodel` folders, or a `contents` file. A file
    /// is JSON where its first character is `{`, and XML otherwise.
    ///
    /// - Throws: `ModelErrors` where there is nothing at the path, it holds no model, or the
    ///   current version cannot be read.
    public static func read(_ path: String) throws(ModelErrors) -> ModelFile {
        let place = ModelPath(path)
        switch place.kind {
        case .missing:
            throw ModelErrors([ModelError(path, "there is no such file or folder")])
        case .file: return try readFile(place)
        case .folder: return try readFolder(place)
        }
    }

    /// The current version, checked and linked.
    ///
    /// - Throws: `ModelErrors` with every mistake in it.
    public func model() throws(ModelErrors) -> Model { try Model(current) }
}
