/// Exporting, and importing what was exported: whole graphs are equal.

import Foundation
import SteleGraph
import SteleModel
import StelePersistence
import StelePredicates
import SteleService
import TestSupport
import Testing

@Suite struct ExportTests {
    /// Every type of attribute, subentities, and every kind of relationship.
    private func model() throws -> Model {
        let place = CompositeDescription(
            "Place",
            [.init(optional: "city", .string), .init(optional: "height", .double)])
        return try makeModel(
            name: "Everything",
            [
                EntityMaker("Person").attribute("i16", .integer16).attribute("i32", .integer32)
                    .attribute("i64", .integer64).attribute("double", .double)
                    .attribute("float", .float).attribute("decimal", .decimal)
                    .attribute("name", .string).attribute("uri", .uri)
                    .attribute("flag", .boolean).attribute("date", .date)
                    .attribute("bytes", .binary)
                    .attribute("photo", .binary) { $0.allowsExternalBinaryDataStorage = true }
                    .attribute("uuid", .uuid).attribute("json", .transformable)
                    .attribute("home", .composite) { $0.compositeName = "Place" }
                    .attribute("shown", .string) { $0.isTransient = true }
                    .attribute("upper", .string) {
                        $0.derivationExpression = "uppercase:(name)"
                    }
                    .toOne("boss", "Employee", inverse: "reports")
                    .toMany("friends", "Person", inverse: "friends")
                    .toMany("groups", "Group", inverse: "members")
                    .toOne("desk", "Desk", inverse: "person")
                    .toMany("seen", "Desk"),
                EntityMaker("Employee", parent: "Person").attribute("title", .string)
                    .toMany("reports", "Person", inverse: "boss"),
                EntityMaker("Group").attribute("name", .string)
                    .toMany("members", "Person", inverse: "groups", ordered: true)
                    .toMany("songs", "Song", inverse: "group", ordered: true),
                EntityMaker("Song").toOne("group", "Group", inverse: "songs"),
                EntityMaker("Desk").toOne("person", "Person", inverse: "desk"),
            ], composites: [place])
    }

    /// A store with objects of all kinds, some of them deleted and changed.
    private func filled(_ model: Model) throws -> House {
        let house = try House(model)
        func relationship(_ path: String) throws -> Relationship { try house.relationship(path) }
        try house.change { context in
            func make(_ name: String) throws -> ManagedObject {
                try context.insert(house.entity(name))
            }
            let (a, b, c) = (try make("Person"), try make("Employee"), try make("Employee"))
            a["i16"] = .int(-32_768)
            a["i32"] = .int(2_147_483_647)
            a["i64"] = .int(.min)
            a["double"] = .double(0.1)
            a["float"] = .double(Double(Float(0.3)))
            a["decimal"] = .decimal(
                Decimal(string: "12345678901234567890.123456789012345678") ?? 0)
            a["name"] = .string("Ünï \"q\", \n\t\u{1F600} a\u{301}")
            a["uri"] = .string("https://example.org/?a=b&c=%C3%A9")
            a["flag"] = .bool(false)
            a["date"] = .date(-123_456_789.125)
            a["bytes"] = .data([0, 255, 10, 13])
            a["photo"] = .data((0..<150_000).map { UInt8(truncatingIfNeeded: $0 * 7) })
            a["uuid"] = .uuid(UUID())
            a["json"] = .data(Array(#"{"a":[1,2.5,null,"x"]}"#.utf8))
            a["home.city"] = .string("Bern")
            b["name"] = .string("")
            b["title"] = .string("boss")
            b["decimal"] = .decimal(Decimal(string: "0.1") ?? 0)
            try a.setToOne(relationship("Person.boss"), c)
            try c.setToOne(relationship("Person.boss"), b)
            try a.setMembers(relationship("Person.friends"), [a, c])
            let groups = (try make("Group"), try make("Group"))
            try groups.0.setMembers(relationship("Group.members"), [c, a, b])
            try groups.1.setMembers(relationship("Group.members"), [b, c])
            let songs = try (0..<4).map { _ in try make("Song") }
            try groups.1.setMembers(
                relationship("Group.songs"), [songs[3], songs[0], songs[2]])
            let desk = try make("Desk")
            try a.setToOne(relationship("Person.desk"), desk)
            try b.setMembers(relationship("Person.seen"), [desk])
        }
        try house.change { context in
            let gone = try context.insert(house.entity("Person"))
            gone["name"] = .string("gone")
            let kept = try context.insert(house.entity("Person"))
            kept["name"] = .string("after a gap")
        }
        try house.change { context in
            try context.object(entity: house.entity("Person"), key: 4).map(context.delete)
            try context.object(entity: house.entity("Person"), key: 5)?["i16"] = .int(1)
        }
        return house
    }

    /// What a store has: values of attributes and to-ones, and members in their order.
    private func graph(_ house: House) throws -> [String] {
        var lines: [String] = []
        for entity in house.model.entities where entity.parent == nil {
            for object in try house.all(entity.name) {
                let concrete = house.model.entities[object.entity]
                var values: [String] = []
                for (slot, value) in object.values.enumerated() {
                    var value = value
                    if case .external(let file) = value { value = .data(file.bytes ?? []) }
                    values.append("\(concrete.slots[slot].name)=\(value)")
                }
                for it in concrete.toManys {
                    let path = "\(house.model.entities[it.owner].name).\(it.name)"
                    values.append("\(it.name)=\(try house.storedMembers(path, of: object.key))")
                }
                lines.append("\(concrete.name) \(object.key): \(values)")
            }
        }
        return lines
    }

    @Test(arguments: [DataFormat.ndjson, .json])
    func anImportOfAnExportIsTheSameGraph(format: DataFormat) throws {
        let model = try model()
        let house = try filled(model)
        let text = try house.exported(format)
        let other = try House(model)
        let summary = try other.load([("everything.\(format.rawValue)", text)])
        #expect(summary.objects == ["Person": 2, "Employee": 2, "Group": 2, "Song": 4, "Desk": 1])
        let (before, after) = (try graph(house), try graph(other))
        #expect(before == after)
        #expect(before.count == 11)
        #expect(
            try other.exported(format).replacing(/"_version":\d+/, with: "")
                == text.replacing(/"_version":\d+/, with: ""))
        // A store that has other objects gives new ids.
        let third = try House(model)
        _ = try third.load([("song.ndjson", "{}")])
        _ = try third.load([("everything.\(format.rawValue)", text)]) { $0.givesNewIDs = true }
        #expect(try third.storedMembers("Group.songs", of: 2) == [5, 2, 4])
        #expect(try third.storedMembers("Group.members", of: 1) == [3, 1, 2])
    }

    @Test func tablesOfCellsAreTheSameGraph() throws {
        let model = try model()
        let house = try filled(model)
        let names = ["Desk", "Group", "Person", "Song"]
        let files = try names.map { ("\($0).csv", try house.exported(.csv, [$0])) }
        let other = try House(model)
        _ = try other.load(files)
        let (before, after) = (try graph(house), try graph(other))
        #expect(before == after)
        #expect(throws: ExportError.self) {
            try ExportPlan(model: model, entities: ["Person", "Employee"])
        }
    }

    @Test(arguments: [DataFormat.ndjson, .json, .csv])
    func decimalsOfAllSizesAreImportedAsTheyAre(format: DataFormat) throws {
        let model = try model()
        let house = try House(model)
        let texts = [
            "12345678901234567890123456789012345678", "-98765432109876543210",
            "9223372036854775808",
            "9223372036854775807", "-9223372036854775808", "1000000000000000000000", "0.1", "7",
            "1e60", "-12345678901234567890.5",
        ]
        try house.change { context in
            for text in texts {
                try context.insert(house.entity("Person"))["decimal"] = .decimal(
                    #require(DecimalText.parse(text.utf8)))
            }
        }
        let exported = try house.exported(format, ["Person"])
        let other = try House(model)
        _ = try other.load([("Person.\(format.rawValue)", exported)])
        #expect(try other.values("Person.decimal") == house.values("Person.decimal"))
        if format == .ndjson {
            // pandas refuses integers beyond 64 bits, also with a fraction.
            for text in ["9.223372036854775808e18", "-1.23456789012345678905e19", "1e21", "7"] {
                #expect(exported.contains(#""decimal":\#(text),"#), "\(exported)")
            }
            #expect(exported.contains(#""decimal":9223372036854775807,"#), "\(exported)")
        }
    }

    @Test(arguments: [DataFormat.ndjson, .json, .csv])
    func aTextThatNoImportReadsIsNullAndNamed(_ format: DataFormat) throws {
        let house = try House(model())
        try house.change { context in
            try context.insert(house.entity("Person"))["name"] = .string("a\u{0}b")
            try context.insert(house.entity("Person"))["name"] = .string("Bo")
        }
        let plan = try ExportPlan(model: house.model, entities: ["Person"], format: format)
        let export = Export(house.coordinator, plan)
        var bytes: [UInt8] = []
        let counts = try export.run { bytes += $0 }
        #expect(counts == ["Person": 2])
        #expect(export.unreadable.count == 1 && export.unreadable.list == "name of Person 1")
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.contains("Bo") && !bytes.contains(0) && !text.contains("u0000"), "\(text)")
    }

    @Test func anExportContinuesAfterAnObject() throws {
        let house = try filled(model())
        let lines = try house.exported().split(separator: "\n").map(String.init)
        for index in lines.indices {
            let root = try JSONSerialization.jsonObject(with: Data(lines[index].utf8))
            let object = try #require(root as? [String: Any])
            let position = Export.Position(
                entity: try #require(object["_entity"] as? String),
                id: try #require(object["_id"] as? Int64 ?? (object["_id"] as? Int).map(Int64.init))
            )
            var rest: [UInt8] = []
            let plan = try ExportPlan(model: house.model)
            _ = try Export(house.coordinator, plan).run(after: position) { rest += $0 }
            let found = String(decoding: rest, as: UTF8.self).split(separator: "\n")
            #expect(found.map(String.init) == Array(lines[(index + 1)...]))
        }
    }

    /// What the service gives is imported as it is.
    @Test func theProgramsGiveAndTakeTheSame() throws {
        let folder = try TemporaryFolder()
        let league = samplePath("League")
        func run(_ arguments: String...) throws -> (status: Int32, output: String, errors: String) {
            let program = try Program(arguments, folder: folder.path)
            let (status, errors) = program.end()
            return (status, program.text, errors)
        }
        let program = try Program(["serve", "--port", "0"], folder: folder.path)
        let caller = try Caller(program.lines(3))
        for name in ["Team", "Player"] {
            let response = try caller.call("GET", "/\(name)?format=ndjson")
            let body = try #require(response.range(of: "\r\n\r\n")).upperBound
            let lines = response[body...].split(whereSeparator: \.isNewline)
                .filter { $0.hasPrefix("{") }
            try folder.write(lines.joined(separator: "\n"), to: "\(name).ndjson")
        }
        program.signal(SIGTERM)
        _ = program.end()
        let made = try run(
            "import", league, "--store", "a.sqlite", "Player.ndjson", "Team.ndjson")
        #expect(made.status == 0 && made.output.contains("Player  21"), "\(made.errors)")
        let again = try run(
            "import", league, "--store", "a.sqlite", "Player.ndjson", "Team.ndjson")
        #expect(again.status == 1 && again.errors.contains("is already in the store"))
        let all = try run("export", league, "--store", "a.sqlite")
        #expect(all.status == 0 && all.output.split(separator: "\n").count == 25)
        // A file that an interruption has cut is continued.
        try folder.write(String(all.output.dropLast(300)), to: "all.ndjson")
        let continued = try run(
            "export", league, "--store", "a.sqlite", "--output", "all.ndjson", "--continue")
        #expect(continued.status == 0, "\(continued.errors)")
        #expect(
            try String(contentsOfFile: folder.path + "/all.ndjson", encoding: .utf8) == all.output)
        let exists = try run("export", league, "--store", "a.sqlite", "--output", "all.ndjson")
        #expect(exists.status == 1 && exists.errors.contains("--continue"))
        // Another file is left as it is.
        for text in ["no break", "one\ntwo"] {
            try folder.write(text, to: "notes.ndjson")
            let refused = try run(
                "export", league, "--store", "a.sqlite", "--output", "notes.ndjson", "--continue")
            #expect(refused.status == 1 && refused.errors.contains("is not an NDJSON export"))
            #expect(
                try String(contentsOfFile: folder.path + "/notes.ndjson", encoding: .utf8) == text)
        }
        try Data("name\nZ".utf8 + [0xFC] + "rich".utf8).write(
            to: URL(fileURLWithPath: folder.path + "/team.csv"))
        let latin = try run("import", league, "--store", "b.sqlite", "team.csv")
        #expect(latin.status == 1 && latin.errors.contains("is not UTF-8"), "\(latin.errors)")
        let some = try run(
            "export", league, "--store", "a.sqlite", "--entity", "Player", "--where",
            "goals > 20", "--format", "csv")
        #expect(some.output.hasPrefix("_id,_entity,_version,country,goals"), "\(some.errors)")
        #expect(some.output.split(separator: "\r\n").count == 2)
        let dry = try run(
            "import", league, "--store", "b.sqlite", "all.ndjson", "--dry-run")
        #expect(dry.output.contains("nothing is saved"), "\(dry.errors)")
        try folder.write(#"{"_id":1,"name":"One"}"#, to: "team.one.ndjson")
        let single = try run("import", league, "--store", "c.sqlite", "team.one.ndjson")
        #expect(single.output.contains("\n1 object in "), "\(single.output)")
        let left = try run(
            "import", league, "--store", "c.sqlite", "team.one.ndjson", "--on-conflict", "skip")
        #expect(left.output.contains("1 record is left out\n0 objects in "), "\(left.output)")
        let one = try run("export", league, "--store", "c.sqlite", "--output", "one.ndjson")
        #expect(one.errors.contains("1 object in one.ndjson"), "\(one.errors)")
        let seeded = try run("import", league, "--store", "b.sqlite", "--seeds", "seeds")
        #expect(seeded.status == 1 && seeded.errors.contains("seeds: cannot be read"))
    }
}

extension House {
    /// The text of an export of all objects.
    func exported(_ format: DataFormat = .ndjson, _ entities: [String] = []) throws
        -> String
    {
        var bytes: [UInt8] = []
        let plan = try ExportPlan(model: model, entities: entities, format: format)
        _ = try Export(coordinator, plan).run { bytes += $0 }
        return String(decoding: bytes, as: UTF8.self)
    }
}
