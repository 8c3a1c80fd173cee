import FoundationEssentials
import Glibc
import SteleModel
import SteleSystem

/// The path of a file or folder of a model.
package struct ModelPath {
    /// The path, without a slash at its end.
    package let path: String

    /// What is at a path.
    package enum Kind {
        case missing, file, folder
    }

    /// A path.
    package init(_ path: String) {
        var path = path[...]
        while path.count > 1, path.hasSuffix("/") { path = path.dropLast() }
        self.path = String(path)
    }

    /// What is at the path.
    package var kind: Kind {
        var isFolder = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            return .missing
        }
        return isFolder ? .folder : .file
    }

    /// The last component of the path.
    package var lastPart: String { Self.lastPart(path) }

    /// The name of the parent folder; empty if there is none.
    package var folderName: String {
        Self.lastPart(String(path.dropLast(lastPart.count + 1)))
    }

    private static func lastPart(_ path: String) -> String {
        path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
    }

    /// The path of a file in this folder.
    package func appending(_ part: String) -> ModelPath { ModelPath(path + "/" + part) }

    /// The names in the folder, in the Finder's order.
    package func names() throws(ModelErrors) -> [String] {
        do {
            let names = try FileManager.default.contentsOfDirectory(atPath: path)
            return names.sorted(by: FinderOrder.precedes)
        } catch {
            throw ModelErrors(path, "the folder cannot be read", hint: "check its permissions")
        }
    }

    /// The greatest size of a file, in bytes.
    private static let byteLimit = 64 << 20

    /// The contents of the file.
    /// - Throws: `ModelErrors` for what is no file, cannot be read, or has more than 64 MiB.
    package func bytes() throws(ModelErrors) -> [UInt8] {
        // Foundation mishandles its buffer if the file is empty.
        let unreadable = ModelErrors(path, "the file cannot be read", hint: "check its permissions")
        if let other = FileKind.otherThanFile(path) {
            throw ModelErrors(path, "it is \(other), and a model is read from files")
        }
        guard let file = fopen(path, "rb") else { throw unreadable }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = fread(&piece, 1, piece.count, file)
            bytes += piece.prefix(count)
            guard bytes.count <= Self.byteLimit else {
                throw ModelErrors(path, "the file has more than \(Self.byteLimit >> 20) MiB")
            }
            if count < piece.count { break }
        }
        guard ferror(file) == 0 else { throw unreadable }
        return bytes
    }

    /// A file name without the extension of a model.
    package static func name(_ fileName: String) -> String {
        for ending in [".xcdatamodeld", ".xcdatamodel", ".json", ".momd", ".mom"]
        where fileName.hasSuffix(ending) {
            return String(fileName.dropLast(ending.count))
        }
        return fileName
    }
}
