// Ordered relationships keep the order asked for.

import SteleGraph
import SteleModel
import StelePersistence
import SteleSQLite
import TestSupport
import Testing

@Suite struct OrderTests {
    private func lists() throws -> GraphStore {
        try GraphStore([
            EntityMaker("List").attribute("name", .string)
                .toMany("songs", "Song", inverse: "list", ordered: true)
                .toMany("genres", "Genre", inverse: "lists", ordered: true),
            EntityMaker("Song").attribute("name", .string)
                .toOne("list", "List", inverse: "songs"),
            EntityMaker("Genre").attribute("name", .string)
                .toMany("lists", "List", inverse: "genres", ordered: true),
        ])
    }

    @Test(arguments: ["songs", "genres"])
    func randomMovesLeadToTheOrderAskedFor(_ name: String) throws {
        let it = try lists()
        let path = "List.\(name)"
        let lists = try it.insert("List", count: 2)
        let members = try it.insert(name == "songs" ? "Song" : "Genre", count: 30)
        var model: [[Int64]] = [[], []]
        var numbers = SystemRandomNumberGenerator()
        for step in 0..<300 {
            let member = members.randomElement(using: &numbers) ?? members[0]
            let list = Int.random(in: 0...1, using: &numbers)
            // A song is in one list at most, a genre in as many as one likes.
            let isThere = model[list].contains(member.key)
            if isThere && step % 5 == 0 {
                model[list].removeAll { $0 == member.key }
                try it.change { try $0.get(lists[list]).remove(name, try $0.get(member)) }
            } else {
                let at = step % 3 == 0 ? 0 : Int.random(in: 0...model[list].count, using: &numbers)
                if name == "songs" { model[1 - list].removeAll { $0 == member.key } }
                model[list].removeAll { $0 == member.key }
                let place = min(at, model[list].count)
                model[list].insert(member.key, at: place)
                try it.change { try $0.get(lists[list]).add(name, try $0.get(member), at: place) }
            }
            #expect(try it.storedMembers(path, of: lists[0].key) == model[0], "step \(step)")
            #expect(try it.storedMembers(path, of: lists[1].key) == model[1], "step \(step)")
        }
    }

    @Test func hundredsOfInsertionsAtTheFrontStayInOrder() throws {
        let it = try lists()
        let list = try it.insert("List")[0]
        var wanted: [Int64] = []
        for _ in 0..<300 {
            let context = it.context()
            let song = try context.insert(try it.entity("Song"))
            try context.get(list).add("songs", song, at: 0)
            try context.save()
            wanted.insert(song.objectID.key, at: 0)
        }
        #expect(try it.storedMembers("List.songs", of: list.key) == wanted)
    }
}
