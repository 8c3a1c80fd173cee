/// `stele diff`, as a user runs it.

import Foundation
import TestSupport
import Testing

@Suite struct DiffTests {
    @Test func equalModelsPrintNothing() throws {
        let league = samplePath("League")
        let found = try Program.run("diff", league, league)
        #expect(found.status == 0 && found.output.isEmpty && found.errors.isEmpty)
    }

    @Test func versionsOfAPackageDiffer() throws {
        try withFolder { folder in
            let package = folder.appendingPathComponent("Shop.xcdatamodeld")
            let age = #"<attribute name="age" attributeType="Integer 16"/>"#
            for (name, attribute) in [
                ("Shop", age), ("Shop 2", age.replacingOccurrences(of: "16", with: "32")),
            ] {
                let version = package.appendingPathComponent("\(name).xcdatamodel")
                try FileManager.default.createDirectory(
                    at: version, withIntermediateDirectories: true)
                let text = #"<model><entity name="Item">\#(attribute)</entity></model>"#
                try Data(text.utf8).write(to: version.appendingPathComponent("contents"))
            }
            let (status, output, errors) = try Program.run(
                "diff", "\(package.path)/Shop.xcdatamodel", package.path)
            #expect(status == 1 && errors.isEmpty)
            #expect(
                output == """
                    Shop → Shop 2
                    ~ entity Item
                        ~ attribute age
                            type: Integer 16 → Integer 32

                    A store is migrated by inference (lightweight migration).

                    """)
        }
    }

    /// The compiler sets the flags of requests that the source does not say.
    @Test(.enabled(if: sharedFolder != nil, "the shared data is not here"))
    func aCompiledModelHasTheRequestsOfItsSource() throws {
        let models = try #require(sharedFolder).path + "/data/coredata/swiftgen/Model"
        let (status, output, errors) = try Program.run(
            "diff", "\(models).momd", "\(models).xcdatamodeld")
        #expect(status == 1 && errors.isEmpty)
        #expect(output.contains("fetched property fetchedProperty"))
        for words in ["fetch request", "includes", "returns"] {
            #expect(!output.contains(words), "\(output)")
        }
    }

    @Test func aModelThatCannotBeReadIsTrouble() throws {
        let found = try Program.run("diff", samplePath("League"), "no-such-model")
        #expect(found.status == 2 && found.errors.hasPrefix("stele: no-such-model"))
    }
}
