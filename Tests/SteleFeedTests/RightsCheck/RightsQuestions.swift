// Random requests of a role.

import SteleModel
import TestSupport

@testable import SteleDifferential

/// Makes requests on the objects of a model.
struct RightsQuestions {
    let model: Model
    /// The number of objects of each family.
    let counts: [Int: Int]
    var numbers: SeededNumbers
    private var maker: QuestionMaker
    var predicates: PredicateMaker

    init(_ world: RightsWorld, seed: UInt64) {
        model = world.model
        var counts: [Int: Int] = [:]
        for id in world.one.keys { counts[id.root, default: 0] += 1 }
        self.counts = counts
        numbers = SeededNumbers(seed: seed)
        maker = QuestionMaker(model, seed: seed &+ 1)
        predicates = PredicateMaker(model, SeededNumbers(seed: seed &+ 2))
    }

    mutating func entity() -> Entity { model.entities[numbers.below(model.entities.count)] }

    /// The key of an object, seen or not, or of none.
    mutating func key(_ entity: Entity) -> Int {
        1 + numbers.below((counts[entity.root] ?? 0) + 1)
    }

    // MARK: Reading

    /// - Parameter hasChanges: whether the feed may be asked for all saves.
    mutating func read(hasChanges: Bool = true) -> RightsQuestion {
        switch numbers.below(19) {
        case 0, 1: return object()
        case 2: return member()
        case 3: return counted()
        case 4: return embedded()
        case 5: return posted()
        case 6 where hasChanges: return changes()
        case 7: return formatted()
        case 8: return service()
        case 9: return followed()
        case 10: return template()
        case 11: return fetched() ?? list()
        default:
            var list = list()
            if numbers.one(in: 10) { list.method = "HEAD" }
            return list
        }
    }

    /// What is not of the data, or not of a role.
    private mutating func service() -> RightsQuestion {
        let paths = [
            "/rights", "/model", "/", "/openapi.json", "/fetch", "/metadata", "/metrics",
            "/contexts",
        ]
        let path = numbers.pick(paths, or: "/")
        return RightsQuestion(path == "/contexts" ? "POST" : "GET", path)
    }

    /// A list that is followed.
    mutating func followed() -> RightsQuestion {
        var followed = numbers.one(in: 3) ? embedded() : list()
        if numbers.one(in: 4) { followed = members() ?? followed }
        followed.accept = "text/event-stream"
        return followed
    }

    private mutating func template() -> RightsQuestion {
        guard let template = model.declaration.fetchRequestTemplates.randomElement(using: &numbers),
            let entity = model.entity(named: template.entityName)
        else { return list() }
        var parameters: [(String, String)] = []
        if template.predicateFormat?.contains("$\(RightsTemplates.variable)") == true {
            parameters.append(("var.\(RightsTemplates.variable)", "\(numbers.below(5))"))
        }
        if numbers.one(in: 3) { parameters.append(("where", predicates.predicate(of: entity))) }
        if numbers.one(in: 3) { parameters.append(("sort", "-_id")) }
        if numbers.one(in: 4), let paths = inclusion(entity) {
            parameters.append(("include", paths))
        }
        var question = RightsQuestion("/fetch/\(template.name)" + Self.query(parameters))
        if numbers.one(in: 8) { question.accept = "text/event-stream" }
        return question
    }

    /// The objects of a fetched property: its list, or embedded in its sources.
    private mutating func fetched() -> RightsQuestion? {
        let entity = entity()
        let all = entity.properties.compactMap { property in
            if case .fetchedProperty(let it) = property { it } else { nil }
        }
        guard let it = all.randomElement(using: &numbers) else { return nil }
        switch numbers.below(4) {
        case 0: return RightsQuestion("/\(entity.name)?include=\(it.name)")
        case 1: return RightsQuestion("/\(entity.name)/\(key(entity))?include=\(it.name)")
        default:
            var question = RightsQuestion("/\(entity.name)/\(key(entity))/\(it.name)")
            if numbers.one(in: 6) { question.accept = "text/event-stream" }
            return question
        }
    }

    /// A question of the differential test as a list.
    mutating func list() -> RightsQuestion {
        let question = maker.question()
        var parameters: [(String, String)] = []
        if let condition = question.condition { parameters.append(("where", condition)) }
        if !question.select.isEmpty {
            parameters.append(("select", question.select.joined(separator: ",")))
        }
        if !question.groupBy.isEmpty {
            parameters.append(("groupBy", question.groupBy.joined(separator: ",")))
        }
        if let having = question.having { parameters.append(("having", having)) }
        if !question.sort.isEmpty {
            parameters.append(("sort", question.sort.joined(separator: ",")))
        }
        if question.isDistinct { parameters.append(("distinct", "true")) }
        if !question.hasSubentities { parameters.append(("subentities", "false")) }
        if let limit = question.limit { parameters.append(("limit", "\(limit)")) }
        if question.offset > 0 { parameters.append(("offset", "\(question.offset)")) }
        if numbers.one(in: 6) { parameters.append(("count", "true")) }
        return RightsQuestion("/\(question.entity)" + Self.query(parameters))
    }

    static func query(_ parameters: [(String, String)]) -> String {
        parameters.isEmpty
            ? "" : "?" + parameters.map { "\($0)=\($1.encoded)" }.joined(separator: "&")
    }

    /// Paths of relationships, such as `r1.s2`.
    private mutating func inclusion(_ entity: Entity) -> String? {
        var entity = entity
        var names: [String] = []
        for _ in 0...numbers.below(3) {
            let all = entity.properties.compactMap { property in
                if case .relationship(let it) = property { it } else { nil }
            }
            guard let it = all.randomElement(using: &numbers) else { break }
            names.append(it.name)
            entity = model.destination(of: it)
        }
        return names.isEmpty ? nil : names.joined(separator: ".")
    }

    private mutating func object() -> RightsQuestion {
        let entity = entity()
        var parameters: [(String, String)] = []
        if numbers.one(in: 2), let paths = inclusion(entity) {
            parameters.append(("include", paths))
        }
        let method = numbers.one(in: 5) ? "HEAD" : "GET"
        return RightsQuestion(method, "/\(entity.name)/\(key(entity))" + Self.query(parameters))
    }

    private mutating func relationship(_ entity: Entity) -> Relationship? {
        entity.properties.compactMap { property in
            if case .relationship(let it) = property { it } else { nil }
        }.randomElement(using: &numbers)
    }

    private mutating func member() -> RightsQuestion {
        let entity = entity()
        guard let it = relationship(entity) else { return object() }
        let path = "/\(entity.name)/\(key(entity))/\(it.name)"
        guard it.isToMany else { return RightsQuestion(path) }
        let destination = model.destination(of: it)
        switch numbers.below(4) {
        case 0: return RightsQuestion(path + "/count")
        case 1: return RightsQuestion("\(path)/\(key(destination))")
        case 2:
            let condition = predicates.predicate(of: destination)
            return RightsQuestion(path + Self.query([("where", condition)]))
        default: return RightsQuestion(path)
        }
    }

    /// The members of a to-many relationship, an ordered one where there is any.
    private mutating func members() -> RightsQuestion? {
        let all = model.relationships.filter(\.isToMany)
        let ordered = all.filter(\.isOrdered)
        guard let it = (ordered.isEmpty ? all : ordered).randomElement(using: &numbers) else {
            return nil
        }
        let owner = model.entities[it.owner]
        let destination = model.destination(of: it)
        let query =
            numbers.one(in: 3)
            ? Self.query([("where", predicates.predicate(of: destination))]) : ""
        return RightsQuestion("/\(owner.name)/\(key(owner))/\(it.name)" + query)
    }

    private mutating func counted() -> RightsQuestion {
        let entity = entity()
        let condition = predicates.predicate(of: entity)
        return RightsQuestion("/\(entity.name)/count" + Self.query([("where", condition)]))
    }

    private mutating func embedded() -> RightsQuestion {
        let entity = entity()
        var parameters: [(String, String)] = []
        if let paths = inclusion(entity) { parameters.append(("include", paths)) }
        if numbers.one(in: 2) { parameters.append(("where", predicates.predicate(of: entity))) }
        return RightsQuestion("/\(entity.name)" + Self.query(parameters))
    }

    private mutating func posted() -> RightsQuestion {
        let entity = entity()
        var members = ["\"where\":\(predicates.predicate(of: entity).json)"]
        if numbers.one(in: 3) { members.append("\"sort\":\"-_id\"") }
        if numbers.one(in: 3) { members.append("\"limit\":\(1 + numbers.below(3))") }
        if numbers.one(in: 3), let paths = inclusion(entity) {
            members.append("\"include\":\(paths.json)")
        }
        var question = RightsQuestion(
            "POST", "/\(entity.name)/query", "{\(members.joined(separator: ","))}")
        question.contentType = "application/json"
        return question
    }

    private mutating func formatted() -> RightsQuestion {
        let entity = entity()
        var parameters = [("format", numbers.pick("csv", "ndjson"))]
        if numbers.one(in: 3) { parameters.append(("limit", "2")) }
        if numbers.one(in: 3) { parameters.append(("sort", "-_id")) }
        if numbers.one(in: 2) { parameters.append(("where", predicates.predicate(of: entity))) }
        return RightsQuestion("/\(entity.name)" + Self.query(parameters))
    }

    /// The saves after one. Only the last is asked for: older ones are judged by later data.
    mutating func changes(since number: Int64 = 0) -> RightsQuestion {
        var parameters = [("since", "{STORE}-\(number)")]
        if !numbers.one(in: 3) { parameters.append(("values", "true")) }
        if numbers.one(in: 2) {
            let entity = entity()
            parameters.append(("entity", entity.name))
            if numbers.one(in: 2) { parameters.append(("where", ownCondition(of: entity).encoded)) }
        }
        let query = parameters.map { "\($0)=\($1)" }.joined(separator: "&")
        return RightsQuestion("/changes?" + query)
    }

    /// A condition on an object's own values, the key of another one among them.
    private mutating func ownCondition(of entity: Entity) -> String {
        if let it = relationship(entity), !it.isToMany, !numbers.one(in: 3) {
            let key = numbers.one(in: 2) ? "nil" : "\(key(model.destination(of: it)))"
            return "\(it.name) \(numbers.pick("==", "!=")) \(key)"
        }
        let key = predicates.attribute(of: entity, .integer) ?? "_id"
        return "\(key) \(predicates.order()) \(numbers.below(4))"
    }
}

extension String {
    /// As a text of JSON.
    var json: String {
        var quoted = "\""
        for scalar in unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\" + String(scalar)
            case "\n": quoted += "\\n"
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
