/// Mapping models in files.

import SteleModel
import SteleModelFiles
import StelePredicates

/// A mapping model as a file has it, with what the file says about the versions that it is for.
///
/// `mappingModel(from:to:)` gives the mapping model for two models.
public struct MappingFile: Sendable, Hashable {
    /// The path of the file, for messages.
    public var path: String
    /// The name of the source version, such as `Moody 4`; nil if the file does not say.
    public var sourceVersion: String?
    /// The name of the destination version; nil if the file does not say.
    public var destinationVersion: String?
    /// Notes on what was ignored: attributes of an `xcmapping.xml` that are not known.
    public var notes: [ModelError] = []
    /// The copies of the two models in an `xcmapping.xml`; nil if there are none.
    var sourceShape: ModelShape?
    var destinationShape: ModelShape?
    /// The mappings as the file has them.
    var mappings: MappingModel
    /// The properties whose values the file leaves to be generated from the models, by the name of
    /// their mapping: each is that of the source's property of the same name, if there is one.
    var generated: [String: Set<String>] = [:]
    /// Whether entities and properties that the file does not name are carried over by name.
    var isPartial = false

    init(path: String, mappings: MappingModel) {
        self.path = path
        self.mappings = mappings
    }

    /// Reads a mapping model: an `.xcmappingmodel` folder or its `xcmapping.xml`, a compiled
    /// `.cdm`, or a mapping file in JSON.
    ///
    /// - Throws: `ModelErrors` with every error if the path has no file that can be read.
    public static func read(_ path: String) throws(ModelErrors) -> MappingFile {
        var place = ModelPath(path)
        if place.kind == .folder { place = place.appending("xcmapping.xml") }
        guard place.kind == .file else {
            throw ModelErrors(
                path, "there is no mapping model",
                hint: "give an .xcmappingmodel, a .cdm or a .mapping.json")
        }
        return try MappingFile(place.bytes(), path: place.path)
    }

    /// Reads the bytes of a file. What they begin with tells its form.
    ///
    /// - Throws: `ModelErrors` with every error in it.
    public init(_ bytes: [UInt8], path: String) throws(ModelErrors) {
        do throws(ModelErrors) {
            let first = bytes.first { $0 > UInt8(ascii: " ") }
            if bytes.starts(with: "bplist".utf8) {
                self = try CompiledMappingReader.read(bytes, path)
            } else if first == UInt8(ascii: "<") {
                self = try XMLMappingReader.read(bytes, path)
            } else if first == UInt8(ascii: "{") || path.lowercased().hasSuffix(".json") {
                self = try JSONMappingReader.read(bytes, path)
            } else {
                throw ModelErrors(
                    path,
                    "it is no mapping model: a compiled one is a binary property list, and others "
                        + "are XML or JSON")
            }
        } catch {
            var errors = error.ofMapping(path)
            // A list has the file in its first line.
            if errors.errors.count == 1, !errors.description.contains(path) {
                let place = errors.errors[0].place
                errors.errors[0].place = place.isEmpty ? path : "\(path): \(place)"
            }
            throw errors
        }
    }
}

extension ModelErrors {
    /// The same errors as those of a mapping model.
    func ofMapping(_ path: String) -> ModelErrors {
        var errors = self
        errors.subject = "the mapping model \(path)"
        return errors
    }
}
