// Stores of Apple's framework, migrated by `stele migrate`. The framework's own stores of the later
// versions say what the values must be.

import Foundation
import TestSupport
import Testing

@Suite(.enabled(if: sharedFolder != nil, "the shared data is not here"))
struct AppStoreMigrationTests {
    private let folder: TemporaryFolder
    private let shared: String

    init() throws {
        folder = try TemporaryFolder()
        shared = try #require(sharedFolder).path + "/data/coredata/"
    }

    private var store: String { folder.path + "/store.sqlite" }

    /// Copies a model's package with its mapping models, and makes a version current.
    private func copy(_ package: String, current: String, with mappings: [String] = []) throws {
        let files = FileManager.default
        for path in [package] + mappings {
            try files.copyItem(
                atPath: shared + path,
                toPath: folder.path + "/" + (path as NSString).lastPathComponent)
        }
        let place = folder.path + "/" + (package as NSString).lastPathComponent
        try files.removeItem(atPath: place + "/.xccurrentversion")
        try Data(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict><key>_XCCurrentVersionName</key>\
            <string>\(current).xcdatamodel</string></dict></plist>
            """.utf8
        ).write(to: URL(fileURLWithPath: place + "/.xccurrentversion"))
    }

    private func copyStore(_ path: String) throws {
        try FileManager.default.copyItem(atPath: shared + path, toPath: store)
    }

    private func migrate(_ package: String) throws -> (status: Int32, text: String) {
        let end = try Program.run(
            "migrate", package, "--store", "store.sqlite", folder: folder.path)
        return (end.status, end.output + end.errors)
    }

    /// Moods and their countries by the values that identify them, because the framework gave new
    /// keys in its stores of the later versions.
    private static let moods =
        "SELECT m.ZREMOTEID, m.ZDATE, m.ZLATITUDE, m.ZLONGITUDE, m.ZCREATORID, hex(m.ZCOLORS), "
        + "m.ZRATING, m.ZMARKEDFORREMOTEDELETION, m.ZMARKEDFORDELETIONDATE, "
        + "c.ZNUMERICISO3166CODE FROM ZMOOD m JOIN ZCOUNTRY c ON m.ZCOUNTRY = c.Z_PK"
    private static let countries =
        "SELECT ZNUMERICISO3166CODE, ZISOCONTINENT, ZNUMBEROFMOODS, ZUPDATEDAT, "
        + "ZMARKEDFORDELETIONDATE, ZUNIQUENESSDUMMY FROM ZCOUNTRY"

    private static func values(_ path: String, _ query: String) throws -> [String] {
        let database = try RawDatabase(path)
        let count = query.split(separator: " FROM ")[0].split(separator: ", ").count
        let columns = (0..<count).map { "quote(\(Array("abcdefghijkl")[$0]))" }
            .joined(separator: " || '|' || ")
        let names = (0..<count).map { "\(Array("abcdefghijkl")[$0])" }.joined(separator: ", ")
        return try database.texts(
            "WITH t(\(names)) AS (\(query)) SELECT \(columns) FROM t ORDER BY 1")
    }

    /// One of them does it, and the others find it done, or the store in use.
    @Test func severalAtOnceMigrateAStoreOnce() throws {
        try copyStore("sample2/Fixtures/SampleModel2_V1.sqlite")
        try FileManager.default.copyItem(
            atPath: shared + "sample2/Fixtures/SampleModel2_V2.sqlite",
            toPath: folder.path + "/Next.sqlite")
        let programs = try (0..<4).map { _ in
            try Program(
                ["migrate", "Next.sqlite", "--store", "store.sqlite"], folder: folder.path)
        }
        var migrated = 0
        for program in programs {
            let (status, errors) = program.end()
            let text = program.text
            if text.contains("migrated in") {
                migrated += 1
            } else if status == 0 {
                let isDone =
                    text.contains("another program has migrated the store meanwhile")
                    || text.contains("nothing is migrated")
                #expect(isDone, "\(text)")
            } else {
                let isInUse =
                    errors.contains("another program") || errors.contains("open it again")
                #expect(isInUse && !errors.contains("belongs to another model"), "\(errors)")
            }
        }
        #expect(migrated == 1)
        let again = try migrate("Next.sqlite")
        #expect(again.status == 0 && again.text.contains("nothing is migrated"), "\(again)")
    }

    @Test(arguments: ["Moody", "Moody 2", "Moody 3", "Moody 4"])
    func aStoreOfEachVersionGetsTheValuesOfVersionFive(_ version: String) throws {
        try copy(
            "moody/Moody.xcdatamodeld", current: "Moody 5",
            with: [
                "moody/Moody 2-Moody 3.xcmappingmodel", "moody/Moody 3-Moody 4.xcmappingmodel",
                "moody/Moody 4-Moody 5.xcmappingmodel",
            ])
        try copyStore("moody/\(version).moody")
        let identifier = try RawDatabase(store).texts("SELECT Z_UUID FROM Z_METADATA")
        let (status, text) = try migrate("Moody.xcdatamodeld")
        #expect(status == 0, "\(text)")
        #expect(text.contains("the store was made with \(version), and the current"), "\(text)")
        for query in [Self.moods, Self.countries] {
            let wanted = try Self.values(shared + "moody/Moody 5.moody", query)
            #expect(wanted.count >= 3)
            #expect(try Self.values(store, query) == wanted)
        }
        #expect(try RawDatabase(store).texts("PRAGMA integrity_check") == ["ok"])
        #expect(try RawDatabase(store).texts("SELECT Z_UUID FROM Z_METADATA") == identifier)
        // Once more, there is nothing to do.
        #expect(try migrate("Moody.xcdatamodeld").text.contains("nothing is migrated"))
    }

    /// The framework migrated its own copy of this store in place.
    @Test func aRenamedEntityIsAsTheFrameworkMigratedIt() throws {
        try copy("sample/SampleModel.xcdatamodeld", current: "SampleModel2")
        try copyStore("sample/Fixtures/SampleModel_V1.sqlite")
        let (status, text) = try migrate("SampleModel.xcdatamodeld")
        #expect(status == 0, "\(text)")
        #expect(text.contains("ExpensiveSportCar becomes LuxuryCar"), "\(text)")
        #expect(text.contains("an app with Apple's framework no longer opens"), "\(text)")
        let queries = [
            "SELECT Z_PK, Z_ENT, ZMAKER, ZMODEL, ZNUMBERPLATE, ZOWNER, ZISLIMITEDEDITION, "
                + "ZMARKEDFORDELETIONASOF FROM ZCAR",
            "SELECT Z_PK, Z_ENT, ZFIRSTNAME, ZLASTNAME, ZUPDATEDAT FROM ZPERSON",
        ]
        for query in queries {
            let wanted = try Self.values(shared + "sample/Fixtures/SampleModel_V2.sqlite", query)
            #expect(wanted.count >= 20)
            #expect(try Self.values(store, query) == wanted)
        }
    }

    @Test func aPolicyIsAskedForBeforeTheStoreIsTouched() throws {
        try copy(
            "moody/Moody.xcdatamodeld", current: "Moody 6",
            with: ["moody/Moody 5-Moody 6.xcmappingmodel"])
        try copyStore("moody/Moody 5.moody")
        let before = try Data(contentsOf: URL(fileURLWithPath: store))
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        let (status, text) = try migrate("Moody.xcdatamodeld")
        #expect(status == 1)
        #expect(text.contains("asks for the policy Migrations.Country5ToCountry6Policy"), "\(text)")
        #expect(try Data(contentsOf: URL(fileURLWithPath: store)) == before)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == names)
    }

    @Test func aStoreOfAnotherModelIsRefused() throws {
        try copy("sample/SampleModel.xcdatamodeld", current: "SampleModel2")
        try copyStore("moody/Moody.moody")
        let before = try Data(contentsOf: URL(fileURLWithPath: store))
        let (status, text) = try migrate("SampleModel.xcdatamodeld")
        #expect(status == 1)
        #expect(text.contains("none of its entities is one of SampleModel2"), "\(text)")
        #expect(try Data(contentsOf: URL(fileURLWithPath: store)) == before)
    }

    /// A model's versions in their order, with the mapping models and the stores of some of them.
    struct Package: CustomTestStringConvertible {
        let model: String
        let versions: [String]
        let mappings: [String]
        let stores: [String: String]

        var testDescription: String { model }

        static let all = [
            Package(
                model: "moody/Moody.xcdatamodeld",
                versions: ["Moody"] + (2...6).map { "Moody \($0)" },
                mappings: (2...5).map { "moody/Moody \($0)-Moody \($0 + 1).xcmappingmodel" },
                stores: Dictionary(
                    uniqueKeysWithValues: (["Moody"] + (2...5).map { "Moody \($0)" }).map {
                        ($0, "moody/\($0).moody")
                    })),
            Package(
                model: "sample/SampleModel.xcdatamodeld",
                versions: ["SampleModel", "SampleModel2", "SampleModel3"],
                mappings: ["sample/Fixtures/V2toV3.cdm"],
                stores: [
                    "SampleModel": "sample/Fixtures/SampleModel_V1.sqlite",
                    "SampleModel2": "sample/Fixtures/SampleModel_V2.sqlite",
                ]),
        ]

        /// Each store with each later version.
        static let steps = all.flatMap { package in
            package.versions.indices.flatMap { from in
                package.stores[package.versions[from]] == nil
                    ? [] : ((from + 1)..<package.versions.count).map { (package, from, $0) }
            }
        }
    }

    /// The store's own model stands for its version, which is gone with all that were before it.
    @Test(arguments: Package.steps)
    func aStoreIsMigratedWithoutItsVersionAsWithIt(
        _ package: Package, _ from: Int, _ to: Int
    ) throws {
        func tables(without gone: Int) throws -> [String]? {
            try copy(
                package.model, current: package.versions[to], with: package.mappings)
            let place = folder.path + "/" + (package.model as NSString).lastPathComponent
            defer {
                for name in [place, store]
                    + package.mappings.map({
                        folder.path + "/" + ($0 as NSString).lastPathComponent
                    })
                { try? FileManager.default.removeItem(atPath: name) }
            }
            for version in package.versions[..<gone] {
                try FileManager.default.removeItem(atPath: place + "/\(version).xcdatamodel")
            }
            try copyStore(#require(package.stores[package.versions[from]]))
            let (status, text) = try migrate((package.model as NSString).lastPathComponent)
            if status != 0 {
                // Policies are code.
                #expect(text.contains("asks for the policy"), "\(text)")
                return nil
            }
            let database = try RawDatabase(store)
            let names = try database.texts(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'Z%' "
                    + "AND name NOT LIKE 'Z~_METADATA' ESCAPE '~' "
                    + "AND name NOT LIKE 'Z~_MODELCACHE' ESCAPE '~' ORDER BY 1")
            return try names.flatMap { name in
                let columns = try database.texts(
                    "SELECT name FROM pragma_table_info('\(name)') ORDER BY name")
                let row = columns.map { "quote(\"\($0)\")" }.joined(separator: " || '|' || ")
                return [name] + (try database.texts("SELECT \(row) FROM \"\(name)\" ORDER BY 1"))
            }
        }
        let wanted = try tables(without: 0)
        let found = try tables(without: from + 1)
        let isEqual = found == wanted
        #expect(isEqual, "\(package.versions[from]) to \(package.versions[to])")
    }
}
