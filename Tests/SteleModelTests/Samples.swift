// Where the sample models lie, and small models written in a line.

import Foundation
import SteleModel
import Testing

/// Models that Apple's tools made; the tests that read them skip where they are absent.
enum Samples {
    static let root: URL = {
        if let given = ProcessInfo.processInfo.environment["STELE_SHARED"] {
            return URL(fileURLWithPath: given)
        }
        return package.deletingLastPathComponent().appendingPathComponent("shared")
    }()

    static let package = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    static var arePresent: Bool { FileManager.default.fileExists(atPath: root.path) }

    static let folders = [
        "data/coredata/swiftgen/Model.xcdatamodeld", "data/coredata/moody/Moody.xcdatamodeld",
        "data/coredata/sample/SampleModel.xcdatamodeld", "bench/People.xcdatamodeld",
    ]

    static func file(_ path: String) throws -> ModelFile {
        try ModelFile.read(root.appendingPathComponent(path).path)
    }

    /// Every version of every sample, and of the models that Stele ships.
    static func allVersions() throws -> [ManagedObjectModel] {
        var paths = folders.map { root.appendingPathComponent($0).path }
        let own = package.appendingPathComponent("Config/Models").path
        for name in (try? FileManager.default.contentsOfDirectory(atPath: own)) ?? [] {
            paths.append(own + "/" + name)
        }
        return try paths.flatMap { try ModelFile.read($0).versions }
    }
}

/// A folder of its own for one test, gone afterwards.
func withFolder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("stele-model-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder)
}

/// A model from the inside of its `model` element.
func read(_ inside: String) throws -> ModelFile {
    var file: ModelFile?
    try withFolder { folder in
        let path = folder.appendingPathComponent("contents")
        try Data("<?xml version=\"1.0\"?>\n<model>\n\(inside)\n</model>".utf8).write(to: path)
        file = try ModelFile.read(path.path)
    }
    return try #require(file)
}

/// The mistakes that reading, linking and checking such a model finds.
func mistakes(_ inside: String) throws -> [String] {
    do {
        _ = try read(inside).model()
        return []
    } catch let error as ModelErrors {
        return error.errors.map(\.description)
    }
}

/// The mistakes of the model with one entity, A, whose inside is given.
func mistakes(inEntity inside: String) throws -> [String] {
    try mistakes("<entity name=\"A\">\(inside)</entity>")
}

extension ManagedObjectModel {
    func entity(_ name: String) throws -> EntityDescription {
        try #require(entities.first { $0.name == name })
    }
}

extension EntityDescription {
    func attribute(_ name: String) throws -> AttributeDescription {
        let found = properties.compactMap { property in
            if case .attribute(let it) = property, it.name == name { it } else { nil }
        }
        return try #require(found.first)
    }

    func relationship(_ name: String) throws -> RelationshipDescription {
        let found = properties.compactMap { property in
            if case .relationship(let it) = property, it.name == name { it } else { nil }
        }
        return try #require(found.first)
    }
}
