/// What the plan of a migration says beside its steps, wherever a command prints it.

import Foundation
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
        let program = try Program(arguments, folder: folder.path)
        let (status, errors) = program.end()
        return (status, program.text, errors)
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
            #expect(errors.hasSuffix("\n\(remedy)\n"), "\(errors)")
            #expect(!errors.contains("--migrate") && !errors.contains("does this"), "\(errors)")
        }
        let served = try run("serve", "Staff", "--port", "0", "--store", "s.sqlite", "--migrate")
        #expect(served.status == 1 && served.errors.contains(line), "\(served.errors)")
        #expect(served.errors.hasSuffix("(\(remedy))\n"), "\(served.errors)")
        #expect(try FolderState(folder.path) == before)
    }
}
