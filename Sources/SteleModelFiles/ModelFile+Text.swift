/// Models in texts.

import FoundationEssentials
import SteleModel

extension ModelFile {
    /// Reads a model from the JSON form of its versions.
    /// - Parameters:
    ///   - name: the name that all versions share.
    ///   - currentVersion: the name of the current version.
    ///   - versions: the text of each version, with its name, in their order.
    /// - Throws: `ModelErrors` for a text that is no model, and for a current version that is not
    ///   among them.
    public init(
        name: String, currentVersion: String, json versions: [String]
    ) throws(ModelErrors) {
        var read: [ManagedObjectModel] = []
        for text in versions {
            read.append(try ManagedObjectModel(json: Array(text.utf8), name: name))
        }
        guard let file = ModelFile(name: name, versions: read, current: currentVersion, notes: [])
        else { throw ModelErrors(name, "it has no version \(currentVersion)") }
        self = file
    }
}

extension Model {
    /// Reads the current version of a model (`init(contentsOf:)`).
    /// - Parameter url: a file or folder of any form that `ModelFile.read` knows.
    /// - Throws: `ModelErrors` if there is no model, and with every error in it.
    public convenience init(contentsOf url: URL) throws(ModelErrors) {
        try self.init(contentsOfFile: url.path)
    }

    /// Reads the current version of a model.
    /// - Parameter path: a file or folder of any form that `ModelFile.read` knows.
    /// - Throws: `ModelErrors` if there is no model, and with every error in it.
    public convenience init(contentsOfFile path: String) throws(ModelErrors) {
        try self.init(try ModelFile.read(path).current)
    }
}
