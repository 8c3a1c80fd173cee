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
                let package = folder.appending(path: version.name + ".xcdatamodel")
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

/// Writes a folder at a path where nothing is, under another name until it is complete.
enum FolderWriter {
    static func write(
        to path: String, _ fill: (URL) throws -> Void
    ) throws(ModelErrors) {
        let place = ModelPath(path)
        guard place.kind == .missing else {
            throw ModelErrors(place.path, "it exists already", hint: "give another --output")
        }
        let mark = String(UInt64.random(in: 0 ... .max), radix: 36)
        let draft = URL(filePath: "\(place.path).\(mark)", directoryHint: .isDirectory)
        do {
            try create(draft)
            try fill(draft)
            try FileManager.default.moveItem(atPath: draft.path, toPath: place.path)
        } catch {
            try? FileManager.default.removeItem(at: draft)
            throw ModelErrors(
                place.path, "it cannot be written: \(error.localizedText)",
                hint: "check that its folder exists, and its permissions")
        }
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
