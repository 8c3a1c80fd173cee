/// Writing a model as a compiled one.

import FoundationEssentials
import SteleModel

extension ModelFile {
    /// Writes all versions as a `.momd` folder: a `.mom` of each, and `VersionInfo.plist` with the
    /// current version and those version hashes that are known. The folder has its name once it is
    /// complete.
    ///
    /// - Parameter replaces: whether a `.momd` that is at the path is replaced.
    /// - Returns: notes on what is left out: older versions that are not valid, and version hashes
    ///   that are not known.
    /// - Throws: `ModelErrors` for a current version that is not valid, for what no archive can
    ///   have, where something else is at the path, and where it cannot be written.
    package func writeCompiled(
        to path: String, replaces: Bool = false
    ) throws(ModelErrors) -> [ModelError] {
        let (models, left) = try models()
        var archives: [(name: String, bytes: [UInt8])] = []
        for model in models {
            do { archives.append((model.name, try CompiledModelWriter.bytes(of: model))) } catch {
                guard models.count > 1 else { throw error }
                throw ModelErrors(error.errors.map { $0.within(model.name) })
            }
        }
        let known = versionHashes.filter { hashes in archives.contains { $0.name == hashes.key } }
        let info = VersionInfo(currentVersionName: currentVersionName, versionHashes: known)
        try FolderWriter.write(to: path, replacing: replaces ? Self.endings : []) { folder in
            for (name, bytes) in archives {
                let part = try FolderWriter.part(name)
                try Data(bytes).write(to: folder.appending(path: part + ".mom"))
            }
            try Data(info.bytes).write(to: folder.appending(path: VersionInfo.fileName))
        }
        let unknown = archives.map(\.name).filter { known[$0] == nil }
        if unknown.isEmpty { return left }
        return left + [
            ModelError(
                VersionInfo.fileName,
                "it has no version hashes of \(unknown.joined(separator: ", ")): only Core Data "
                    + "computes them",
                hint: "a store that Core Data made with that version has them: stele model momd "
                    + "STORE")
        ]
    }

    /// How the names of the files in a compiled model end.
    private static let endings = [".mom", ".omo", ".cdm", VersionInfo.fileName]
}
