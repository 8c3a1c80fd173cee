/// Seeds: each number is loaded once, in order.

import Foundation
import SteleModel
import SteleService
import TestSupport
import Testing

@Suite struct SeedTests {
    private func model() throws -> Model {
        try makeModel(
            name: "Club",
            [
                EntityMaker("Team").attribute("name", .string)
                    .toMany("players", "Player", inverse: "team"),
                EntityMaker("Player").attribute("name", .string)
                    .toOne("team", "Team", inverse: "players"),
            ])
    }

    @Test func eachNumberIsLoadedOnceAndInOrder() throws {
        let house = try House(try model())
        let folder = try TemporaryFolder()
        try folder.write(#"{"name":"b","team":"A"}"#, to: "Player.10.ndjson")
        try folder.write("name,team\na,A\n", to: "Player.2.csv")
        try folder.write(#"{"name":"A"}"#, to: "Team.2.ndjson")
        try folder.write("notes", to: "README.md")
        let seeds = try Seeds(folder: folder.path)
        #expect(
            Set(try seeds.load(into: house.coordinator).prefix(2)) == [
                "Player.2.csv", "Team.2.ndjson",
            ])
        #expect(try house.values("Player.name") == [.string("a"), .string("b")])
        #expect(try house.values("Player.team") == [.key(1), .key(1)])
        #expect(try house.history().count == 2)
        #expect(try seeds.load(into: house.coordinator) == [])
        try house.change { context in
            for object in try context.fetch(.init(entity: try house.entity("Player"))) {
                try context.delete(object)
            }
        }
        try folder.write(#"{"name":"c"}"#, to: "Player.11.ndjson")
        #expect(
            try Seeds(folder: folder.path).load(into: house.coordinator) == ["Player.11.ndjson"])
        #expect(try house.values("Player.name") == [.string("c")])
    }

    @Test func aSeedThatFailsIsNotLoaded() throws {
        let house = try House(try model())
        let folder = try TemporaryFolder()
        try folder.write(#"{"name":"A"}"#, to: "Team.1.ndjson")
        try folder.write(#"{"name":5}"#, to: "Team.2.ndjson")
        let seeds = try Seeds(folder: folder.path)
        #expect(throws: ImportError.self) { try seeds.load(into: house.coordinator) }
        #expect(try house.all("Team").count == 1)
        try folder.write(#"{"name":"B"}"#, to: "Team.2.ndjson")
        #expect(try seeds.load(into: house.coordinator) == ["Team.2.ndjson"])
        try folder.write("{}", to: "Team.ndjson")
        let error = #expect(throws: ImportError.self) {
            try Seeds(folder: folder.path)
        }
        #expect(error?.message.contains("Team.1.ndjson") == true)
    }
}
