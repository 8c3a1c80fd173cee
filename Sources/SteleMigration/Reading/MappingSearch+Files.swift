import SteleModel
import SteleModelFiles

extension MappingSearch {
    /// Reads the mapping models.
    /// - Throws: `ModelErrors` for a file of the model's folder or of the model that cannot be read,
    ///   and for a folder that cannot be listed.
    package func mappings() throws(ModelErrors) -> [MappingFile] {
        let files = try files()
        var found: [MappingFile] = []
        for path in files.own { found.append(try MappingFile.read(path)) }
        // A file in a folder beside the model may be something else.
        return found + files.neighbours.compactMap { try? MappingFile.read($0) }
    }
}
