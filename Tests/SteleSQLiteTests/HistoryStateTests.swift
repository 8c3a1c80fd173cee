// The history tells each object as it was after each save, exactly, or says that it cannot know.

import SteleGraph
import SteleModel
import StelePersistence
import SteleSQLite
import TestSupport
import Testing

@Suite struct HistoryStateTests {
    private func things() throws -> GraphStore {
        try GraphStore([
            EntityMaker("Thing").attribute("name", .string)
                .attribute("größe", .double)
                .attribute("when", .date)
                .attribute("price", .decimal)
                .attribute("bytes", .binary)
                .attribute("uuid", .uuid)
                .attribute("select", .boolean)
                .attribute("order", .integer64)
                .toOne("next", "Thing", inverse: "previous")
                .toOne("previous", "Thing", inverse: "next")
                .toMany("parts", "Part", inverse: "wholes"),
            EntityMaker("Gadget", parent: "Thing").attribute("volts", .float),
            EntityMaker("Part").toMany("wholes", "Thing", inverse: "parts"),
            EntityMaker("Widget", parent: "Part"),
        ])
    }

    private func fill(_ object: ManagedObject, _ round: Int) {
        let quoted = "a \"quoted\" \\ \n 🦊 e\u{301}"
        object["name"] = .string(round == 0 ? quoted : "é'\u{1F468}\u{200D}\u{1F469}")
        object["größe"] = .double(round == 0 ? 1e19 : -0.1)
        object["when"] = .date(round == 0 ? 738_594_123.123456 : -1e-9)
        object["price"] = .decimal(
            Decimal(string: round == 0 ? "12345678901234567890.123456789012345678" : "0.1") ?? 0)
        object["bytes"] = .data(round == 0 ? [] : Array(0...255))
        object["uuid"] = .uuid(UUID())
        object["select"] = .bool(round == 0)
        object["order"] = .int(round == 0 ? .min : .max)
    }

    @Test func everyStateComesBackInOnePageAndOverPages() throws {
        let it = try things()
        let context = it.context()
        let one = try context.insert(try it.entity("Gadget"))
        fill(one, 0)
        try context.save()
        let id = one.objectID
        var states = [try #require(try it.stored(id))]
        try it.change { fill(try $0.get(id), 1) }
        states.append(try #require(try it.stored(id)))
        try it.change { context in
            let part = try context.insert(try it.entity("Widget"))
            try context.get(id).add("parts", part)
        }
        states.append(try #require(try it.stored(id)))
        try it.change { try $0.get(id)["volts"] = .double(1.5) }
        states.append(try #require(try it.stored(id)))
        try it.change { try $0.delete(try $0.get(id)) }
        states.append(states[3])
        let reader = try it.store.reader()
        defer { reader.close() }
        for size in [100, 1, 2] {
            var found: [Snapshot?] = []
            var token: Int64 = 0
            while true {
                let page = try reader.history(after: token, limit: size, values: true)
                guard let last = page.last else { break }
                token = last.number
                found += page.flatMap(\.changes)
                    .filter { it.model.entities[$0.entity].name == "Gadget" }.map(\.snapshot)
            }
            #expect(found == states, "pages of \(size)")
        }
        #expect(states.map(\.version) == [1, 2, 2, 3, 3])
    }

    @Test func whatAnotherProgramChangedInBetweenIsSaidToBeUnknown() throws {
        let it = try things()
        let id = try it.insert("Thing")[0]
        try it.change { try $0.get(id)["order"] = .int(1) }
        try RawDatabase(it.folder.store).run("UPDATE ZTHING SET ZORDER = 7, Z_OPT = Z_OPT + 1")
        try it.change { try $0.get(id)["name"] = .string("last") }
        let changes = try it.history().flatMap(\.changes)
        #expect(changes.map { $0.snapshot?.version } == [nil, nil, 4])
    }

    @Test func anEntityWithoutAttributesAndAPolymorphicToOneAreSaved() throws {
        let it = try things()
        let context = it.context()
        let gadget = try context.insert(try it.entity("Gadget"))
        let thing = try context.insert(try it.entity("Thing"))
        _ = try context.insert(try it.entity("Widget"))
        try thing.set("next", gadget)
        try context.save()
        let raw = try RawDatabase(it.folder.store)
        let column =
            "SELECT ifnull(ZNEXT, '-') || ' ' || ifnull(Z3_NEXT, '-') FROM ZTHING "
            + "WHERE Z_PK = \(thing.objectID.key)"
        #expect(try raw.texts(column) == ["\(gadget.objectID.key) 4"])
        try it.change { try $0.get(thing.objectID).set("next", nil) }
        #expect(try raw.texts(column) == ["- -"])
        try it.change { try $0.get(thing.objectID).set("next", try $0.get(thing.objectID)) }
        #expect(try raw.texts(column) == ["\(thing.objectID.key) 3"])
    }
}
