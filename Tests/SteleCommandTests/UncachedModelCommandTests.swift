/// Stores of apps without a model of their own, or with another store's, by the commands.

import Foundation
import SteleModel
import SteleModelFiles
import TestSupport
import Testing

@Suite struct UncachedModelCommandTests {
    private let folder: TemporaryFolder
    private var path: String { folder.path + "/s.sqlite" }

    init() throws { folder = try TemporaryFolder() }

    private func run(
        _ arguments: String...
    ) throws -> (status: Int32, output: String, errors: String) {
        try Program.run(arguments, folder: folder.path)
    }

    /// Runs a command that is to end, for ten seconds at most.
    private func runBriefly(
        _ arguments: [String]
    ) throws -> (status: Int32, output: String, errors: String) {
        let program = try Program(
            ["-k", "1", "10", Program.path] + arguments, folder: folder.path,
            file: "/usr/bin/timeout")
        let (status, errors) = program.end()
        return (status, program.text, errors)
    }

    private static func model(_ type: String, more: String = "", entity: String = "Item") -> String
    {
        #"{"entities":[{"name":"\#(entity)","attributes":[{"name":"code","type":"\#(type)"}\#(more)]}]}"#
    }

    /// A store of an app, made with a model.
    private func make(_ model: String) throws {
        try folder.write("{\"code\":12}\n{\"code\":9}\n", to: "Item.ndjson")
        let made = try run("import", model, "--store", "s.sqlite", "Item.ndjson")
        try #require(made.status == 0, "\(made.errors)")
        try makeBareStore(try ModelFile.read(folder.path + "/" + model).model(), at: path)
    }

    /// The version is that of the columns' types, which says what is to be migrated.
    @Test func theVersionIsFoundByTheTypesOfColumns() throws {
        for type in ["String", "Double"] {
            try folder.write(Self.model("Integer 32"), to: "M/v1.json")
            try make("M/v1.json")
            try RawDatabase(path).run("DELETE FROM Z_MODELCACHE")
            try folder.write(Self.model(type), to: "M/v2.json")
            let plan = try run("migrate", "M", "--store", "s.sqlite", "--plan")
            if type == "String" {
                #expect(
                    plan.status == 1
                        && plan.errors.contains("Item.code is of type String and was Integer 32"),
                    "\(plan)")
            } else {
                #expect(plan.status == 0 && plan.output.contains("v1 to v2, inferred"), "\(plan)")
                let done = try run("migrate", "M", "--store", "s.sqlite")
                #expect(done.status == 0, "\(done)")
                #expect(
                    try RawDatabase(path).texts(
                        "SELECT type FROM pragma_table_info('ZITEM') WHERE name = 'ZCODE'")
                        == ["FLOAT"])
            }
            let alone = try run("inspect", "s.sqlite", "--model", "M")
            let version = type == "String" ? "v1" : "v2 (current)"
            #expect(alone.output.contains(version), "\(alone.output)")
            for file in ["s.sqlite", "M/v2.json"] {
                try FileManager.default.removeItem(atPath: folder.path + "/" + file)
            }
        }
    }

    /// The types are named where no version has them.
    @Test func aStoreOfNoVersionNamesTheColumn() throws {
        try folder.write(Self.model("Integer 32"), to: "old.json")
        try make("old.json")
        try RawDatabase(path).run("DELETE FROM Z_MODELCACHE")
        try folder.write(Self.model("String"), to: "new.json")
        for arguments in [
            ["serve", "new.json", "--store", "s.sqlite", "--port", "0"],
            ["export", "new.json", "--store", "s.sqlite"],
            ["migrate", "new.json", "--store", "s.sqlite"],
            ["inspect", "s.sqlite", "--model", "new.json"],
        ] {
            let end = try runBriefly(arguments)
            #expect(end.status != 0 || arguments[0] == "inspect", "\(arguments): \(end)")
            #expect(
                (end.errors + end.output).contains(
                    "the column ZCODE of its table ZITEM is of the type INTEGER"),
                "\(arguments): \(end)")
        }
    }

    /// What is advised works.
    @Test func aModelOfAnotherStoreIsNoAdvice() throws {
        try folder.write(Self.model("Integer 32"), to: "M/v1.json")
        try make("M/v1.json")
        try folder.write(Self.model("String", entity: "Zed"), to: "z.json")
        try folder.write("{\"code\":\"a\"}", to: "Zed.ndjson")
        #expect(try run("import", "z.json", "--store", "z.sqlite", "Zed.ndjson").status == 0)
        try RawDatabase(path).run(
            "ATTACH '\(folder.path)/z.sqlite' AS z; "
                + "UPDATE Z_MODELCACHE SET Z_CONTENT = (SELECT Z_CONTENT FROM z.Z_MODELCACHE)")
        let more = #",{"name":"n","type":"Integer 16"}"#
        try folder.write(Self.model("Integer 32", more: more), to: "new.json")
        for arguments in [
            ["migrate", "new.json", "--store", "s.sqlite"],
            ["serve", "new.json", "--store", "s.sqlite", "--port", "0"],
            ["serve", "s.sqlite", "--port", "0"], ["export", "new.json", "--store", "s.sqlite"],
        ] {
            let refused = try runBriefly(arguments)
            #expect(refused.status == 1, "\(arguments): \(refused)")
            #expect(
                !refused.errors.contains("with its own model")
                    && !refused.errors.contains("stele model contents"), "\(refused.errors)")
            #expect(
                refused.errors.contains("the version that the store was made with")
                    || refused.errors.contains("use the model that the store was made with")
                    || refused.errors.contains("stele serve MODEL --store s.sqlite"),
                "\(arguments): \(refused.errors)")
        }
        // The version beside the new one is what the sentence asks for.
        try folder.write(Self.model("Integer 32", more: more), to: "M/v2.json")
        let done = try run("migrate", "M", "--store", "s.sqlite")
        #expect(done.status == 0 && done.output.contains("adds Item.n"), "\(done)")
    }
}
