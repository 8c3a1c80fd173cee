// Models with every kind of relationship.

import SteleModel
import TestSupport

/// Every combination of relationships, over several entities.
func makeLeague() throws -> Model {
    try makeModel([
        EntityMaker("Team").attribute("name", .string)
            .toMany("players", "Person", inverse: "team")
            .toOne("captain", "Person", inverse: "captainOf"),
        EntityMaker("Person").attribute("name", .string)
            .attribute("age", .integer16)
            .toOne("team", "Team", inverse: "players")
            .toOne("captainOf", "Team", inverse: "captain")
            .toMany("tags", "Tag", inverse: "people")
            .toOne("favourite", "Tag")
            .toOne("spouse", "Person", inverse: "spouse")
            .toMany("friends", "Person", inverse: "friends")
            .toOne("mentor", "Person", inverse: "mentees")
            .toMany("mentees", "Person", inverse: "mentor"),
        EntityMaker("Employee", parent: "Person").attribute("salary", .double),
        EntityMaker("Tag").attribute("name", .string)
            .toMany("people", "Person", inverse: "tags"),
        EntityMaker("Playlist").attribute("name", .string)
            .toMany("songs", "Song", inverse: "playlist", ordered: true)
            .toMany("genres", "Genre", inverse: "playlists", ordered: true),
        EntityMaker("Song").attribute("name", .string)
            .toOne("playlist", "Playlist", inverse: "songs"),
        EntityMaker("Genre").attribute("name", .string)
            .toMany("playlists", "Playlist", inverse: "genres", ordered: true),
        EntityMaker("Box").attribute("name", .string)
            .toMany("items", "Item"),
        EntityMaker("Item").attribute("name", .string),
        EntityMaker("Place", isAbstract: true).attribute("name", .string),
    ])
}

/// Every kind of link between objects of one entity, Node, so that each may be a loop.
/// - Parameters:
///   - others: entities beside it.
///   - more: adds what else a Node has.
func makeNodes(
    _ others: [EntityMaker] = [], _ more: (EntityMaker) -> EntityMaker = { $0 }
) throws -> Model {
    let node = EntityMaker("Node").attribute("name", .string)
        .toOne("one", "Node", inverse: "eno")
        .toOne("eno", "Node", inverse: "one")
        .toOne("self", "Node", inverse: "self")
        .toOne("up", "Node", inverse: "down")
        .toMany("down", "Node", inverse: "up")
        .toMany("near", "Node", inverse: "near")
        .toMany("to", "Node", inverse: "from")
        .toMany("from", "Node", inverse: "to", ordered: true)
        .toOne("list", "Node", inverse: "items")
        .toMany("items", "Node", inverse: "list", ordered: true)
        .toMany("owned", "Node")
        .toOne("likes", "Node")
        .toOne("holder", "Node", inverse: "held")
        .toMany("held", "Node", inverse: "holder", rule: .cascade)
    return try makeModel([more(node)] + others)
}
