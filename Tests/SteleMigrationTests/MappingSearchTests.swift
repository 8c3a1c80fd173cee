// Where mapping models are found.

import Foundation
import SteleMigration
import SteleModelFiles
import TestSupport
import Testing

@Suite struct MappingSearchTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func found(_ model: String) throws -> [String] {
        try MappingSearch(model: folder.path + "/" + model).files().map {
            $0.path.replacingOccurrences(of: folder.path + "/", with: "")
        }
    }

    private func write(_ paths: String...) throws {
        for path in paths { try folder.write("{}", to: path) }
    }

    /// Compiled mapping models and Xcode's lie up to two folders below the model's or beside it.
    @Test func filesInTheFoldersAboutTheModelAreFound() throws {
        try write(
            "App/Models/Shop.json", "App/Models/b.mapping.json", "App/Models/a.cdm",
            "App/Models/Maps/c.cdm", "App/Models/Maps/Old/d.xcmappingmodel/xcmapping.xml",
            "App/Models/Maps/Old/Older/no.cdm", "App/e.cdm", "App/Maps/f.CDM",
            "App/Maps/Old/g.cdm", "App/Maps/Old/Older/no.cdm", "no.cdm", "Other/no.cdm")
        #expect(
            try found("App/Models/Shop.json") == [
                "App/Models/a.cdm", "App/Models/b.mapping.json", "App/Models/Maps/c.cdm",
                "App/Models/Maps/Old/d.xcmappingmodel", "App/e.cdm", "App/Maps/f.CDM",
                "App/Maps/Old/g.cdm",
            ])
    }

    /// A mapping file in JSON that names no versions would fit models of another project.
    @Test func mappingFilesBesideTheModelsFolderAreNotItsOwn() throws {
        try write(
            "App/Models/Shop.json", "App/Other/a.mapping.json", "App/Models/Maps/b.mapping.json")
        #expect(try found("App/Models/Shop.json") == ["App/Models/Maps/b.mapping.json"])
    }

    @Test func linksAndModelsAndHiddenFoldersAreNotLookedThrough() throws {
        try write(
            "A/M/Shop.json", "A/M/.old/a.cdm", "A/M/Other.momd/b.cdm",
            "A/M/Other.xcdatamodeld/c.cdm")
        for (link, target) in [("A/M/Loop", "A"), ("A/M/Self", "A/M"), ("A/Loop", "A")] {
            try FileManager.default.createSymbolicLink(
                atPath: folder.path + "/" + link, withDestinationPath: folder.path + "/" + target)
        }
        #expect(try found("A/M/Shop.json") == [])
    }

    /// The folders of other projects are nobody's business.
    @Test func nothingIsLookedForBesideAFolderThatEveryoneMayWriteTo() throws {
        try write("A/M/Shop.json", "A/Maps/a.cdm")
        #expect(try found("A/M/Shop.json") == ["A/Maps/a.cdm"])
        #expect(chmod(folder.path + "/A", 0o1777) == 0)
        #expect(try found("A/M/Shop.json") == [])
    }

    /// A folder of very many files ends the search, which stays fast.
    @Test func theSearchIsBounded() throws {
        try write("A/M/Shop.json", "A/M/Maps/a.cdm")
        for number in 0..<100 {
            for inner in 0..<110 {
                try FileManager.default.createDirectory(
                    atPath: "\(folder.path)/A/Z\(number)/\(inner)",
                    withIntermediateDirectories: true)
            }
        }
        try write("A/Z99/109/z.cdm")
        #expect(try found("A/M/Shop.json") == ["A/M/Maps/a.cdm"])
    }

    @Test func aPathNamesAFileOrAFolder() throws {
        try write("Maps/a.cdm", "Maps/Old/b.mapping.json", "Empty/readme.txt")
        func named(_ path: String) throws -> [String] {
            try MappingSearch.files(named: folder.path + "/" + path)
                .map { String($0.dropFirst(folder.path.utf8.count + 1)) }
        }
        #expect(try named("Maps") == ["Maps/a.cdm", "Maps/Old/b.mapping.json"])
        #expect(try named("Maps/a.cdm") == ["Maps/a.cdm"])
        for (path, message) in [
            ("Empty", "there is no mapping model in it"),
            ("Nowhere", "there is no such file or folder"),
        ] {
            #expect {
                try named(path)
            } throws: { error in
                "\(error)".contains(path) && "\(error)".contains(message)
            }
        }
    }

    /// One of another app has a reason for each of its entities not to be used.
    @Test func someReasonsNotToUseAMappingModelAreEnough() throws {
        let cars = ["Car", "Engine", "Wheel"].map {
            EntityMapping(name: $0, mappingType: .custom, source: $0, destination: $0)
        }
        let versions = try PlanTests.versions(["a"], ["a", "b"])
        let line = try MigrationPlan(
            storeHashes: versions.versions[0].hashes, versions: versions,
            mappings: [KnownMapping(name: "cars", MappingModel(cars))]
        ).lines[1]
        #expect(line.contains("no entity Car") && line.hasSuffix("; and 4 more"), "\(line)")
    }
}
