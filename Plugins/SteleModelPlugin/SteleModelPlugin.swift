/// Generates the classes of a target's data models when it is built.

import Foundation
import PackagePlugin

/// A target that uses the plugin has a class for each entity of each model in its folder, and the
/// model itself, so that a program needs no file of it. `stele-model.json` in the folder has the
/// settings of the target.
@main
struct SteleModelPlugin: BuildToolPlugin {
    private let endings = [".xcdatamodeld", ".xcdatamodel", ".momd", ".mom"]
    /// The endings of mapping models, which the generator finds beside a model.
    private let mappingEndings = [".xcmappingmodel", ".cdm", ".mapping.json"]

    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let generator = try context.tool(named: "SteleGenerate").url
        let settings = try Settings.read(in: target.directoryURL)
        let models = Self.packages(in: target.directoryURL, endings) + settings.models
        let mappings = Self.packages(in: target.directoryURL, mappingEndings)
        if models.isEmpty {
            Diagnostics.warning(
                "\(target.name) has no data model: put a .xcdatamodeld folder into "
                    + target.directoryURL.path)
        }
        func name(_ model: URL) -> String { model.deletingPathExtension().lastPathComponent }
        for (name, models) in Dictionary(grouping: models, by: name) where models.count > 1 {
            Diagnostics.error(
                "\(target.name) has several models \(name), of which one can be generated: "
                    + models.map(\.path).joined(separator: ", "))
            return []
        }
        return models.map { model in
            let output = context.pluginWorkDirectoryURL.appending(path: "\(name(model))Model.swift")
            return .buildCommand(
                displayName: "Generating the classes of \(model.lastPathComponent)",
                executable: generator,
                arguments: [model.path, output.path, settings.accessLevel],
                inputFiles: Self.files(of: model) + mappings.flatMap(Self.files) + settings.own,
                outputFiles: [output])
        }
    }

    /// The files and packages in a folder with one of the endings. A version in a package is no
    /// model of its own.
    private static func packages(in folder: URL, _ endings: [String]) -> [URL] {
        let found = FileManager.default.enumerator(
            at: folder, includingPropertiesForKeys: nil, options: .skipsHiddenFiles)
        var models: [URL] = []
        while let url = found?.nextObject() as? URL {
            guard endings.contains(where: url.lastPathComponent.hasSuffix) else { continue }
            found?.skipDescendants()
            models.append(url)
        }
        return models.sorted { $0.path < $1.path }
    }

    /// The files whose change has the classes generated again.
    private static func files(of model: URL) -> [URL] {
        guard
            let found = FileManager.default.enumerator(
                at: model, includingPropertiesForKeys: [.isRegularFileKey])
        else { return [model] }
        let files = found.compactMap { $0 as? URL }.filter {
            (try? $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile) == true
        }
        return files.isEmpty ? [model] : files.sorted { $0.path < $1.path }
    }
}

/// The settings of a target: `{"accessLevel": "internal", "models": ["League.json"]}`. Both may be
/// left out.
private struct Settings {
    /// `public`, `package` or `internal`.
    var accessLevel = "public"
    /// Models in JSON, which no ending tells from other files.
    var models: [URL] = []
    /// The file itself, where there is one.
    var own: [URL] = []

    private struct Content: Decodable {
        var accessLevel: String?
        var models: [String]?
    }

    /// - Throws: an error of reading or decoding the file.
    static func read(in folder: URL) throws -> Settings {
        let file = folder.appending(path: "stele-model.json")
        guard FileManager.default.fileExists(atPath: file.path) else { return Settings() }
        let content: Content
        do {
            content = try JSONDecoder().decode(Content.self, from: Data(contentsOf: file))
        } catch {
            Diagnostics.error("\(file.path) cannot be read: \(error)")
            throw error
        }
        var settings = Settings(own: [file])
        if let level = content.accessLevel { settings.accessLevel = level }
        settings.models = (content.models ?? []).map { folder.appending(path: $0) }
        for model in settings.models where !FileManager.default.fileExists(atPath: model.path) {
            Diagnostics.error("\(file.path) names \(model.path), which is not there")
        }
        return settings
    }
}
