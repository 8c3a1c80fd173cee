// `.momd` folders that Stele writes.

import Foundation
import SteleModel
import SteleModelFiles
import TestSupport
import Testing

@Suite struct CompiledFolderTests {
    private static func shapes() throws -> ModelFile {
        try ModelFile.read(packageRoot.appending(path: "Config/Models/Shapes.xcdatamodeld").path)
    }

    @Test func allVersionsAreReadAgain() throws {
        try withFolder { folder in
            let path = folder.appending(path: "Shapes.momd").path
            let file = try Self.shapes()
            let notes = try file.writeCompiled(to: path)
            let names = ["Shapes", "Shapes 2", "Shapes 3", "Shapes 4", "Shapes 5"]
            #expect(
                notes.map(\.description) == [
                    "VersionInfo.plist: it has no version hashes of "
                        + names.joined(separator: ", ")
                        + ": only Core Data computes them (a store that Core Data made with that "
                        + "version has them: stele model momd STORE)"
                ])
            let files = try FileManager.default.contentsOfDirectory(atPath: path).sorted()
            #expect(files == (names.map { $0 + ".mom" } + ["VersionInfo.plist"]).sorted())
            let again = try ModelFile.read(path)
            #expect(again.notes == [])
            #expect(again.name == "Shapes")
            #expect(again.currentVersionName == file.currentVersionName)
            #expect(again.versionHashes.isEmpty)
            #expect(again.versions.map(\.name) == names)
            for (version, before) in zip(again.versions, file.versions) {
                let difference = ModelFacts.difference(
                    try version.withoutTheEditors(), try before.withoutTheEditors())
                #expect(difference == nil, "\(difference ?? "")")
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 1)
        }
    }

    @Test(.enabled(if: sharedFolder != nil, "the shared data is not here"))
    func knownHashesAreKept() throws {
        try withFolder { folder in
            let file = try ModelFile.read(CompiledModelTests.path("swiftgen/Model.momd"))
            let path = folder.appending(path: "Model.momd").path
            #expect(try file.writeCompiled(to: path) == [])
            let again = try ModelFile.read(path)
            #expect(again.versions == file.versions)
            #expect(again.currentVersionName == "Model 2")
            #expect(again.versionHashes == file.versionHashes)
            #expect(again.versionHashes["Model 2"]?.count == 8)
        }
    }

    @Test func onlyACompiledModelIsReplaced() throws {
        try withFolder { folder in
            let path = folder.appending(path: "Shapes.momd").path
            var file = try Self.shapes()
            _ = try file.writeCompiled(to: path)
            func complaint(_ path: String, _ replaces: Bool) -> String {
                #expect(throws: ModelErrors.self) {
                    try file.writeCompiled(to: path, replaces: replaces)
                }?.description ?? ""
            }
            #expect(complaint(path, false).contains("it exists already"))
            file.versions.removeFirst()
            _ = try file.writeCompiled(to: path, replaces: true)
            #expect(try ModelFile.read(path).versions.count == 4)

            let notes = folder.appending(path: "Shapes.momd/notes.txt").path
            try Data("mine".utf8).write(to: URL(filePath: notes))
            #expect(complaint(path, true).contains("has other files than a compiled model"))
            #expect(try String(contentsOfFile: notes, encoding: .utf8) == "mine")
            #expect(try ModelFile.read(path).versions.count == 4)
            let plain = folder.appending(path: "plain.momd").path
            try Data("mine".utf8).write(to: URL(filePath: plain))
            #expect(complaint(plain, true).contains("it exists already"))
            let nowhere = folder.appending(path: "none/Shapes.momd").path
            #expect(complaint(nowhere, false).contains("it cannot be written"))
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
                    == ["Shapes.momd", "plain.momd"])
        }
    }

    @Test func aNameThatIsNoFileNameIsRefused() throws {
        try withFolder { folder in
            for name in ["", "../other", "a/b"] {
                let file = ModelFile(ManagedObjectModel(name: name))
                let path = folder.appending(path: "M.momd").path
                let error = #expect(throws: ModelErrors.self) { try file.writeCompiled(to: path) }
                #expect(error?.description.contains("cannot be the name of a file") == true)
                let source = folder.appending(path: "M.xcdatamodeld").path
                #expect(throws: ModelErrors.self) { try file.writeSource(to: source) }
            }
            let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(left.isEmpty)
        }
    }

    // MARK: What no archive has

    private static func complaint(_ json: String) throws -> String {
        let model = try Model(ManagedObjectModel(json: Array(json.utf8), name: "M"))
        return #expect(throws: ModelErrors.self) {
            try CompiledModelWriter.bytes(of: model)
        }?.description ?? ""
    }

    @Test func aCompositeAttributeIsRefused() throws {
        let composite = """
            {"composites": [{"name": "C", "attributes": [{"name": "x", "type": "Double"}]}],
             "entities": [{"name": "E", "attributes": [
                {"name": "place", "type": "Composite", "composite": "C"}]}]}
            """
        #expect(
            try Self.complaint(composite)
                == "E.place: it cannot be compiled: it is composite, and how the framework "
                + "archives composite attributes is not known")
        let model = try Model(ManagedObjectModel(json: Array(composite.utf8), name: "M"))
        #expect(ModelCache.bytes(of: model) == nil)
    }

    @Test func aTextThatCannotBeReadAgainIsRefused() throws {
        var model = ManagedObjectModel(name: "M")
        var entity = EntityDescription(name: "E")
        entity.userInfo = [UserInfoEntry(key: "k", value: "a\u{1}")]
        model.entities = [entity]
        let checked = try Model(model)
        let error = #expect(throws: ModelErrors.self) { try CompiledModelWriter.bytes(of: checked) }
        #expect(
            error?.description
                == "E: it cannot be compiled: it has a text with a control character, which XML "
                + "cannot represent")
        let predicate = """
            {"entities": [{"name": "E"}],
             "fetchRequests": [{"name": "f", "entity": "E", "predicate": "a ==== 1"}]}
            """
        #expect(
            try Self.complaint(predicate).hasPrefix(
                "fetch request f: it cannot be compiled: it has the predicate a ==== 1, which "
                    + "cannot be read: "))
    }

    /// Every kind of setting in one model, which no sample has.
    @Test func allSettingsAreReadAgain() throws {
        let json = #"""
            {"versionIdentifier": "7", "entities": [
              {"name": "Base", "abstract": true, "class": "App.Base", "versionHashModifier": "m",
               "renamingIdentifier": "Old", "userInfo": {"a": "1", "b": "é"},
               "attributes": [
                {"name": "i16", "type": "Integer 16", "default": -7, "minimum": -9, "maximum": 9},
                {"name": "i64", "type": "Integer 64", "default": 9007199254740993},
                {"name": "dec", "type": "Decimal", "default": "-12.50", "minimum": "-100.5"},
                {"name": "dbl", "type": "Double", "default": 1.5, "maximum": 2.5},
                {"name": "flt", "type": "Float", "default": 0.25},
                {"name": "flag", "type": "Boolean", "default": true, "optional": false},
                {"name": "text", "type": "String", "default": "x", "minimum": 1, "maximum": 80,
                 "regularExpression": "[a-z]+", "versionHashModifier": "n",
                 "renamingIdentifier": "oldText", "userInfo": {"k": "v"}, "indexed": true},
                {"name": "when", "type": "Date", "default": 12.5, "minimum": -1.5},
                {"name": "bytes", "type": "Binary", "default": "AAH/", "externalStorage": true,
                 "preserveAfterDeletion": true},
                {"name": "id", "type": "UUID", "default": "00000000-0000-0000-0000-00000000002A"},
                {"name": "link", "type": "URI", "default": "https://example.org/a"},
                {"name": "any", "type": "Transformable", "valueTransformer": "T", "class": "C"},
                {"name": "loose", "type": "Undefined", "transient": true}],
               "uniquenessConstraints": [["text"], ["i16", "i64"]],
               "indexes": [
                {"name": "one", "elements": ["dbl"]},
                {"name": "two", "elements": ["i16", {"property": "when", "ascending": false}]},
                {"name": "some", "elements": ["flag"], "predicate": "flag == 1"},
                {"name": "lower", "elements": [
                 {"expression": "lowercase(text)", "expressionType": "String"}]}],
               "compoundIndexes": [["flt", "flag"]]},
              {"name": "Leaf", "parent": "Base",
               "attributes": [
                {"name": "count", "type": "Integer 64", "derivation": "members.@count"},
                {"name": "total", "type": "Double", "derivation": "members.dbl.@sum"},
                {"name": "plain", "type": "String", "derivation": "canonical:(text)"},
                {"name": "upper", "type": "String", "derivation": "owner.text"},
                {"name": "changed", "type": "Date", "derivation": "now()"}],
               "relationships": [
                {"name": "members", "destination": "Leaf", "inverse": "owner", "toMany": true,
                 "ordered": true, "minimumCount": 1, "maximumCount": 5, "deleteRule": "Cascade"},
                {"name": "owner", "destination": "Leaf", "inverse": "members",
                 "deleteRule": "Deny", "optional": false, "versionHashModifier": "r"},
                {"name": "alone", "destination": "Base", "transient": true,
                 "deleteRule": "No Action", "userInfo": {"k": "v"}}],
               "fetchedProperties": [
                {"name": "same", "fetchRequest": {"entity": "Leaf",
                 "predicate": "text == $FETCH_SOURCE.text AND NOT flag == 1"}}]}],
             "fetchRequests": [
              {"name": "some", "entity": "Leaf", "predicate": "ANY members.text LIKE[c] $T",
               "fetchLimit": 3, "fetchBatchSize": 2, "returnsDistinctResults": true},
              {"name": "ids", "entity": "Base", "resultType": "objectIDs"},
              {"name": "rows", "entity": "Base", "resultType": "dictionaries"}],
             "configurations": [{"name": "C", "entities": ["Base", "Leaf"]}]}
            """#
        let before = try ManagedObjectModel(json: Array(json.utf8), name: "M")
        let again = try CompiledModelWriterTests.again(before)
        let difference = ModelFacts.difference(
            try again.withoutTheEditors(), try before.withoutTheEditors())
        #expect(difference == nil, "\(difference ?? "")")
        // The cache of a store has the same archive.
        let cache = try #require(ModelCache.bytes(of: Model(before)))
        #expect(try ModelCache.read(cache, name: "M", place: "M.sqlite").0 == again)
    }
}
