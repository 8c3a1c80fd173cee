/// Numeric types that change, as a user sees them: the difference, the plan, the migration, and
/// serving.

import Foundation
import SteleModelFiles
import TestSupport
import Testing

@Suite struct NumericChangeTests {
    private let folder: TemporaryFolder

    /// A store of the first of two versions.
    init() throws {
        folder = try TemporaryFolder()
        try write("Integer 32", to: "v1")
        try folder.write(
            """
            {"name":"Ann","age":7}
            {"name":"Bob","age":70000}
            {"name":"Cy"}
            {"name":"Di","age":-40000}

            """, to: "Person.ndjson")
    }

    private func write(_ type: String, to version: String) throws {
        try folder.write(
            #"{"entities":[{"name":"Person","attributes":[{"name":"name","type":"String"},"#
                + #"{"name":"age","type":"\#(type)"}]}]}"#, to: "Staff/\(version).json")
    }

    private func run(
        _ arguments: String...
    ) throws -> (status: Int32, output: String, errors: String) {
        try Program.run(arguments, folder: folder.path)
    }

    private func make(_ name: String) throws {
        let made = try run("import", "Staff/v1.json", "--store", name, "Person.ndjson")
        try #require(made.status == 0, "\(made.errors)")
    }

    private func ages(_ name: String) throws -> String {
        let found = try run("export", "Staff", "--store", name)
        return found.output.split(separator: "\n").map { line in
            line.firstRange(of: #""age":"#).map {
                line[$0.upperBound...].prefix { $0 != "," && $0 != "}" }
            }
            .map(String.init) ?? "none"
        }.joined(separator: " ")
    }

    @Test(arguments: ["s.sqlite", "s.xml", "s.binary"])
    func aWiderTypeIsMigratedAndANarrowerOneRefused(_ store: String) throws {
        try make(store)
        try write("Integer 16", to: "v2")
        let plan = try run("migrate", "Staff", "--store", store, "--plan")
        let line = "Person.age is of type Integer 16 and was Integer 32"
        #expect(plan.output.contains("- \(line)\n"), "\(plan)")
        #expect(
            plan.output.contains(
                "- requires: \(line): all values of Person.age must be whole numbers from -32768 "
                    + "to 32767"), "\(plan)")
        let refused = try run("migrate", "Staff", "--store", store)
        #expect(refused.status == 1)
        #expect(
            refused.errors.contains(
                "\(line), and the value of age does not fit for 2 objects of Person"),
            "\(refused)")
        #expect(
            refused.errors.contains("\n  - Person 2: 70000\n  - Person 4: -40000"), "\(refused)")
        try write("Double", to: "v2")
        let difference = try run("diff", "Staff/v1.json", "Staff/v2.json")
        #expect(
            difference.output.contains("A store is migrated by inference (lightweight migration)."),
            "\(difference)")
        let done = try run("migrate", "Staff", "--store", store)
        #expect(done.status == 0, "\(done)")
        let found = try ages(store)
        #expect(found == "7 70000 null -40000")
    }

    /// It is made again beside the old one.
    @Test func aStoreOfAnAppIsMigratedToo() throws {
        try make("s.sqlite")
        try makeBareStore(
            try ModelFile.read(folder.path + "/Staff/v1.json").model(),
            at: folder.path + "/s.sqlite")
        try write("Integer 16", to: "v2")
        let refused = try run("migrate", "Staff", "--store", "s.sqlite")
        #expect(
            refused.status == 1 && refused.errors.contains("  - Person 2: 70000\n"), "\(refused)")
        try write("Decimal", to: "v2")
        let done = try run("migrate", "Staff", "--store", "s.sqlite")
        #expect(done.status == 0, "\(done)")
        let found = try ages("s.sqlite")
        #expect(found == "7 70000 null -40000")
    }

    @Test func servingMigratesIt() throws {
        try make("s.sqlite")
        try write("Decimal", to: "v2")
        let program = try Program(
            ["serve", "Staff", "--store", "s.sqlite", "--migrate", "--port", "0"],
            folder: folder.path)
        let lines = program.lines(3)
        try #require(lines.count == 3, "\(program.end().errors)")
        let found = try Caller(lines).ask("GET", "/Person?where=age%20%3E%2069999.5")
        #expect(found?.status == 200)
        #expect(found?.body.contains("70000") == true, "\(found?.body ?? "")")
        program.signal(SIGTERM)
        #expect(program.end().status == 0)
    }
}
