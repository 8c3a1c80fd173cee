/// Writing a model as Xcode's source.

import FoundationEssentials
import SteleModel

extension ModelFile {
    /// Writes all versions as a new `.xcdatamodeld` folder, with the current version in
    /// `.xccurrentversion`. The folder has its name once it is complete.
    ///
    /// - Throws: `ModelErrors` where something is at the path, or it cannot be written.
    package func writeSource(to path: String) throws(ModelErrors) {
        try FolderWriter.write(to: path) { folder in
            for version in versions {
                let package = try folder.appending(
                    path: FolderWriter.part(version.name) + ".xcdatamodel")
                try FolderWriter.create(package)
                try Data(version.xml()).write(to: package.appending(path: "contents"))
            }
            let current = PropertyList.dictionary([
                .init(
                    key: CurrentVersion.key,
                    value: .string(currentVersionName + ".xcdatamodel"))
            ])
            try Data(current.xmlFile()).write(to: folder.appending(path: CurrentVersion.fileName))
        }
    }
}

/// Writes a folder, under another name until it is complete.
enum FolderWriter {
    /// Writes a folder.
    /// - Parameter endings: a folder is replaced if the names of all its files have one of these
    ///   endings; without any, nothing may be at the path.
    static func write(
        to path: String, replacing endings: [String] = [], _ fill: (URL) throws -> Void
    ) throws(ModelErrors) {
        let place = ModelPath(path)
        let kind = place.kind
        if kind != .missing {
            guard !endings.isEmpty, kind == .folder else {
                throw ModelErrors(place.path, "it exists already", hint: "give another --output")
            }
            let names = try place.names()
            guard names.allSatisfy({ name in endings.contains { name.hasSuffix($0) } }) else {
                throw ModelErrors(
                    place.path, "it has other files than a compiled model, and is not replaced",
                    hint: "give another --output")
            }
        }
        let mark = String(UInt64.random(in: 0 ... .max), radix: 36)
        let draft = URL(filePath: "\(place.path).\(mark)", directoryHint: .isDirectory)
        do {
            try create(draft)
            try fill(draft)
            try move(draft, to: place.path, replaces: kind != .missing)
        } catch let error as ModelErrors {
            try? FileManager.default.removeItem(at: draft)
            throw error
        } catch {
            try? FileManager.default.removeItem(at: draft)
            throw ModelErrors(
                place.path, "it cannot be written: \(error.localizedText)",
                hint: "check that its folder exists, and its permissions")
        }
    }

    private static func move(_ draft: URL, to path: String, replaces: Bool) throws {
        guard replaces else {
            return try FileManager.default.moveItem(atPath: draft.path, toPath: path)
        }
        let old = draft.path + ".old"
        try FileManager.default.moveItem(atPath: path, toPath: old)
        do { try FileManager.default.moveItem(atPath: draft.path, toPath: path) } catch {
            try? FileManager.default.moveItem(atPath: old, toPath: path)
            throw error
        }
        try FileManager.default.removeItem(atPath: old)
    }

    /// The name of a version as a part of a path.
    /// - Throws: `ModelErrors` for one that would lead elsewhere.
    static func part(_ name: String) throws(ModelErrors) -> String {
        guard !name.isEmpty, !name.utf8.contains(where: { $0 == 0 || $0 == UInt8(ascii: "/") })
        else {
            throw ModelErrors(
                name, "the name of the version cannot be the name of a file",
                hint: "give the model another name")
        }
        return name
    }

    static func create(_ folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    }
}

extension Error {
    /// The reason that an error of the file system gives.
    fileprivate var localizedText: String {
        (self as? CocoaError).flatMap { $0.userInfo["NSUnderlyingError"] }.map { "\($0)" }
            ?? "\(self)"
    }
}
