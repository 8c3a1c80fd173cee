// Compiled models that are written: read again, and compared with those of Apple's tools.

import Foundation
import SteleModel
import SteleModelFiles
import StelePredicates
import SteleSQLite
import TestSupport
import Testing

@Suite struct CompiledModelWriterTests {
    /// The paths of all models of the checkout, and of the shared data where it is there.
    static func sources() throws -> [String] {
        let folders = ["Config/Models", "Tests/Models", "Tests/SteleModelTests/Models"]
        var paths: [String] = []
        for folder in folders {
            let place = packageRoot.appending(path: folder).path
            let names = try FileManager.default.contentsOfDirectory(atPath: place)
            paths += names.filter { $0.hasSuffix(".xcdatamodeld") }.map { "\(place)/\($0)" }
        }
        guard let sharedFolder else { return paths.sorted() }
        return paths.sorted()
            + ["moody/Moody", "sample/SampleModel", "swiftgen/Model"].map {
                sharedFolder.appending(path: "data/coredata/\($0).xcdatamodeld").path
            }
    }

    /// A model as it is read from the archive that is written of it.
    static func again(_ model: ManagedObjectModel) throws -> ManagedObjectModel {
        let bytes = try CompiledModelWriter.bytes(of: Model(model))
        let (read, notes) = try CompiledModelReader.read(bytes, name: model.name, place: "M.mom")
        #expect(notes == [])
        return read
    }

    @Test func eachSourceIsReadAsItWasWritten() throws {
        var count = 0
        for path in try Self.sources() {
            for version in try ModelFile.read(path).versions {
                let before = try version.withoutComposites().withoutTheEditors()
                let read = try Self.again(version.withoutComposites()).withoutTheEditors()
                let difference = ModelFacts.difference(read, before)
                #expect(difference == nil, "\(path), \(version.name): \(difference ?? "")")
                count += 1
            }
        }
        #expect(count >= 18)
    }
}

@Suite(.enabled(if: sharedFolder != nil, "the shared data is not here"))
struct AppleArchiveTests {
    static let files = [
        "sample/Fixtures/SampleModel.momd/SampleModel.mom",
        "sample/Fixtures/SampleModel.momd/SampleModel2.mom",
        "sample/Fixtures/SampleModel.momd/SampleModel3.mom",
        "swiftgen/Model.momd/Model.mom", "swiftgen/Model.momd/Model 2.mom",
        "moody/Moody.moody", "moody/Moody 2.moody", "moody/Moody 3.moody", "moody/Moody 4.moody",
        "moody/Moody 5.moody", "sample/Fixtures/SampleModel_V1.sqlite",
        "sample/Fixtures/SampleModel_V2.sqlite", "sample2/Fixtures/SampleModel2_V1.sqlite",
        "sample2/Fixtures/SampleModel2_V2.sqlite",
    ]

    private static func model(_ path: String) throws -> ManagedObjectModel {
        let path = try CompiledModelTests.path(path)
        return path.hasSuffix(".mom")
            ? try ModelFile.read(path).current : try SQLiteStore.modelFile(path: path).current
    }

    /// The archive of a `.mom`, or of a store's cache.
    private static func archive(_ path: String) throws -> [UInt8] {
        let path = try CompiledModelTests.path(path)
        if path.hasSuffix(".mom") { return [UInt8](try Data(contentsOf: URL(filePath: path))) }
        var cache: [UInt8] = []
        try withFolder { folder in
            let copy = folder.appending(path: "copy.sqlite").path
            try FileManager.default.copyItem(atPath: path, toPath: copy)
            cache = try RawDatabase(copy).bytes("SELECT Z_CONTENT FROM Z_MODELCACHE")
        }
        return try ModelCache.inflate(cache, path)
    }

    @Test(arguments: files)
    func itIsReadAsItWasWritten(_ path: String) throws {
        let model = try Self.model(path)
        let difference = ModelFacts.difference(try CompiledModelWriterTests.again(model), model)
        #expect(difference == nil, "\(difference ?? "")")
    }

    /// Every object that Apple's tools wrote has its counterpart, of the same classes and with the
    /// same keys and values.
    @Test(arguments: files)
    func itsObjectsHaveTheSameClassesKeysAndValues(_ path: String) throws {
        let theirs = try KeyedArchive(Self.archive(path))
        let ours = try KeyedArchive(CompiledModelWriter.bytes(of: Model(Self.model(path))))
        var comparison = ArchiveComparison(theirs, ours)
        comparison.run()
        #expect(comparison.differences == [])
        #expect(comparison.compared > 20)
    }

    /// The comparison is one that can fail.
    @Test func aDifferenceIsSeen() throws {
        let path = "swiftgen/Model.momd/Model 2.mom"
        let theirs = try KeyedArchive(Self.archive(path))
        let model = try Self.model(path)
        func differences(_ change: (inout EntityDescription) -> Void) throws -> [String] {
            let other = model.withEntities { if $0.name == "NewEntity" { change(&$0) } }
            let ours = try KeyedArchive(CompiledModelWriter.bytes(of: Model(other)))
            var comparison = ArchiveComparison(theirs, ours)
            comparison.run()
            return comparison.differences
        }
        #expect(try differences { $0.isAbstract = true }.first?.contains("NSIsAbstract") == true)
        #expect(try differences { $0.fetchIndexes = [] }.count == 2)
        #expect(
            try differences { $0.userInfo = [UserInfoEntry(key: "k", value: "v")] }
                .first?.contains("NSUserInfo{k}") == true)
        #expect(
            try differences { entity in
                guard case .attribute(var it) = entity.properties[0] else { return }
                it.type = .string
                entity.properties[0] = .attribute(it)
            }.map { $0.split(separator: ".").last.map(String.init) ?? "" } == [
                "NSAttributeType: integer(1100) and integer(700)",
                "NSAttributeValueClassName: string(\"NSUUID\") and string(\"NSString\")",
            ])
    }
}
