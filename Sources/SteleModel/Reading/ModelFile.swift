/// A data model as read from a `.xcdatamodeld`, a `.xcdatamodel`, a `contents` file or a JSON file:
/// its versions, and which one is current.
public struct ModelFile: Sendable {
    /// All versions that can be read, in the Finder's order: `M 2` before `M 10`.
    public var versions: [ManagedObjectModel]
    /// The name of the current version: the one in `.xccurrentversion`, otherwise the last.
    public var currentVersionName: String
    /// Notes on what was ignored: unknown attributes and elements, and old versions that cannot be
    /// read.
    public var notes: [ModelError]

    /// The current version.
    public var current: ManagedObjectModel

    /// Creates a model with a single version.
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
    /// A folder contains `.xcdatamodel` folders or a `contents` file. A file is JSON if its first
    /// character is `{`, otherwise XML.
    ///
    /// - Throws: `ModelErrors` if the path does not exist, contains no model, or the current
    ///   version cannot be read.
    public static func read(_ path: String) throws(ModelErrors) -> ModelFile {
        let place = ModelPath(path)
        switch place.kind {
        case .missing:
            throw ModelErrors(path, "there is no such file or folder")
        case .file: return try readFile(place)
        case .folder: return try readFolder(place)
        }
    }

    /// The current version, checked and linked.
    ///
    /// - Throws: `ModelErrors` with every error in it.
    public func model() throws(ModelErrors) -> Model { try Model(current) }
}
