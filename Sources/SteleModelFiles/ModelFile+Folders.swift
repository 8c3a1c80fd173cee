/// Reads the files and folders of a model.

import SteleModel

extension ModelFile {
    /// Reads a `contents` file, a compiled or a JSON model.
    static func readFile(_ path: ModelPath) throws(ModelErrors) -> ModelFile {
        let bytes = try path.bytes()
        guard !bytes.isEmpty else {
            throw ModelErrors(
                path.path, "the file is empty",
                hint: "give a model; a store that is still empty needs its model, and is given by "
                    + "--store")
        }
        try refuseOther(path, bytes)
        let first = bytes.first { !Self.blanks.contains($0) }
        if bytes.starts(with: "bplist".utf8) || path.path.hasSuffix(".mom") {
            let name = ModelPath.name(path.lastPart)
            let read = try CompiledModelReader.read(bytes, name: name, place: path.path)
            return ModelFile(read.0, notes: read.notes)
        }
        if first == UInt8(ascii: "{") || path.path.hasSuffix(".json") {
            let name = ModelPath.name(path.lastPart)
            return ModelFile(try ManagedObjectModel(json: bytes, name: name))
        }
        guard first.map({ [0x3C, 0xFE, 0xFF].contains($0) }) ?? true else {
            throw ModelErrors(
                path.path,
                "it is not a model: a .xcdatamodeld, .xcdatamodel, contents, .momd, .mom or JSON is "
                    + "expected")
        }
        let isInPackage = path.lastPart == "contents" && !path.folderName.isEmpty
        let name = ModelPath.name(isInPackage ? path.folderName : path.lastPart)
        let (model, notes) = try ContentsReader.read(bytes, name: name, place: path.path)
        return ModelFile(model, notes: notes)
    }

    private static let blanks: [UInt8] = [0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF]

    /// Reads a `.xcdatamodeld`, `.xcdatamodel` or `.momd` folder or one of JSON models, told apart
    /// by its contents.
    static func readFolder(_ path: ModelPath) throws(ModelErrors) -> ModelFile {
        let names = try path.names()
        let versions = names.filter { $0.hasSuffix(".xcdatamodel") }
        if !versions.isEmpty {
            let hasChoice = names.contains(CurrentVersion.fileName)
            return try readVersions(versions, in: path, hasChoice: hasChoice)
        }
        let isVersion = names.contains("contents")
        let compiled = names.filter { $0.hasSuffix(".mom") }
        if !isVersion, !compiled.isEmpty { return try readCompiled(compiled, in: path, names) }
        // Mapping files between the versions may lie beside them.
        let texts = names.filter {
            $0.hasSuffix(".json") && !$0.lowercased().hasSuffix(".mapping.json")
        }
        if !isVersion, !texts.isEmpty {
            let hasChoice = names.contains(CurrentVersion.fileName)
            return try readVersions(texts, in: path, hasChoice: hasChoice)
        }
        guard isVersion else {
            throw withoutContents(path, names)
        }
        let (model, notes) = try readVersion(path)
        return ModelFile(model, notes: notes)
    }

    /// What to do with a model in the form of Xcode 3.
    static let elementsHint =
        "open it in Xcode 4 or later and save it, which writes a contents file, or give the .mom in "
        + "the app's bundle"

    private static func withoutContents(_ path: ModelPath, _ names: [String]) -> ModelErrors {
        if names.contains("elements") {
            return ModelErrors(
                path.path, "it is in the binary form of Xcode 3 (elements), which cannot be read",
                hint: elementsHint)
        }
        if names.contains(where: { $0.hasSuffix(".omo") }) {
            return ModelErrors(
                path.path,
                "it contains compiled models only in the optimized form (.omo), which "
                    + "cannot be read",
                hint: "give the .mom files, or the .xcdatamodeld that they were made from")
        }
        return ModelErrors(
            path.path,
            "the folder contains no model: neither .xcdatamodel folders nor a contents, .mom "
                + "or JSON file"
        )
    }

    private static func readVersion(
        _ path: ModelPath
    ) throws(ModelErrors) -> (ManagedObjectModel, notes: [ModelError]) {
        let name = ModelPath.name(path.lastPart)
        if path.path.hasSuffix(".mom") {
            return try CompiledModelReader.read(path.bytes(), name: name, place: path.path)
        }
        if path.path.hasSuffix(".json") {
            var model = try ManagedObjectModel(json: path.bytes(), name: name)
            // Versions are told apart by their files, whatever name they contain.
            model.name = name
            return (model, [])
        }
        let contents = path.appending("contents")
        guard path.kind == .folder, contents.kind == .file else {
            let names = path.kind == .folder ? (try? path.names()) ?? [] : ["elements"]
            throw withoutContents(path, names)
        }
        let bytes = try contents.bytes()
        return try ContentsReader.read(bytes, name: name, place: contents.path)
    }

    private static func readVersions(
        _ fileNames: [String], in folder: ModelPath, hasChoice: Bool
    ) throws(ModelErrors) -> ModelFile {
        var chosen: String?
        if hasChoice {
            let file = folder.appending(CurrentVersion.fileName)
            chosen = try CurrentVersion.name(in: file.bytes(), place: file.path).map {
                ModelPath.name($0)
            }
        }
        return try readVersions(
            fileNames, in: folder, chosen: chosen, by: CurrentVersion.fileName)
    }

    /// Reads a `.momd` folder.
    private static func readCompiled(
        _ fileNames: [String], in folder: ModelPath, _ names: [String]
    ) throws(ModelErrors) -> ModelFile {
        guard names.contains(VersionInfo.fileName) else {
            return try readVersions(fileNames, in: folder, chosen: nil, by: "")
        }
        let file = folder.appending(VersionInfo.fileName)
        let info = try VersionInfo(file.bytes(), place: file.path)
        var model = try readVersions(
            fileNames, in: folder, chosen: info.currentVersionName, by: VersionInfo.fileName)
        model.versionHashes = info.versionHashes
        return model
    }

    /// - Parameter file: the name of the file that names the current version.
    private static func readVersions(
        _ fileNames: [String], in folder: ModelPath, chosen: String?, by file: String
    ) throws(ModelErrors) -> ModelFile {
        let names = fileNames.map { ModelPath.name($0) }.sorted(by: FinderOrder.precedes)
        let first = fileNames.first ?? ""
        let ending = String(first.dropFirst(ModelPath.name(first).count))
        let current = chosen ?? names.last ?? ""
        guard names.contains(current) else {
            throw ModelErrors(
                folder.path,
                "its current version \(current) does not exist, and \(file) names it",
                hint: "it has \(names.joined(separator: ", "))")
        }
        var versions: [ManagedObjectModel] = []
        var notes: [ModelError] = []
        for name in names {
            do {
                let read = try readVersion(folder.appending(name + ending))
                versions.append(read.0)
                notes += read.notes.map { name == current ? $0 : $0.within(name) }
            } catch  where name != current {
                notes += error.errors.map { $0.within(name) }
                notes.append(ModelError(name, "this version cannot be read and is ignored"))
            }
        }
        let file = ModelFile(
            name: ModelPath.name(folder.lastPart), versions: versions, current: current,
            notes: notes)
        guard let file else {
            throw ModelErrors(folder.path, "its current version cannot be read")
        }
        return file
    }
}

extension ModelError {
    /// The same error in a version.
    func within(_ version: String) -> ModelError {
        ModelError(place.isEmpty ? version : "\(version), \(place)", message, hint: hint)
    }
}
