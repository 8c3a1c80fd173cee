// The model and the objects that the tests of predicates share.

import SteleModel
import StelePredicates
import TestSupport

/// A small league: teams with players, some of whom are employees.
enum League {
    static let model: Model = {
        let entities = [person, employee, team, league]
        do { return try makeModel(name: "League", entities) } catch {
            fatalError("the test model: \(error)")
        }
    }()

    static var person_: Entity { entity("Person") }
    static var team_: Entity { entity("Team") }

    static func entity(_ name: String) -> Entity {
        guard let entity = model.entity(named: name) else { fatalError("no entity \(name)") }
        return entity
    }

    private static let person = EntityMaker("Person").attribute("name", .string)
        .attribute("age", .integer16).attribute("height", .double).attribute("weight", .float)
        .attribute("price", .decimal).attribute("active", .boolean).attribute("born", .date)
        .attribute("token", .uuid).attribute("photo", .binary).attribute("site", .uri)
        .attribute("tags", .transformable).attribute("big", .integer64)
        .attribute("size", .integer32)
        .toOne("team", "Team", inverse: "players")
        .toMany("friends", "Person", inverse: "friends")
        .fetched("rivals", "Person")

    private static let employee = EntityMaker("Employee", parent: "Person")
        .attribute("salary", .double)

    private static let team = EntityMaker("Team").attribute("name", .string)
        .toMany("players", "Person", inverse: "team")
        .toOne("league", "League", inverse: "teams")
        .toMany("ranking", "Person", ordered: true)

    private static let league = EntityMaker("League").attribute("name", .string)
        .toMany("teams", "Team", inverse: "league")

    static func check(_ entity: String = "Person", _ variables: [String: VariableValue] = [:])
        -> PredicateCheck
    {
        PredicateCheck(model: model, entity: self.entity(entity), variables: variables)
    }

    /// The text checked against an entity, as text.
    static func checked(
        _ text: String, _ entity: String = "Person", _ variables: [String: VariableValue] = [:]
    ) throws(PredicateError) -> Predicate {
        try check(entity, variables).check(try Predicate(format: text))
    }

    /// Whether the predicate holds for the object.
    static func holds(
        _ text: String, _ object: Thing, _ variables: [String: VariableValue] = [:],
        now: Double? = nil
    ) throws -> Bool {
        let entity = model.entities[object.entityIndex]
        let predicate = try check(entity.name, variables).check(try Predicate(format: text))
        return try PredicateEvaluator<Thing>(predicate, entity: entity, model: model, now: now)
            .evaluate(object)
    }

    /// What the expression gives for the object.
    static func value(_ text: String, _ object: Thing) throws -> Value {
        let entity = model.entities[object.entityIndex]
        let (expression, _) = try check(entity.name).check(try Expression(format: text))
        return try ExpressionEvaluator<Thing>(expression, entity: entity, model: model)
            .evaluate(object).value
    }
}

/// An object by its values.
final class Thing: EvaluatedObject {
    let entityIndex: Int
    let key: Int64
    let version: Int64
    var values: [String: Value]
    var ones: [String: Thing] = [:]
    var manys: [String: [Thing]] = [:]

    init(_ entity: String, _ key: Int64, _ values: [String: Value] = [:], version: Int64 = 1) {
        entityIndex = League.entity(entity).index
        self.key = key
        self.version = version
        self.values = values
    }

    func value(of attribute: Attribute) -> Value { values[attribute.name] ?? .null }
    func toOne(_ relationship: Relationship) -> Thing? { ones[relationship.name] }
    func toMany(_ relationship: Relationship) -> [Thing] { manys[relationship.name] ?? [] }

    /// Players in a team, both ways.
    static func team(_ key: Int64, _ name: String?, _ players: [Thing]) -> Thing {
        let team = Thing("Team", key, name.map { ["name": .string($0)] } ?? [:])
        team.manys["players"] = players
        team.manys["ranking"] = players
        for player in players { player.ones["team"] = team }
        return team
    }
}
