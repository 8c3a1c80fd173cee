// Versions of an app's model under other names than its mapping models have.

import Foundation
import TestSupport
import Testing

/// Mapping models whose versions have other names now, in Xcode's form and compiled.
@Suite(.enabled(if: sharedFolder != nil, "the shared data is not here"))
struct RenamedVersionTests {
    private let folder: TemporaryFolder
    private let shared: String

    init() throws {
        folder = try TemporaryFolder()
        shared = try #require(sharedFolder).path + "/data/coredata/"
    }

    private func copy(_ path: String, to name: String) throws {
        let place = URL(filePath: folder.path + "/" + name)
        try FileManager.default.createDirectory(
            at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: shared + path, toPath: place.path)
    }

    private func writeVersion(_ name: String, of package: String) throws {
        try folder.write(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict><key>_XCCurrentVersionName</key>\
            <string>\(name).xcdatamodel</string></dict></plist>
            """, to: "\(package)/.xccurrentversion")
    }

    private func plan(_ package: String) throws -> String {
        let end = try Program.run(
            "migrate", package, "--store", "store.sqlite", "--plan", folder: folder.path)
        return end.output + end.errors
    }

    /// The file knows the entities of both versions, and names them as they were.
    @Test func theEntitiesDecideAndNotTheNamesOfVersions() throws {
        for (version, name) in [("Moody 4", "Store 1"), ("Moody 5", "Store 2")] {
            try copy(
                "moody/Moody.xcdatamodeld/\(version).xcdatamodel",
                to: "M/S.xcdatamodeld/\(name).xcdatamodel")
        }
        try writeVersion("Store 2", of: "M/S.xcdatamodeld")
        try copy("moody/Moody 4-Moody 5.xcmappingmodel", to: "Maps/4 to 5.xcmappingmodel")
        try copy("moody/Moody 4.moody", to: "store.sqlite")
        let text = try plan("M/S.xcdatamodeld")
        #expect(
            text.contains(
                "Store 1 to Store 2, by the mapping model ./Maps/4 to 5.xcmappingmodel"),
            "\(text)")
        // A name that another version has now leads nowhere.
        try copy(
            "moody/Moody.xcdatamodeld/Moody 6.xcdatamodel",
            to: "M/S.xcdatamodeld/Moody 5.xcdatamodel")
        let other = try plan("M/S.xcdatamodeld")
        #expect(other.contains("Store 1 to Store 2, by the mapping model"), "\(other)")
    }

    /// Core Data's hashes of the versions are in VersionInfo.plist, or are not known.
    @Test(arguments: ["Fixtures/SampleModel.momd", "SampleModel.xcdatamodeld"])
    func aCompiledMappingModelIsUsed(_ model: String) throws {
        let name = model.hasSuffix("momd") ? "S.momd" : "S.xcdatamodeld"
        try copy("sample/" + model, to: name)
        if name == "S.momd" {
            let path = URL(filePath: folder.path + "/S.momd/VersionInfo.plist")
            var list = try #require(
                PropertyListSerialization.propertyList(from: Data(contentsOf: path), format: nil)
                    as? [String: Any])
            list["NSManagedObjectModel_CurrentVersionName"] = "SampleModel3"
            try PropertyListSerialization.data(
                fromPropertyList: list, format: .binary, options: 0
            ).write(to: path)
        } else {
            try FileManager.default.removeItem(
                atPath: folder.path + "/" + name + "/.xccurrentversion")
            try writeVersion("SampleModel3", of: name)
        }
        try copy("sample/Fixtures/V2toV3.cdm", to: "Maps/V2toV3.cdm")
        for version in [1, 2] {
            try? FileManager.default.removeItem(atPath: folder.path + "/store.sqlite")
            try copy("sample/Fixtures/SampleModel_V\(version).sqlite", to: "store.sqlite")
            let text = try plan(name)
            #expect(
                text.contains(
                    "SampleModel2 to SampleModel3, by the mapping model ./Maps/V2toV3.cdm"),
                "\(text)")
            #expect(
                text.contains(
                    "the mapping CarToCar asks for the policy REPLACE_AT_RUNTIME.V2to3MakerPolicy"),
                "\(text)")
        }
    }

    /// A project may have a mapping model in Xcode's form and compiled.
    @Test func bothFormsOfAMappingModelAreOne() throws {
        try copy("sample/SampleModel.xcdatamodeld", to: "S.xcdatamodeld")
        try FileManager.default.removeItem(
            atPath: folder.path + "/S.xcdatamodeld/.xccurrentversion")
        try writeVersion("SampleModel3", of: "S.xcdatamodeld")
        try copy("sample/Fixtures/V2toV3.cdm", to: "Maps/V2toV3.cdm")
        try copy("sample/MappingModels/V2toV3.xcmappingmodel", to: "Maps/V2toV3.xcmappingmodel")
        try copy("sample/Fixtures/SampleModel_V2.sqlite", to: "store.sqlite")
        let text = try plan("S.xcdatamodeld")
        #expect(
            text.contains("SampleModel2 to SampleModel3, by the mapping model ./Maps/V2toV3.cdm"),
            "\(text)")
    }
}
