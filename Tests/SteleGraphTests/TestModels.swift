// Models made in a few lines: every kind of relationship there is.

import SteleModel

/// Declares an entity in one line a property.
struct EntityMaker {
    var entity: EntityDescription

    init(_ name: String, parent: String? = nil, isAbstract: Bool = false) {
        entity = EntityDescription(name: name)
        entity.parentName = parent
        entity.isAbstract = isAbstract
    }

    mutating func attribute(
        _ name: String, _ type: AttributeType,
        _ more: (inout AttributeDescription) -> Void = { _ in }
    ) {
        var attribute = AttributeDescription(name: name, type: type)
        attribute.isOptional = true
        more(&attribute)
        entity.properties.append(.attribute(attribute))
    }

    mutating func toOne(
        _ name: String, _ destination: String, inverse: String? = nil,
        rule: DeleteRule = .nullify, isOptional: Bool = true
    ) {
        var it = RelationshipDescription(name: name, destinationName: destination)
        it.inverseName = inverse
        it.isOptional = isOptional
        it.maximumCount = 1
        it.deleteRule = rule
        entity.properties.append(.relationship(it))
    }

    mutating func toMany(
        _ name: String, _ destination: String, inverse: String? = nil,
        rule: DeleteRule = .nullify, ordered: Bool = false, isOptional: Bool = true,
        count: ClosedRange<Int> = 0...0
    ) {
        var it = RelationshipDescription(name: name, destinationName: destination)
        it.inverseName = inverse
        it.isOptional = isOptional
        it.isToMany = true
        it.isOrdered = ordered
        it.deleteRule = rule
        it.minimumCount = count.lowerBound
        it.maximumCount = count.upperBound
        entity.properties.append(.relationship(it))
    }
}

func makeModel(_ entities: [EntityMaker]) throws -> Model {
    var model = ManagedObjectModel(name: "Test")
    model.entities = entities.map(\.entity)
    return try Model(model)
}

func entity(
    _ name: String, parent: String? = nil, isAbstract: Bool = false,
    _ fill: (inout EntityMaker) -> Void
) -> EntityMaker {
    var maker = EntityMaker(name, parent: parent, isAbstract: isAbstract)
    fill(&maker)
    return maker
}

/// Every combination of relationships there is.
func makeLeague() throws -> Model {
    try makeModel([
        entity("Team") {
            $0.attribute("name", .string)
            $0.toMany("players", "Person", inverse: "team")
            $0.toOne("captain", "Person", inverse: "captainOf")
        },
        entity("Person") {
            $0.attribute("name", .string)
            $0.attribute("age", .integer16)
            $0.toOne("team", "Team", inverse: "players")
            $0.toOne("captainOf", "Team", inverse: "captain")
            $0.toMany("tags", "Tag", inverse: "people")
            $0.toOne("favourite", "Tag")
            $0.toOne("spouse", "Person", inverse: "spouse")
            $0.toMany("friends", "Person", inverse: "friends")
            $0.toOne("mentor", "Person", inverse: "mentees")
            $0.toMany("mentees", "Person", inverse: "mentor")
        },
        entity("Employee", parent: "Person") {
            $0.attribute("salary", .double)
        },
        entity("Tag") {
            $0.attribute("name", .string)
            $0.toMany("people", "Person", inverse: "tags")
        },
        entity("Playlist") {
            $0.attribute("name", .string)
            $0.toMany("songs", "Song", inverse: "playlist", ordered: true)
            $0.toMany("genres", "Genre", inverse: "playlists", ordered: true)
        },
        entity("Song") {
            $0.attribute("name", .string)
            $0.toOne("playlist", "Playlist", inverse: "songs")
        },
        entity("Genre") {
            $0.attribute("name", .string)
            $0.toMany("playlists", "Playlist", inverse: "genres", ordered: true)
        },
        entity("Box") {
            $0.attribute("name", .string)
            $0.toMany("items", "Item")
        },
        entity("Item") { $0.attribute("name", .string) },
        entity("Place", isAbstract: true) { $0.attribute("name", .string) },
    ])
}

/// Every kind of link between objects of one entity, Node, so that each may be a loop.
/// - Parameters:
///   - others: entities beside it.
///   - more: what else a Node has.
func makeNodes(
    _ others: [EntityMaker] = [], _ more: (inout EntityMaker) -> Void = { _ in }
) throws -> Model {
    let node = entity("Node") {
        $0.attribute("name", .string)
        $0.toOne("one", "Node", inverse: "eno")
        $0.toOne("eno", "Node", inverse: "one")
        $0.toOne("self", "Node", inverse: "self")
        $0.toOne("up", "Node", inverse: "down")
        $0.toMany("down", "Node", inverse: "up")
        $0.toMany("near", "Node", inverse: "near")
        $0.toMany("to", "Node", inverse: "from")
        $0.toMany("from", "Node", inverse: "to", ordered: true)
        $0.toOne("list", "Node", inverse: "items")
        $0.toMany("items", "Node", inverse: "list", ordered: true)
        $0.toMany("owned", "Node")
        $0.toOne("likes", "Node")
        $0.toOne("holder", "Node", inverse: "held")
        $0.toMany("held", "Node", inverse: "holder", rule: .cascade)
        more(&$0)
    }
    return try makeModel([node] + others)
}
