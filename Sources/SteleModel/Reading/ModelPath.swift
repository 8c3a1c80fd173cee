/// What lies at a path: files, folders and their names.

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A file or folder that a model is read from.
struct ModelPath {
    let path: String

    enum Kind {
        case missing, file, folder
    }

    init(_ path: String) {
        var path = path[...]
        while path.count > 1, path.hasSuffix("/") { path = path.dropLast() }
        self.path = String(path)
    }

    var kind: Kind {
        var isFolder = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            return .missing
        }
        return isFolder ? .folder : .file
    }

    /// The last part of the path.
    var lastPart: String { Self.lastPart(path) }

    /// The last part of the path above it; empty where there is none.
    var folderName: String {
        Self.lastPart(String(path.dropLast(lastPart.count + 1)))
    }

    private static func lastPart(_ path: String) -> String {
        path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
    }

    func appending(_ part: String) -> ModelPath { ModelPath(path + "/" + part) }

    /// The names in the folder, in the Finder's order.
    func names() throws(ModelError) -> [String] {
        do {
            let names = try FileManager.default.contentsOfDirectory(atPath: path)
            return names.sorted(by: FinderOrder.precedes)
        } catch {
            throw ModelError(path, "the folder cannot be read", hint: "check its permissions")
        }
    }

    func bytes() throws(ModelError) -> [UInt8] {
        // A folder is not even tried: Foundation would lose its buffer.
        guard kind == .file, let data = FileManager.default.contents(atPath: path) else {
            throw ModelError(path, "the file cannot be read", hint: "check its permissions")
        }
        return [UInt8](data)
    }

    /// A file's name without the endings that models have.
    static func name(_ fileName: String) -> String {
        for ending in [".xcdatamodeld", ".xcdatamodel", ".json"] where fileName.hasSuffix(ending) {
            return String(fileName.dropLast(ending.count))
        }
        return fileName
    }
}
