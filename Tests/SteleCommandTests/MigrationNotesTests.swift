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
            "write what it does as expressions in a mapping file, such as {\"from\":\"v1\", "
            + "\"to\":\"v2\", \"mappings\":[{\"source\":\"Person\", "
            + "\"destination\":\"Person\", \"attributes\":{\"NAME\":\"EXPRESSION\"}}]}, and give "
            + "it by --mapping FILE, which is taken before others; or carry out the migration in a "
            + "Swift program that passes the policy"
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
        // What the message says works.
        try folder.write(Self.names, to: "Own/names.mapping.json")
        let done = try run(
            "migrate", "Staff", "--store", "s.sqlite", "--mapping", "Own/names.mapping.json")
        #expect(done.status == 0 && done.output.contains("by the mapping model Own/"), "\(done)")
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

    /// A file that cannot be read could be the mapping model of a step that is inferred.
    @Test(arguments: [
        "junk.cdm", "Maps/Old/junk.xcmappingmodel/xcmapping.xml", "junk.mapping.json",
    ])
    func aFileOfNonsenseMattersOnlyWhereInferenceRemovesSomething(_ path: String) throws {
        let name = path.replacingOccurrences(of: "/xcmapping.xml", with: "")
        try folder.write("nonsense", to: path)
        let before = try FolderState(folder.path)
        for options in [["--plan"], []] {
            let refused = try Program.run(
                ["migrate", "Staff", "--store", "s.sqlite"] + options, folder: folder.path)
            #expect(refused.status == 1 && refused.errors.contains(name), "\(refused)")
        }
        #expect(try FolderState(folder.path) == before)
        // Another mapping model is there for the step.
        try folder.write(Self.names, to: "Own/names.mapping.json")
        let mapped = try run("migrate", "Staff", "--store", "s.sqlite", "--plan")
        #expect(mapped.status == 0 && mapped.output.contains(name), "\(mapped)")
        try FileManager.default.removeItem(atPath: folder.path + "/Own")
        // Nothing is removed.
        try folder.write(Self.version("first", "last", "age"), to: "Staff/v2.json")
        let done = try run("migrate", "Staff", "--store", "s.sqlite")
        #expect(done.status == 0, "\(done)")
        #expect(done.output.contains(name) && done.output.contains("it is not used"), "\(done)")
        // A store of the current version needs no mapping model.
        let again = try run("migrate", "Staff", "--store", "s.sqlite")
        #expect(again.status == 0 && !again.output.contains(name), "\(again)")
    }

    /// The files that are named are taken before those that are found.
    @Test func mappingModelsAreNamedByAnOption() throws {
        let elsewhere = try TemporaryFolder()
        try elsewhere.write(Self.names, to: "Maps/Deep/names.mapping.json")
        try folder.write(Self.mapping(#""attributes":{"name":"'found'"}"#), to: "a.mapping.json")
        func plan(_ path: String) throws -> (status: Int32, output: String, errors: String) {
            try run("migrate", "Staff", "--store", "s.sqlite", "--plan", "--mapping", path)
        }
        for path in ["Maps", "Maps/Deep/names.mapping.json"] {
            let planned = try plan(elsewhere.path + "/" + path)
            #expect(
                planned.status == 0
                    && planned.output.contains(
                        "by the mapping model \(elsewhere.path)/Maps/Deep/names.mapping.json"),
                "\(planned)")
        }
        try elsewhere.write("{", to: "broken.cdm")
        for (path, message) in [
            ("nowhere", "there is no such file or folder"), ("broken.cdm", "broken.cdm"),
        ] {
            let refused = try plan(elsewhere.path + "/" + path)
            #expect(refused.status == 1 && refused.errors.contains(message), "\(refused)")
        }
        let offered = try Program(
            [
                "serve", "Staff", "--port", "0", "--store", "s.sqlite", "--mapping",
                elsewhere.path + "/Maps",
            ],
            folder: folder.path
        ).end()
        #expect(
            offered.status == 1
                && offered.errors.contains("s.sqlite --mapping \(elsewhere.path)/Maps"),
            "\(offered)")
        let program = try Program(
            ["serve", "Staff", "--port", "0", "--store", "s.sqlite", "--migrate"],
            environment: ["STELE_MAPPING": elsewhere.path + "/Maps"], folder: folder.path)
        let person = try Caller(program.lines(3)).ask("GET", "/Person/1")
        #expect(person?.body.contains(#""name":"Ann Lee""#) == true, "\(person as Any)")
        program.signal(SIGTERM)
        #expect(program.end().status == 0)
    }

    @Test func aPlanThatRemovesSaysWhereMappingModelsWereLookedFor() throws {
        let line =
            "\nno mapping model (.xcmappingmodel, .cdm, .mapping.json) was found in ., two folders deep in "
            + "it, and in Staff\n"
        let elsewhere = try TemporaryFolder()
        try elsewhere.write(Self.names, to: "names.mapping.json")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/Linked", withDestinationPath: elsewhere.path)
        for place in [".old", "Other.xcdatamodeld", "Other.momd", "Other", "A/B/C"] {
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
