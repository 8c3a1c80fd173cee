// Models in files, and small models written in a line.

import Foundation
import SteleModel
import SteleModelFiles
import TestSupport
import Testing

/// Models in files: those of the shared data, which Apple's tools made, and those of the checkout.
enum Samples {
    static var areShared: Bool { sharedFolder != nil }

    /// The shared models; tests that read them skip where they are absent.
    static let shared = [
        "data/coredata/swiftgen/Model.xcdatamodeld", "data/coredata/moody/Moody.xcdatamodeld",
        "data/coredata/sample/SampleModel.xcdatamodeld", "bench/People.xcdatamodeld",
    ]

    /// The path of a shared file.
    static func path(_ path: String) throws -> String {
        try #require(sharedFolder).appending(path: path).path
    }

    static func file(_ path: String) throws -> ModelFile { try ModelFile.read(Self.path(path)) }

    /// A model with every kind of property, in two versions.
    static let libraryPath = packageRoot.appending(
        path: "Tests/SteleModelTests/Models/Library.xcdatamodeld"
    ).path

    static func library() throws -> ModelFile { try ModelFile.read(libraryPath) }

    /// The paths of the models of the checkout.
    static func own() throws -> [String] {
        let folder = packageRoot.appending(path: "Config/Models").path
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        let models = names.filter { $0.hasSuffix(".xcdatamodeld") }
        return models.map { "\(folder)/\($0)" } + [libraryPath]
    }

    /// The paths of all models that are present.
    static func all() throws -> [String] { try own() + (areShared ? shared.map(path) : []) }
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
