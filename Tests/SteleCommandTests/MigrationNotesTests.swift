/// What the plan of a migration says beside its steps, wherever a command prints it.

import Foundation
import SteleModelFiles
import TestSupport
import Testing

@Suite struct MigrationNotesTests {
    private let folder: TemporaryFolder

    /// A store of the first of two versions, with two attributes that the second one does not have.
    init() throws {
        folder = try TemporaryFolder()
        try folder.write(Self.version("first", "last"), to: "Staff/v1.json")
        try folder.write(#"{"first":"Ann","last":"Lee"}"#, to: "Person.ndjson")
        let made = try run("import", "Staff", "--store", "s.sqlite", "Person.ndjson")
        try #require(made.status == 0, "\(made.errors)")
        try folder.write(Self.version("name"), to: "Staff/v2.json")
    }

    private static func version(_ attributes: String...) -> String {
        let list = attributes.map { #"{"name":"\#($0)","type":"String"}"# }
        return #"{"entities":[{"name":"Person","attributes":[\#(list.joined(separator: ","))]}]}"#
    }

    private static func mapping(_ rest: String) -> String {
        #"{"from":"v1","to":"v2","mappings":[{"source":"Person","destination":"Person",\#(rest)}]}"#
    }

    private func run(
        _ arguments: String...
    ) throws -> (status: Int32, output: String, errors: String) {
        try Program.run(arguments, folder: folder.path)
    }

    @Test func aPolicyIsToldWhereverTheMigrationIsOffered() throws {
        try folder.write(Self.mapping(#""policy":"NamePolicy""#), to: "names.mapping.json")
        let before = try FolderState(folder.path)
        let line =
            "\nstele cannot carry this out: the mapping PersonToPerson asks for the policy "
            + "NamePolicy, which is Swift code\n"
        let remedy =
            "carry out the migration in a Swift program that passes the policy, or write what it "
            + "does as expressions in a mapping file that replaces ./names.mapping.json: two "
            + "mapping models for one step are an error"
        let plan = try run("migrate", "Staff", "--store", "s.sqlite", "--plan")
        #expect(plan.status == 1)
        #expect(plan.output.contains(line), "\(plan.output)")
        #expect(
            plan.errors == "stele: ./names.mapping.json: the mapping PersonToPerson asks for the "
                + "policy NamePolicy, which is Swift code (\(remedy))\n")
        for command in [["serve", "Staff", "--port", "0"], ["export", "Staff"]] {
            let program = try Program(command + ["--store", "s.sqlite"], folder: folder.path)
            let (status, errors) = program.end()
            #expect(status == 1 && errors.contains(line), "\(errors)")
            #expect(errors.contains("\n\(remedy)\n"), "\(errors)")
            #expect(!errors.contains("--migrate") && !errors.contains("does this"), "\(errors)")
        }
        let served = try run("serve", "Staff", "--port", "0", "--store", "s.sqlite", "--migrate")
        #expect(served.status == 1 && served.errors.contains(line), "\(served.errors)")
        #expect(served.errors.hasSuffix("(\(remedy))\n"), "\(served.errors)")
        #expect(try FolderState(folder.path) == before)
    }

    /// The new store has Stele's version hashes.
    @Test func aPlanSaysThatTheAppIsLeftBehind() throws {
        let line =
            "\nan app with Apple's framework no longer opens the result, unless the model is a "
            + ".momd with the hashes of v2 (VersionInfo.plist): keep a copy of the file\n"
        let own = try run("migrate", "Staff", "--store", "s.sqlite", "--plan")
        #expect(own.status == 0 && !own.output.contains("Apple"), "\(own.output)")
        let app = folder.path + "/app.sqlite"
        try makeBareStore(try ModelFile.read(folder.path + "/Staff/v1.json").model(), at: app)
        let before = try FolderState(folder.path)
        let plan = try run("migrate", "Staff", "--store", "app.sqlite", "--plan")
        #expect(plan.status == 0 && plan.output.contains(line), "\(plan)")
        let refused = try run("serve", "Staff", "--port", "0", "--store", "app.sqlite")
        #expect(refused.status == 1 && refused.errors.contains(line), "\(refused.errors)")
        #expect(refused.errors.contains("start with --migrate"), "\(refused.errors)")
        #expect(try FolderState(folder.path) == before)
        let done = try run("migrate", "Staff", "--store", "app.sqlite")
        #expect(done.status == 0 && done.output.contains(line), "\(done)")
        // From here on it is Stele's own.
        try folder.write(Self.version("name", "age"), to: "Staff/v3.json")
        let later = try run("migrate", "Staff", "--store", "app.sqlite", "--plan")
        #expect(later.status == 0 && !later.output.contains("Apple"), "\(later)")
    }

    private static let names = mapping(
        #""attributes":{"name":"$source.first + ' ' + $source.last"}"#)

    /// Xcode projects often have a folder of mapping models beside the model.
    @Test func aMappingModelInAFolderBesideTheModelIsUsed() throws {
        try folder.write(Self.names, to: "MappingModels/names.mapping.json")
        // A folder beside the model may have anything.
        try folder.write(#"{"mappings":{"properties":{}}}"#, to: "Search/index.mapping.json")
        let way = "v1 to v2, by the mapping model ./MappingModels/names.mapping.json"
        let plan = try run("migrate", "Staff", "--store", "s.sqlite", "--plan")
        #expect(plan.output.contains(way), "\(plan)")
        // The same from within the model's folder.
        let inside = try Program.run(
            "migrate", ".", "--store", "../s.sqlite", "--plan", folder: folder.path + "/Staff")
        #expect(
            inside.output.contains("by the mapping model ./../MappingModels/names.mapping.json"),
            "\(inside)")
        let done = try run("migrate", "Staff", "--store", "s.sqlite")
        #expect(done.status == 0, "\(done)")
        let all = try run("export", "Staff", "--store", "s.sqlite")
        #expect(all.output.contains(#""name":"Ann Lee""#), "\(all)")
        // A second one for the same step is refused, wherever it is.
        try folder.write(Self.names, to: "More/names.mapping.json")
        try folder.write(#"{"first":"Bo","last":"Ek"}"#, to: "Person.ndjson")
        let older = try run("import", "Staff/v1.json", "--store", "t.sqlite", "Person.ndjson")
        #expect(older.status == 0, "\(older)")
        let two = try run("migrate", "Staff", "--store", "t.sqlite", "--plan")
        #expect(two.status == 1 && two.errors.contains("./More/names.mapping.json"), "\(two)")
    }

    @Test func aPlanThatRemovesSaysWhereMappingModelsWereLookedFor() throws {
        let line =
            "\nno mapping model (.xcmappingmodel, .cdm, .mapping.json) was found in ., in the "
            + "folders in it, and in Staff\n"
        let elsewhere = try TemporaryFolder()
        try elsewhere.write(Self.names, to: "names.mapping.json")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/Linked", withDestinationPath: elsewhere.path)
        for place in [".old", "Other.xcdatamodeld", "Other.momd", "Other", "A/B"] {
            try folder.write(Self.names, to: "\(place)/names.mapping.json")
        }
        try folder.write(Self.version("first"), to: "Other/v1.json")
        let plan = try run("migrate", "Staff", "--store", "s.sqlite", "--plan")
        #expect(plan.status == 0 && plan.output.contains("removes Person.last"), "\(plan)")
        #expect(plan.output.contains(line), "\(plan.output)")
        let refused = try run("serve", "Staff", "--port", "0", "--store", "s.sqlite")
        #expect(refused.status == 1 && refused.errors.contains(line), "\(refused.errors)")
        // Nothing is removed.
        try folder.write(Self.version("first", "last", "age"), to: "Staff/v2.json")
        let harmless = try run("migrate", "Staff", "--store", "s.sqlite", "--plan")
        #expect(harmless.status == 0 && !harmless.output.contains("found in"), "\(harmless)")
    }
}
