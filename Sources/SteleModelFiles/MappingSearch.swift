import FoundationEssentials
import Glibc
import SteleModel

/// Finds the mapping models of a model: in the folder that it is in, in the folders directly below
/// that, and in the model itself if it is a folder.
package struct MappingSearch {
    /// The path of the model.
    private let path: String

    package init(model path: String) { self.path = path }

    private static let endings = [".xcmappingmodel", ".cdm", mappingFileEnding]
    private static let mappingFileEnding = ".mapping.json"
    /// The endings of folders that are one thing, whose contents are not for this model.
    private static let packages = [".xcdatamodeld", ".xcdatamodel", ".momd", ".xcmappingmodel"]

    /// Where it looks, for messages.
    package var description: String {
        let places = places
        return "\(places.beside), in the folders in it"
            + (places.own.map { ", and in \($0)" } ?? "")
    }

    /// The paths of the mapping models: those in the model's folder and in the model, and those in
    /// the folders beside it.
    /// - Throws: `ModelErrors` for a folder that cannot be listed.
    package func files() throws(ModelErrors) -> (own: [String], neighbours: [String]) {
        let (beside, own) = places
        guard FileManager.default.fileExists(atPath: beside) else { return ([], []) }
        var files = try Self.mappingFiles(in: beside, Self.names(in: beside))
        if let own { files += Self.mappingFiles(in: own, try Self.names(in: own)) }
        var neighbours: [String] = []
        for folder in Self.folders(in: beside, besides: own) {
            guard var names = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
                continue
            }
            // Mapping files among JSON models belong to these.
            if names.contains(where: { $0.hasSuffix(".json") && !Self.isMappingFile($0) }) {
                names.removeAll(where: Self.isMappingFile)
            }
            neighbours += Self.mappingFiles(in: folder, names)
        }
        return (files, neighbours)
    }

    /// The same files with their contents, for generated code.
    /// - Throws: `ModelErrors` for a file of the model's folder or of the model that cannot be read,
    ///   and for a folder that cannot be listed.
    package func embedded() throws(ModelErrors) -> [EmbeddedMapping] {
        func read(_ path: String) throws(ModelErrors) -> EmbeddedMapping {
            var place = ModelPath(path)
            if place.kind == .folder { place = place.appending("xcmapping.xml") }
            let name = path.split(separator: "/").last.map(String.init) ?? path
            return EmbeddedMapping(name, bytes: try place.bytes())
        }
        let files = try files()
        var found: [EmbeddedMapping] = []
        for path in files.own { found.append(try read(path)) }
        // A file in a folder beside the model may be something else.
        return found + files.neighbours.compactMap { try? read($0) }
    }

    /// The folder that the model is in, and the model itself if it is a folder.
    private var places: (beside: String, own: String?) {
        var own = path
        while own.count > 1, own.hasSuffix("/") { own.removeLast() }
        var isFolder = false
        let isThere = FileManager.default.fileExists(atPath: own, isDirectory: &isFolder)
        var beside = "."
        if [".", ".."].contains(own.split(separator: "/").last) {
            beside = own + "/.."
        } else if let slash = own.lastIndex(of: "/") {
            beside = slash == own.startIndex ? "/" : String(own[..<slash])
        }
        return (beside, isThere && isFolder ? own : nil)
    }

    /// The folders directly in a folder, in the order of their names. Hidden ones, links, models and
    /// the folder of this model are left out.
    private static func folders(in folder: String, besides own: String?) -> [String] {
        var model = stat()
        let isFolder = own.map { stat($0, &model) == 0 } ?? false
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.sorted().compactMap { name in
            let path = join(folder, name)
            var found = stat()
            guard !name.hasPrefix("."), !packages.contains(where: name.lowercased().hasSuffix),
                lstat(path, &found) == 0, found.st_mode & S_IFMT == S_IFDIR,
                !isFolder || (found.st_dev, found.st_ino) != (model.st_dev, model.st_ino)
            else { return nil }
            return path
        }
    }

    private static func names(in folder: String) throws(ModelErrors) -> [String] {
        do { return try FileManager.default.contentsOfDirectory(atPath: folder) } catch {
            throw ModelErrors(folder, "the folder cannot be listed, and may have mapping models")
        }
    }

    private static func mappingFiles(in folder: String, _ names: [String]) -> [String] {
        names.sorted()
            .filter { name in endings.contains(where: name.lowercased().hasSuffix) }
            .map { join(folder, $0) }
    }

    private static func isMappingFile(_ name: String) -> Bool {
        name.lowercased().hasSuffix(mappingFileEnding)
    }

    private static func join(_ folder: String, _ name: String) -> String {
        folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
    }
}
