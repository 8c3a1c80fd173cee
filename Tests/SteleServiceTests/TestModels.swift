// Models for tests, declared in code: a league, and shapes with order and inheritance.

import SteleModel
import TestSupport

enum TestModels {
    /// Teams and players, as in the sample that ships.
    static func league() throws -> Model {
        try makeModel(
            name: "League",
            [
                EntityMaker("Player")
                    .attribute("country", .string)
                    .attribute("goals", .integer32) { $0.defaultValue = .int(0) }
                    .attribute("joinedAt", .date)
                    .attribute("name", .string) {
                        $0.isOptional = false
                        $0.minimum = .int(1)
                        $0.maximum = .int(100)
                    }
                    .attribute("number", .integer16) {
                        $0.minimum = .int(1)
                        $0.maximum = .int(99)
                    }
                    .attribute("salary", .decimal) { $0.minimum = .decimal(0) }
                    .toOne("team", "Team", inverse: "players"),
                EntityMaker("Team")
                    .attribute("city", .string)
                    .attribute("founded", .integer16)
                    .attribute("name", .string) { $0.isOptional = false }
                    .toMany("players", "Player", inverse: "team", rule: .cascade),
            ])
    }

    /// Leagues of teams of people.
    static func people() throws -> Model {
        try makeModel(
            name: "People",
            [
                EntityMaker("Person")
                    .attribute("age", .integer32)
                    .attribute("name", .string)
                    .attribute("salary", .double)
                    .toOne("team", "Team", inverse: "people"),
                EntityMaker("Team").attribute("name", .string)
                    .toMany("people", "Person", inverse: "team")
                    .toOne("league", "League", inverse: "teams"),
                EntityMaker("League").attribute("name", .string)
                    .toMany("teams", "Team", inverse: "league"),
            ])
    }

    /// Every attribute type, inheritance, an ordered relationship, one without inverse, a deny rule,
    /// a uniqueness constraint, a fetched property, and an entity in lower case.
    static func zoo() throws -> Model {
        try makeModel(
            name: "Zoo",
            [
                EntityMaker("Canvas")
                    .attribute("name", .string)
                    .toMany("shapes", "Shape", inverse: "canvas", rule: .cascade, ordered: true),
                EntityMaker("Shape", isAbstract: true)
                    .attribute("color", .string) { $0.defaultValue = .string("black") }
                    .toOne("canvas", "Canvas", inverse: "shapes"),
                EntityMaker("Circle", parent: "Shape").attribute("radius", .double),
                EntityMaker("Square", parent: "Shape").attribute("side", .float),
                EntityMaker("Sample")
                    .attribute("binary", .binary)
                    .attribute("boolean", .boolean)
                    .attribute("date", .date)
                    .attribute("decimal", .decimal)
                    .attribute("double", .double)
                    .attribute("float", .float)
                    .attribute("int16", .integer16)
                    .attribute("int32", .integer32)
                    .attribute("int64", .integer64)
                    .attribute("list", .transformable)
                    .attribute("string", .string)
                    .attribute("uri", .uri)
                    .attribute("uuid", .uuid),
                EntityMaker("Tag").attribute("name", .string).unique("name")
                    .toMany("pages", "Page", inverse: "tags"),
                EntityMaker("Page").attribute("title", .string)
                    .toMany("tags", "Tag", inverse: "pages")
                    .toMany("notes", "Note")
                    .toMany("blocks", "Block", inverse: "page", rule: .deny)
                    .fetched("drafts", "Note", "TRUEPREDICATE"),
                EntityMaker("Block").toOne("page", "Page", inverse: "blocks"),
                EntityMaker("Note").attribute("text", .string),
                EntityMaker("lower").attribute("name", .string),
            ])
    }
}
