/// A store of one configuration, without the stores of the others.

import Foundation
import SteleModel
import SteleModelFiles
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct StoreAloneTests {
    private static let key = ["STELE_ENCRYPTION_KEY": String(repeating: "5e", count: 32)]
    private let stash = samplePath("Stash")
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Serves with the arguments, and ends the service after `body`.
    /// - Returns: the first line of its output, and what it logged.
    @discardableResult
    private func serve(
        _ arguments: [String], _ body: (Caller) throws -> Void
    ) throws -> (title: String, log: String) {
        let program = try Program(
            ["serve"] + arguments + ["--port", "0"], environment: Self.key, folder: folder.path)
        let lines = program.lines(3)
        let title = try #require(lines.first, "\(program.end().errors)")
        try body(try Caller(lines))
        program.signal(SIGTERM)
        let (status, log) = program.end()
        #expect(status == 0)
        return (title, log)
    }

    private func refused(_ arguments: [String]) throws -> String {
        let program = try Program(
            arguments, environment: Self.key, folder: folder.path)
        let (status, errors) = program.end()
        #expect(status == 1)
        return errors
    }

    /// Makes both stores, with an object in each.
    private func make(_ passwords: String) throws {
        try serve([stash, "--store", "Notes=notes.sqlite", "--store", "Passwords=\(passwords)"]) {
            caller in
            for (path, body) in [
                ("/Note", #"{"title":"first"}"#), ("/Category", #"{"name":"House"}"#),
                ("/System", #"{"name":"Router","userId":"admin","category":1}"#),
                ("/Note", #"{"title":"second"}"#),
            ] {
                #expect(caller.ask("POST", path, body)?.status == 201)
            }
            #expect(caller.ask("PATCH", "/System/1", #"{"name":"Old router"}"#)?.status == 200)
        }
    }

    private func cache(_ file: String) throws -> [UInt8] {
        try RawDatabase("\(folder.path)/\(file)").bytes("SELECT Z_CONTENT FROM Z_MODELCACHE")
    }

    /// With its own model, and with a model and the name of its configuration.
    @Test(arguments: [true, false])
    func itIsServedWithItsOwnEntities(_ hasOwnModel: Bool) throws {
        try make("passwords.sqlite")
        let before = try cache("passwords.sqlite")
        let arguments =
            hasOwnModel ? ["passwords.sqlite"] : [stash, "--store", "Passwords=passwords.sqlite"]
        let (title, log) = try serve(arguments) { caller in
            #expect(
                caller.ask("GET", "/System?select=name,category.name")?.body
                    == #"[{"name":"Old router","category.name":"House"}]"#)
            #expect(caller.ask("GET", "/Note")?.status == 404)
            let model = caller.ask("GET", "/model")?.json as? [String: Any]
            let entities = (model?["entities"] as? [[String: Any]])?.map { $0["name"] as? String }
            #expect(entities == ["Category", "List", "System"])
            // The history has the save of before, with the former values.
            let saves = caller.ask("GET", "/changes")?.json as? [[String: Any]]
            #expect(saves?.count == 3)
            #expect(caller.ask("POST", "/Category", #"{"name":"Office"}"#)?.status == 201)
        }
        #expect(
            title.contains(", 3 of 4 entities, from passwords.sqlite (sqlite)"), "\(title)")
        #expect(log.contains("the others are not served"), "\(log)")
        #expect(log.contains("entities=Note"), "\(log)")
        // The file keeps the whole model, and is one of several stores again.
        #expect(try cache("passwords.sqlite") == before)
        try serve([stash, "--store", "Notes=notes.sqlite,Passwords=passwords.sqlite"]) { caller in
            #expect(caller.ask("GET", "/Category/count")?.body == #"{"count":2}"#)
            #expect(caller.ask("GET", "/Note/count")?.body == #"{"count":2}"#)
        }
    }

    @Test(arguments: ["xml", "binary", "text"])
    func aStoreOfAnotherTypeIsServedByItsConfiguration(_ type: String) throws {
        try make("passwords.\(type)")
        let (title, _) = try serve([stash, "--store", "Passwords=passwords.\(type)"]) { caller in
            #expect(
                caller.ask("GET", "/System?select=name,category.name")?.body
                    == #"[{"name":"Old router","category.name":"House"}]"#)
            #expect(caller.ask("POST", "/Category", #"{"name":"Office"}"#)?.status == 201)
        }
        #expect(title == "Stash, 3 of 4 entities, from passwords.\(type) (\(type))")
        try serve([stash, "--store", "Notes=notes.sqlite,Passwords=passwords.\(type)"]) { caller in
            #expect(caller.ask("GET", "/Category/count")?.body == #"{"count":2}"#)
        }
    }

    @Test func itIsExportedAndImported() throws {
        try make("passwords.sqlite")
        let store = ["--store", "Notes=notes.sqlite"]
        func run(_ arguments: [String]) throws -> String {
            let program = try Program(arguments, environment: Self.key, folder: folder.path)
            let lines = program.lines(100)
            let (status, errors) = program.end()
            #expect(status == 0, "\(errors)")
            return lines.joined(separator: "\n")
        }
        let all = try run(["export", stash] + store)
        let titles = all.split(separator: "\n").map { $0.contains(#""_entity":"Note""#) }
        #expect(titles == [true, true], "\(all)")
        try folder.write(#"{"_entity":"Note","title":"third"}"#, to: "more.ndjson")
        _ = try run(["import", stash, "more.ndjson"] + store)
        #expect(
            try RawDatabase(folder.path + "/notes.sqlite").texts("SELECT ZTITLE FROM ZNOTE")
                == ["first", "second", "third"])
        try folder.write(#"{"_entity":"System","name":"x"}"#, to: "other.ndjson")
        #expect(try refused(["import", stash, "other.ndjson"] + store).contains("System"))
    }

    @Test(arguments: ["sqlite", "xml"])
    func aStoreWithoutItsConfigurationIsToldTheOption(_ type: String) throws {
        let file = "passwords.\(type)"
        try make(file)
        for command in [["serve", stash, "--port", "0"], ["migrate", stash]] {
            for store in [file, "Notes=\(file)"] {
                let errors = try refused(command + ["--store", store])
                #expect(errors.contains("--store Passwords=\(file)"), "\(store): \(errors)")
            }
        }
        let missing = try refused(["serve", stash, "--store", "Notes=typo.\(type)"])
        #expect(missing.hasPrefix("stele: typo.\(type): there is no such file"), "\(missing)")
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/typo.\(type)"))
        let both = ["--store", "Passwords=\(file)", "--store", "Notes=notes.sqlite"]
        for command in [
            ["migrate", stash], ["store", "metadata", stash],
            ["store", "migrate", stash, "--to", "new.xml"],
        ] {
            let errors = try refused(command + both)
            #expect(errors.contains("give one store at a time"), "\(command): \(errors)")
        }
    }

    /// The model may be the store itself, and `inspect` finds the configuration.
    @Test func commandsTakeItsOwnModel() throws {
        try make("passwords.sqlite")
        for command in [
            ["export", "passwords.sqlite", "--store", "passwords.sqlite", "--read-only"],
            ["migrate", "passwords.sqlite", "--store", "passwords.sqlite", "--plan"],
            ["inspect", "passwords.sqlite", "--model", stash], ["inspect", "passwords.sqlite"],
        ] {
            let program = try Program(command, environment: Self.key, folder: folder.path)
            let lines = program.lines(100)
            let (status, errors) = program.end()
            #expect(status == 0, "\(command): \(lines) \(errors)")
        }
    }

    /// A fetched property whose objects are in another store is left out, and a relationship that
    /// leads to one is an error.
    @Test func whatLeadsOutsideIsNotServed() throws {
        func model(_ more: String) -> String {
            """
            {"entities": [
                {"name": "A", "attributes": [{"name": "n", "type": "Integer 16"}]\(more),
                 "fetchedProperties": [{"name": "bs", "fetchRequest":
                    {"entity": "B", "predicate": "n == $FETCH_SOURCE.n"}}]},
                {"name": "B", "attributes": [{"name": "n", "type": "Integer 16"}]}],
             "fetchRequests": [{"name": "allB", "entity": "B"}, {"name": "allA", "entity": "A"}],
             "configurations": [{"name": "As", "entities": ["A"]},
                {"name": "Bs", "entities": ["B"]}]}
            """
        }
        try folder.write(model(""), to: "M.json")
        try serve(["M.json", "--store", "As=a.sqlite,Bs=b.sqlite"]) { caller in
            #expect(caller.ask("POST", "/A", #"{"n":1}"#)?.status == 201)
        }
        let (_, log) = try serve(["a.sqlite"]) { caller in
            #expect(
                caller.ask("GET", "/A/1")?.body == #"{"_id":1,"_entity":"A","_version":1,"n":1}"#)
            #expect(caller.ask("GET", "/A/1/bs")?.status == 404)
            #expect(caller.ask("GET", "/fetch/allA")?.status == 200)
            #expect(caller.ask("GET", "/fetch/allB")?.status == 404)
        }
        #expect(log.contains("property=A.bs"), "\(log)")
        let link = #", "relationships": [{"name": "b", "destination": "B"}]"#
        try folder.write(model(link), to: "M.json")
        let errors = try refused(["serve", "M.json", "--store", "As=a.sqlite"])
        #expect(errors.contains("A.b: the relationship leads to B"), "\(errors)")
    }

    /// An app may have a template that it never uses, and its model is in the store alone.
    @Test func aMistakenRequestOfItsOwnModelIsLeftOut() throws {
        func model(_ requests: String) -> String {
            """
            {"entities": [{"name": "A", "attributes": [{"name": "n", "type": "Integer 16"}],
                "fetchedProperties": [{"name": "old", "fetchRequest":
                    {"entity": "A", "predicate": "gone == $FETCH_SOURCE.n"}}]}],
             "fetchRequests": [\(requests)]}
            """
        }
        let requests = """
            {"name": "stale", "entity": "A", "predicate": "gone == 1"},
            {"name": "good", "entity": "A", "predicate": "n == 1"}
            """
        let plain =
            #"{"entities": [{"name": "A", "attributes": [{"name": "n", "type": "Integer 16"}]}]}"#
        try folder.write(plain, to: "M.json")
        try serve(["M.json", "--store", "a.sqlite"]) { caller in
            #expect(caller.ask("POST", "/A", #"{"n":1}"#)?.status == 201)
        }
        let declared = try ManagedObjectModel(json: Array(model(requests).utf8), name: "M")
        let bytes = try #require(ModelCache.bytes(of: Model(declared)))
        let hex = bytes.map { String(format: "%02x", $0) }.joined()
        try RawDatabase("\(folder.path)/a.sqlite").run(
            "UPDATE Z_MODELCACHE SET Z_CONTENT = X'\(hex)'")
        let (_, log) = try serve(["a.sqlite"]) { caller in
            #expect(caller.ask("GET", "/fetch/good")?.body.contains(#""n":1"#) == true)
            #expect(caller.ask("GET", "/fetch/stale")?.status == 404)
            #expect(caller.ask("GET", "/A/1/old")?.status == 404)
        }
        for place in ["fetch request stale: ", "A.old: "] {
            #expect(
                log.contains(place + "its predicate gone == ")
                    && log.contains("the request is left out"), "\(log)")
        }
        #expect(try cache("a.sqlite") == bytes)
        // A model that can be edited is refused.
        try folder.write(model(requests), to: "M.json")
        let errors = try refused(["serve", "M.json", "--store", "a.sqlite"])
        #expect(errors.contains("fetch request stale"), "\(errors)")
    }

    /// Two configurations may share an entity, and only one have what it is linked to.
    private func writeShared(_ more: String = "") throws {
        try folder.write(
            """
            {"entities": [
                {"name": "Note", "attributes": [{"name": "title", "type": "String"}],
                 "relationships": [{"name": "category", "destination": "Category"}]},
                {"name": "Category", "attributes": [{"name": "name", "type": "String"}\(more)]}],
             "configurations": [{"name": "Archive", "entities": ["Note", "Category"]},
                {"name": "Notes", "entities": ["Note"]}]}
            """, to: "M.json")
    }

    /// Commands on one store of several take it, although it cannot be served alone.
    @Test func commandsTakeAStoreWhoseRelationshipsLeadOutside() throws {
        try writeShared()
        try serve(["M.json", "--store", "Archive=archive.sqlite,Notes=notes.xml"]) { caller in
            #expect(
                caller.ask("POST", "/Note", #"{"title":"n","_store":"Notes"}"#)?.status == 201)
        }
        for command in [
            ["migrate", "M.json", "--plan", "--store", "Notes=notes.xml"],
            ["store", "metadata", "M.json", "--store", "Notes=notes.xml"],
            ["inspect", "Notes=notes.xml", "--model", "M.json"],
        ] {
            let program = try Program(command, folder: folder.path)
            let lines = program.lines(100)
            let (status, errors) = program.end()
            #expect(status == 0, "\(command): \(lines) \(errors)")
        }
        let errors = try refused(["serve", "M.json", "--store", "Notes=notes.xml"])
        #expect(errors.contains("Note.category: the relationship leads to Category"), "\(errors)")
    }

    /// A configuration of all entities is not a part.
    @Test func aStoreOfAllEntitiesIsTheSameAfterARestart() throws {
        try writeShared()
        let arguments = ["M.json", "--store", "Archive=a.sqlite"]
        var token = ""
        try serve(arguments) { caller in
            #expect(
                caller.ask("POST", "/Note", #"{"title":"n","_store":"Archive"}"#)?.status == 201)
            let saves = caller.ask("GET", "/changes")?.json as? [[String: Any]]
            token = try #require(saves?.last?["transaction"] as? String)
        }
        try serve(arguments) { caller in
            #expect(caller.ask("GET", "/changes?since=\(token)")?.body == "[]")
            #expect(
                caller.ask("POST", "/Note", #"{"title":"n","_store":"Archive"}"#)?.status == 201)
        }
    }

    /// A change to entities of other stores alone changes no version hash of a store.
    @Test(arguments: ["sqlite", "xml", "binary", "text"])
    func aChangeToAnotherConfigurationLeavesItReadable(_ type: String) throws {
        func write(_ attribute: String, _ entities: String = "", _ names: String = "") throws {
            try folder.write(
                """
                {"entities": [
                    {"name": "B", "attributes": [{"name": "n", "type": "Integer 16"}]},
                    {"name": "C", "attributes": [{"name": "\(attribute)", "type": "Integer 16"}]}
                    \(entities)],
                 "configurations": [{"name": "Bs", "entities": ["B"]},
                    {"name": "Others", "entities": ["C"\(names)]}]}
                """, to: "M.json")
        }
        try write("old")
        try serve(["M.json", "--store", "Bs=b.\(type),Others=old.sqlite"]) { caller in
            for n in 1...4 { #expect(caller.ask("POST", "/B", "{\"n\":\(n)}")?.status == 201) }
            for n in 2...3 { #expect(caller.ask("DELETE", "/B/\(n)")?.status == 204) }
        }
        try write("new", #", {"name": "A"}, {"name": "D"}"#, #", "A", "D""#)
        let left = #"[{"_id":1,"n":1},{"_id":4,"n":4}]"#
        try serve(["M.json", "--store", "Bs=b.\(type)"]) { caller in
            #expect(caller.ask("GET", "/B?select=_id,n")?.body == left)
            #expect(caller.ask("PATCH", "/B/4", #"{"n":4}"#)?.status == 200)
        }
        try serve(["M.json", "--store", "Bs=b.\(type),Others=new.sqlite"]) { caller in
            #expect(caller.ask("GET", "/B?select=_id,n")?.body == left)
            #expect(caller.ask("POST", "/B", #"{"n":5}"#)?.body.contains(#""_id":5"#) == true)
        }
    }

    @Test func itIsCopiedToAnotherType() throws {
        try make("passwords.sqlite")
        let copied = try Program(
            [
                "store", "migrate", stash, "--store", "Passwords=passwords.sqlite", "--to",
                "copy.xml",
            ], environment: Self.key, folder: folder.path)
        let (status, errors) = copied.end()
        #expect(status == 0, "\(errors)")
        try serve([stash, "--store", "Notes=notes.sqlite,Passwords=copy.xml"]) { caller in
            #expect(caller.ask("GET", "/System/1")?.body.contains("Old router") == true)
        }
    }

    /// A store whose hashes have lost an entity is not a store of the others.
    @Test func damagedHashesAreNoConfiguration() throws {
        try make("passwords.sqlite")
        let store = "\(folder.path)/passwords.sqlite"
        try RawDatabase(store).run(
            "INSERT INTO Z_PRIMARYKEY SELECT 9, 'Note', 0, 0")
        let errors = try refused(["serve", "passwords.sqlite", "--port", "0"])
        #expect(errors.contains("Note"), "\(errors)")
    }

    /// The second version renames an entity, so that the numbers of others change, and adds an
    /// attribute and an entity. The group reads the store that was migrated alone.
    @Test(arguments: ["sqlite", "xml"])
    func itIsMigratedAlone(_ type: String) throws {
        try folder.write(
            """
            {"entities": [
                {"name": "Note", "attributes": [{"name": "title", "type": "String"}]},
                {"name": "System", "attributes": [{"name": "name", "type": "String"}]}],
             "configurations": [{"name": "Notes", "entities": ["Note"]},
                {"name": "Secrets", "entities": ["System"]}]}
            """, to: "Parts/v1.json")
        let secrets = "Secrets=secrets.\(type)"
        try serve(["Parts", "--store", "\(secrets),Notes=notes.sqlite"]) { caller in
            #expect(caller.ask("POST", "/System", #"{"name":"router"}"#)?.status == 201)
            #expect(caller.ask("PATCH", "/System/1", #"{"name":"Router"}"#)?.status == 200)
        }
        try folder.write(
            """
            {"entities": [
                {"name": "Note", "attributes": [{"name": "title", "type": "String"}]},
                {"name": "Apparatus", "renamingIdentifier": "System", "attributes": [
                    {"name": "name", "type": "String"},
                    {"name": "age", "type": "Integer 16", "default": 3}]},
                {"name": "Label", "attributes": [{"name": "name", "type": "String"}]}],
             "configurations": [{"name": "Notes", "entities": ["Note"]},
                {"name": "Secrets", "entities": ["Apparatus", "Label"]}]}
            """, to: "Parts/v2.json")
        let migrated = #"[{"_id":1,"name":"Router","age":3}]"#
        try serve(["Parts", "--store", secrets, "--migrate"]) { caller in
            #expect(caller.ask("GET", "/Apparatus?select=_id,name,age")?.body == migrated)
            #expect(caller.ask("POST", "/Label", #"{"name":"new"}"#)?.status == 201)
            #expect(caller.ask("GET", "/Note")?.status == 404)
        }
        try serve(["Parts", "--store", "\(secrets),Notes=notes.sqlite"]) { caller in
            #expect(caller.ask("GET", "/Apparatus?select=_id,name,age")?.body == migrated)
            #expect(caller.ask("GET", "/Label/1")?.body.contains("new") == true)
            #expect(caller.ask("GET", "/Note")?.body == "[]")
        }
    }
}
