/// `stele model swift`, as a user runs it; and the samples' seeds.

import Foundation
import SteleModel
import TestSupport
import Testing

@Suite struct ModelSwiftTests {
    private let league = samplePath("League")

    @Test func filesAreWrittenWhereTheyDiffer() throws {
        try withFolder { folder in
            let output = folder.appendingPathComponent("deep/er").path
            let first = try Program.run("model", "swift", league, "--output", output)
            #expect(first.status == 0 && first.errors.isEmpty)
            let names = ["LeagueModel.swift", "Player.swift", "Team.swift"]
            #expect(
                first.output.split(separator: "\n").sorted() == names.map { "\(output)/\($0)" })
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: output).sorted() == names)
            let second = try Program.run("model", "swift", league, "-o", output)
            #expect(second.status == 0 && second.output.isEmpty)
            let printed = try Program.run("model", "swift", league)
            // As one file it is the same with one head.
            let team = try String(contentsOfFile: "\(output)/Team.swift", encoding: .utf8)
            let code = try #require(team.range(of: "public import Stele\n"))
            #expect(printed.status == 0 && printed.output.contains(team[code.upperBound...]))
        }
    }

    /// The names of the generated types stay when a version is added.
    @Test func theModelsTypeHasTheNameThatItsVersionsShare() throws {
        let folder = try TemporaryFolder()
        for version in 1...2 {
            try folder.write(
                #"{"entities":[{"name":"Person","attributes":[{"name":"a","type":"String"}]}]}"#,
                to: "Staff/v\(version).json")
            let output = folder.path + "/Sources"
            let made = try Program.run(
                "model", "swift", folder.path + "/Staff", "--output", output)
            #expect(made.status == 0, "\(made.errors)")
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: output).sorted()
                    == ["Person.swift", "StaffModel.swift"])
            // The class stays as it is; the model has a version more.
            let written = (version == 1 ? ["Person.swift"] : []) + ["StaffModel.swift"]
            #expect(made.output == written.map { "\(output)/\($0)\n" }.joined())
        }
    }

    @Test func aFileOfSomebodyElseIsKept() throws {
        try withFolder { folder in
            let own = folder.appendingPathComponent("Team.swift")
            try Data("// mine\n".utf8).write(to: own)
            let (status, output, errors) = try Program.run(
                "model", "swift", league, "--output", folder.path)
            #expect(status == 1 && output.isEmpty)
            #expect(
                errors == "stele: \(folder.path)/Team.swift exists, and stele has not"
                    + " written it; move it, or give another --output\n")
            #expect(try String(contentsOf: own, encoding: .utf8) == "// mine\n")
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["Team.swift"])
        }
    }

    @Test func mistakesAreSentences() throws {
        let missing = try Program.run("model", "swift", "no-such-model")
        #expect(missing.status == 1 && missing.errors.hasPrefix("stele: "))
        let file = packageRoot.appendingPathComponent("README.md").path
        let blocked = try Program.run("model", "swift", league, "--output", file)
        #expect(blocked.status == 1 && blocked.errors.hasPrefix("stele: \(file) cannot be written"))
        #expect(try Program.run("model", "swift").status == 64)
        // Without a word it prints the model, as it always did.
        let printed = try Program.run("model", league)
        #expect(try printed.output == Program.run("model", "print", league).output)
    }

    /// The seeds, with the keys that their references use.
    static let seeds: [(name: String, keys: [String])] = [
        ("BasicApplication", []),
        ("Catalog", ["Product.name", "Country.name", "Manufacturer.name"]),
        ("Counter", []), ("League", ["Team.name"]), ("LeagueManager", ["Team.name"]),
        ("Movies", []), ("OrgChart", ["Person.id"]), ("Recipes", ["Chef.name", "Recipe.name"]),
        ("Shapes", ["Shape.name", "Transform.scale", "Vertex.index"]), ("Stash", ["Category.name"]),
        ("Tasks", ["Location.name"]),
    ]

    @Test func eachSeedIsTested() throws {
        let folder = packageRoot.appendingPathComponent("Config/Seeds").path
        let present = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        #expect(present == Self.seeds.map(\.name))
    }

    @Test(arguments: seeds)
    func aSeedFitsItsModel(_ seed: (name: String, keys: [String])) throws {
        try withFolder { folder in
            let seeds = packageRoot.appendingPathComponent("Config/Seeds/\(seed.name)").path
            let files = try FileManager.default.contentsOfDirectory(atPath: seeds).sorted()
            var arguments = ["import", samplePath(seed.name), "--store", folder.path + "/s.sqlite"]
            for key in seed.keys { arguments += ["--key", key] }
            let program = try Program(
                arguments + files.map { "\(seeds)/\($0)" },
                environment: ["STELE_ENCRYPTION_KEY": String(repeating: "5e", count: 32)])
            let (status, errors) = program.end()
            #expect(status == 0, "\(errors)")
        }
    }
}
