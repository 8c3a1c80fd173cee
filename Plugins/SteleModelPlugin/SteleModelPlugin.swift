/// Generates the classes of a target's data models when it is built.

import Foundation
import PackagePlugin

/// A target that uses the plugin has a class for each entity of each model in its folder, and the
/// model itself, so that a program needs no file of it.
@main
struct SteleModelPlugin: BuildToolPlugin {
    private static let endings = [".xcdatamodeld", ".xcdatamodel", ".momd", ".mom"]

    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let generator = try context.tool(named: "SteleGenerate").url
        let models = Self.models(in: target.directoryURL)
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
                executable: generator, arguments: [model.path, output.path],
                inputFiles: Self.files(of: model), outputFiles: [output])
        }
    }

    /// The models in a folder, of which a version in a package is none of its own.
    private static func models(in folder: URL) -> [URL] {
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
