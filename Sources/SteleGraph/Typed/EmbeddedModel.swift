import SteleModel
import SteleModelFiles

/// A model in the source of a program, as generated code has it.
public struct EmbeddedModel: Sendable {
    /// The model with all its versions.
    public let file: ModelFile
    /// The current version, checked and linked.
    public let model: Model

    /// Reads the model.
    /// - Parameters:
    ///   - name: the name that all versions share.
    ///   - currentVersion: the name of the current version.
    ///   - versions: the JSON form of each version, in their order.
    ///   - mappings: the mapping models between versions.
    /// - Precondition: all versions are valid, as those of generated code are.
    public init(
        name: String, currentVersion: String, versions: [String], mappings: [EmbeddedMapping] = []
    ) {
        do {
            var file = try ModelFile(name: name, currentVersion: currentVersion, json: versions)
            file.embeddedMappings = mappings
            self.file = file
            model = try file.model()
        } catch {
            preconditionFailure(
                "the model \(name) in the generated code cannot be read: generate it again: "
                    + error.description)
        }
    }
}
