// Compiled models and model caches, compared with the source that they were made from.

import Foundation
import SteleModel
import SteleModelFiles
import SteleSQLite
import TestSupport
import Testing

@Suite(.enabled(if: sharedFolder != nil, "the shared data is not here"))
struct CompiledModelTests {
    static func path(_ path: String) throws -> String {
        try #require(sharedFolder).appending(path: "data/coredata/" + path).path
    }

    private static func version(_ file: ModelFile, _ name: String) throws -> ManagedObjectModel {
        try #require(file.versions.first { $0.name == name })
    }

    /// Xcode's source of the sample model was edited after it was compiled: the class of one
    /// attribute was set.
    private static func withoutColorClass(_ model: ManagedObjectModel) -> ManagedObjectModel {
        model.withEntities { entity in
            entity.properties = entity.properties.map { property in
                guard case .attribute(var it) = property, it.name == "color" else {
                    return property
                }
                it.customClassName = nil
                return .attribute(it)
            }
        }
    }

    @Test(arguments: [
        ("sample/Fixtures/SampleModel.momd", "sample/SampleModel.xcdatamodeld", "SampleModel"),
        ("sample/Fixtures/SampleModel.momd", "sample/SampleModel.xcdatamodeld", "SampleModel2"),
        ("sample/Fixtures/SampleModel.momd", "sample/SampleModel.xcdatamodeld", "SampleModel3"),
        ("swiftgen/Model.momd", "swiftgen/Model.xcdatamodeld", "Model"),
        ("swiftgen/Model.momd", "swiftgen/Model.xcdatamodeld", "Model 2"),
    ])
    func aCompiledModelEqualsItsSource(_ compiled: String, _ source: String, _ name: String) throws
    {
        let read = try Self.version(ModelFile.read(Self.path(compiled)), name)
        var written = try Self.version(ModelFile.read(Self.path(source)), name)
        if source.hasPrefix("sample/") { written = Self.withoutColorClass(written) }
        let difference = ModelFacts.difference(
            try read.withoutTheEditors(), try written.withoutTheEditors())
        #expect(difference == nil, "\(name): \(difference ?? "")")
        let alone = try ModelFile.read(Self.path("\(compiled)/\(name).mom"))
        #expect(alone.current == read)
        #expect(alone.notes == [])
    }

    /// The stores of Moody 1 and the second sample were made with models whose class names were
    /// changed by the program.
    @Test(arguments: [
        ("moody/Moody.moody", "moody/Moody.xcdatamodeld", "Moody"),
        ("moody/Moody 2.moody", "moody/Moody.xcdatamodeld", "Moody 2"),
        ("moody/Moody 3.moody", "moody/Moody.xcdatamodeld", "Moody 3"),
        ("moody/Moody 4.moody", "moody/Moody.xcdatamodeld", "Moody 4"),
        ("moody/Moody 5.moody", "moody/Moody.xcdatamodeld", "Moody 5"),
        ("sample/Fixtures/SampleModel_V1.sqlite", "sample/SampleModel.xcdatamodeld", "SampleModel"),
        (
            "sample/Fixtures/SampleModel_V2.sqlite", "sample/SampleModel.xcdatamodeld",
            "SampleModel2"
        ),
    ])
    func aModelCacheEqualsItsSource(_ store: String, _ source: String, _ name: String) throws {
        let path = try Self.path(store)
        let before = try Self.files(beside: path)
        var read = try SQLiteStore.modelFile(path: path).current
        #expect(try Self.files(beside: path) == before, "the folder has changed")
        read.name = name
        var written = try Self.version(ModelFile.read(Self.path(source)), name)
        if source.hasPrefix("sample/") { written = Self.withoutColorClass(written) }
        // The first store is older than the identifier of its version.
        if name == "Moody" { written.versionIdentifier = "" }
        if ["Moody", "SampleModel2"].contains(name) {
            (read, written) = (Self.withoutClasses(read), Self.withoutClasses(written))
        }
        let difference = ModelFacts.difference(
            try read.withoutTheEditors(),
            try written.withoutTheEditors())
        #expect(difference == nil, "\(name): \(difference ?? "")")
    }

    private static func withoutClasses(_ model: ManagedObjectModel) -> ManagedObjectModel {
        model.withEntities { $0.managedObjectClassName = nil }
    }

    /// The names, sizes and times of all files in a file's folder.
    static func files(beside path: String) throws -> [String] {
        let folder = URL(filePath: path).deletingLastPathComponent()
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map {
            let its = try FileManager.default.attributesOfItem(
                atPath: folder.appending(path: $0).path)
            return "\($0) \(its[.size] ?? "") \(its[.modificationDate] ?? "")"
        }
    }

    /// `stele model contents`: what is written as source reads as the same model.
    @Test(arguments: [
        "swiftgen/Model.momd", "sample/Fixtures/SampleModel.momd", "moody/Moody.moody",
        "moody/Moody 2.moody", "moody/Moody 3.moody", "moody/Moody 4.moody",
        "moody/Moody 5.moody", "sample/Fixtures/SampleModel_V1.sqlite",
        "sample/Fixtures/SampleModel_V2.sqlite", "sample2/Fixtures/SampleModel2_V1.sqlite",
        "sample2/Fixtures/SampleModel2_V2.sqlite",
    ])
    func theSourceReadsAsTheSameModel(_ path: String) throws {
        let path = try Self.path(path)
        let file =
            path.hasSuffix(".momd")
            ? try ModelFile.read(path) : try SQLiteStore.modelFile(path: path)
        #expect(file.versions.flatMap(\.unwritable) == [])
        try withFolder { folder in
            let source = folder.appending(path: "Again.xcdatamodeld").path
            try file.writeSource(to: source)
            let again = try ModelFile.read(source)
            #expect(again.notes == [])
            #expect(again.currentVersionName == file.currentVersionName)
            #expect(again.versions.map(\.name) == file.versions.map(\.name))
            for (version, before) in zip(again.versions, file.versions) {
                let difference = ModelFacts.difference(version, before)
                #expect(difference == nil, "\(difference ?? "")")
            }
            let error = #expect(throws: ModelErrors.self) { try file.writeSource(to: source) }
            #expect(error?.description.contains("it exists already") == true)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 1)
        }
    }

    @Test func versionInfoNamesTheCurrentVersionAndItsHashes() throws {
        let file = try ModelFile.read(Self.path("swiftgen/Model.momd"))
        #expect(file.name == "Model")
        #expect(file.versions.map(\.name) == ["Model", "Model 2"])
        #expect(file.currentVersionName == "Model 2")
        let hashes = try #require(file.versionHashes["Model 2"])
        #expect(hashes.keys.sorted() == file.current.entities.map(\.name).sorted())
        #expect(hashes["MainEntity"]?.prefix(4) == [0xBB, 0xF5, 0x26, 0xEC])
        let sample = try ModelFile.read(Self.path("sample/Fixtures/SampleModel.momd"))
        #expect(sample.currentVersionName == "SampleModel")
    }

    /// A model that a program made: what a model file cannot have is noted.
    @Test func aModelMadeByAProgramIsRead() throws {
        let file = try SQLiteStore.modelFile(
            path: Self.path("sample2/Fixtures/SampleModel2_V1.sqlite"))
        let model = file.current
        #expect(file.name == "SampleModel2_V1")
        #expect(
            model.entities.map(\.name) == [
                "Author", "Book", "Feedback", "GraphicNovel", "Page", "Writer",
            ])
        let author = try #require(model.entities.first { $0.name == "Author" })
        #expect(author.parentName == "Writer")
        #expect(!author.properties.contains { $0.name == "age" }, "an inherited property")
        guard case .fetchedProperty(let feedbacks)? = author.properties.last else {
            Issue.record("the fetched properties come last")
            return
        }
        #expect(feedbacks.request.entityName == "Feedback")
        #expect(
            feedbacks.request.predicateFormat?.contains("$FETCH_SOURCE.alias") == true,
            "\(feedbacks.request.predicateFormat ?? "")")
        let book = try #require(model.entities.first { $0.name == "Book" })
        for case .attribute(let title) in book.properties where title.name == "title" {
            #expect(title.minimum == .int(3))
            #expect(title.maximum == .int(50))
        }
        for case .relationship(let pages) in book.properties where pages.name == "pages" {
            #expect((pages.minimumCount, pages.maximumCount) == (1, 10_000))
            #expect(pages.deleteRule == .cascade)
        }
        for case .attribute(let count) in book.properties where count.name == "pagesCount" {
            #expect(count.derivationExpression == "pages.@count")
        }
        #expect(file.notes.contains { $0.place == "Book.title" && $0.message.contains("CONTAINS") })
        #expect(file.notes.contains { $0.message.contains("sort descriptors") })
        #expect(throws: Never.self) { try file.model() }
    }
}
