import FoundationEssentials
import Glibc
import SteleModel

/// Finds the mapping models of a model: in the model itself if it is a folder, in the folder that it
/// is in, two folders deep below that, and as deep in the folders beside that.
///
/// The files come in a fixed order: those of the nearest folder first, each folder by its names.
package struct MappingSearch {
    /// A mapping model, by its path.
    package struct File: Sendable, Hashable {
        /// The path.
        package var path: String
        /// Whether it is a mapping model of this model or of one beside it. Another file may be
        /// something else, or of another project.
        package var isCertain: Bool
    }

    /// The path of the model.
    private let path: String

    package init(model path: String) { self.path = path }

    /// How many folders deep it looks.
    private static let depth = 2
    /// How many names in folders two deep below the model's, or beside it, it looks at. The search
    /// ends there.
    private static let maximumNames = 10_000

    private static let mappingFileEnding = ".mapping.json"
    /// The forms of Xcode, which say what models they are for.
    private static let xcodeEndings = [".xcmappingmodel", ".cdm"]
    /// The endings of folders that are one thing, whose contents are not for this model.
    private static let packages = [".xcdatamodeld", ".xcdatamodel", ".momd", ".xcmappingmodel"]

    /// Where it looks, for messages.
    package var description: String {
        let places = places
        let depth = Self.isShared(places.folder) ? "in the folders in it" : "two folders deep in it"
        return "\(places.folder), \(depth)"
            + (Self.parent(of: places.folder).map { " and in \($0)" } ?? "")
            + (places.own.map { ", and in \($0)" } ?? "")
    }

    /// The mapping models.
    /// - Throws: `ModelErrors` for the model's folder if it cannot be listed.
    package func files() throws(ModelErrors) -> [File] {
        let (folder, own) = places
        guard FileManager.default.fileExists(atPath: folder) else { return [] }
        let names = try Self.names(in: folder)
        var files = Self.mappingFiles(in: folder, names).map { File(path: $0, isCertain: true) }
        if let own {
            files += Self.mappingFiles(in: own, try Self.names(in: own)).map {
                File(path: $0, isCertain: true)
            }
        }
        var walk = Walk(left: Self.maximumNames, passed: [own, folder].compactMap { $0 })
        // What lies below the root or a user's own folder is of many projects.
        let depth = Self.isShared(folder) ? 1 : Self.depth
        for path in walk.files(below: [folder], depth: depth) {
            files.append(File(path: path, isCertain: !Self.isMappingFile(path)))
        }
        if let parent = Self.parent(of: folder) {
            // Mapping files without names of versions would fit models of any project.
            files += walk.files(in: parent, depth: Self.depth).filter { !Self.isMappingFile($0) }
                .map { File(path: $0, isCertain: false) }
        }
        return files
    }

    /// The mapping models that a path names: itself, or those in a folder and two folders deep in it.
    /// - Throws: `ModelErrors` for a path that has none.
    package static func files(named path: String) throws(ModelErrors) -> [String] {
        let place = ModelPath(path)
        if place.kind == .file
            || place.kind == .folder && place.appending("xcmapping.xml").kind == .file
        {
            return [path]
        }
        guard place.kind == .folder else {
            throw ModelErrors(path, "there is no such file or folder")
        }
        var walk = Walk(left: maximumNames, passed: [])
        let files = walk.files(in: path, depth: depth)
        if files.isEmpty {
            throw ModelErrors(
                path, "there is no mapping model in it",
                hint: "give an .xcmappingmodel, a .cdm or a .mapping.json, or a folder of them")
        }
        return files
    }

    /// The same files with their contents, for generated code.
    /// - Throws: `ModelErrors` for a file of the model that cannot be read, and for a folder that
    ///   cannot be listed.
    package func embedded() throws(ModelErrors) -> [EmbeddedMapping] {
        func read(_ path: String) throws(ModelErrors) -> EmbeddedMapping {
            var place = ModelPath(path)
            if place.kind == .folder { place = place.appending("xcmapping.xml") }
            let name = path.split(separator: "/").last.map(String.init) ?? path
            return EmbeddedMapping(name, bytes: try place.bytes())
        }
        var found: [EmbeddedMapping] = []
        for file in try files() {
            if file.isCertain {
                found.append(try read(file.path))
            } else if let mapping = try? read(file.path) {
                found.append(mapping)
            }
        }
        return found
    }

    // MARK: Places

    /// The folder that the model is in, and the model itself if it is a folder.
    private var places: (folder: String, own: String?) {
        var own = path
        while own.count > 1, own.hasSuffix("/") { own.removeLast() }
        var isFolder = false
        let isThere = FileManager.default.fileExists(atPath: own, isDirectory: &isFolder)
        return (Self.folder(of: own), isThere && isFolder ? own : nil)
    }

    /// The folder that a path is in.
    private static func folder(of path: String) -> String {
        if [".", ".."].contains(path.split(separator: "/").last) { return path + "/.." }
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// The folder whose folders are beside a folder; nil where they are of other projects: in the
    /// root, in a user's own folder, and where every user can make some.
    private static func parent(of folder: String) -> String? {
        if isShared(folder) { return nil }
        let parent = folder == "." ? ".." : self.folder(of: folder)
        return isShared(parent) ? nil : parent
    }

    private static func isShared(_ folder: String) -> Bool {
        let home = getenv("HOME").map { String(cString: $0) }
        var found = stat()
        guard stat(folder, &found) == 0 else { return true }
        let places = ["/"] + [home].compactMap { $0 }
        return found.st_mode & S_ISVTX != 0 || places.contains { Identity($0) == Identity(found) }
    }

    /// What tells a folder from others, whatever path leads to it.
    private struct Identity: Hashable {
        var device: dev_t
        var number: ino_t

        init(_ found: stat) { (device, number) = (found.st_dev, found.st_ino) }

        init?(_ path: String) {
            var found = stat()
            guard stat(path, &found) == 0 else { return nil }
            self.init(found)
        }
    }

    /// A search through folders that looks at a bounded number of names.
    private struct Walk {
        private var left: Int
        /// The folders that have been looked through.
        private var passed: Set<Identity>

        init(left: Int, passed: [String]) {
            self.left = left
            self.passed = Set(passed.compactMap { Identity($0) })
        }

        /// The mapping models in a folder and in the folders below it.
        mutating func files(in folder: String, depth: Int) -> [String] {
            let own = mappingFiles(in: folder, listed(folder, isLimited: true))
            return own + files(below: [folder], depth: depth)
        }

        /// The mapping models in the folders below some, the nearest first.
        mutating func files(below folders: [String], depth: Int) -> [String] {
            var files: [String] = []
            var level = folders
            for number in 0..<depth {
                // The folders directly in the model's are of its project.
                level = level.flatMap { self.folders(in: $0, isLimited: number > 0) }
                for folder in level {
                    var names = listed(folder, isLimited: number > 0)
                    // Mapping files among JSON models belong to these.
                    if names.contains(where: { $0.hasSuffix(".json") && !isMappingFile($0) }) {
                        names.removeAll(where: isMappingFile)
                    }
                    files += mappingFiles(in: folder, names)
                }
            }
            return files
        }

        /// The folders directly in a folder that have not been looked through. Hidden ones, links,
        /// and models are left out.
        private mutating func folders(in folder: String, isLimited: Bool) -> [String] {
            var folders: [String] = []
            for name in listed(folder, isLimited: isLimited) {
                let path = join(folder, name)
                var found = stat()
                guard !name.hasPrefix("."), !packages.contains(where: name.lowercased().hasSuffix),
                    lstat(path, &found) == 0, found.st_mode & S_IFMT == S_IFDIR,
                    passed.insert(Identity(found)).inserted
                else { continue }
                folders.append(path)
            }
            return folders
        }

        /// The names in a folder in their order; none where that would be too many in all.
        private mutating func listed(_ folder: String, isLimited: Bool) -> [String] {
            guard !isLimited || left > 0, let directory = opendir(folder) else { return [] }
            defer { closedir(directory) }
            var names: [String] = []
            while let entry = readdir(directory) {
                if isLimited { left -= 1 }
                if isLimited, left == 0 { return [] }
                names.append(
                    withUnsafePointer(to: &entry.pointee.d_name) { name in
                        name.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) {
                            String(cString: $0)
                        }
                    })
            }
            return names.sorted()
        }
    }

    // MARK: Names

    private static func names(in folder: String) throws(ModelErrors) -> [String] {
        do { return try FileManager.default.contentsOfDirectory(atPath: folder) } catch {
            throw ModelErrors(folder, "the folder cannot be listed, and may have mapping models")
        }
    }

    private static func mappingFiles(in folder: String, _ names: [String]) -> [String] {
        names.sorted()
            .filter { name in
                (xcodeEndings + [mappingFileEnding]).contains(where: name.lowercased().hasSuffix)
            }
            .map { join(folder, $0) }
    }

    private static func isMappingFile(_ name: String) -> Bool {
        name.lowercased().hasSuffix(mappingFileEnding)
    }

    private static func join(_ folder: String, _ name: String) -> String {
        folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
    }
}
