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
        switch numbers.below(16) {
        case 0, 1: return object()
        case 2: return member()
        case 3: return counted()
        case 4: return embedded()
        case 5: return posted()
        case 6 where hasChanges: return changes()
        case 7: return formatted()
        case 8: return RightsQuestion(numbers.pick("/rights", "/model", "/"))
        case 9:
            var followed = numbers.one(in: 3) ? embedded() : list()
            followed.accept = "text/event-stream"
            return followed
        default: return list()
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
        let condition = predicates.predicate(of: entity).json
        var question = RightsQuestion("POST", "/\(entity.name)/query", "{\"where\":\(condition)}")
        question.contentType = "application/json"
        return question
    }

    /// With a limit, because answers without one are not collected here.
    private mutating func formatted() -> RightsQuestion {
        let entity = entity()
        var parameters = [("format", numbers.pick("csv", "ndjson")), ("limit", "50")]
        if numbers.one(in: 2) { parameters.append(("where", predicates.predicate(of: entity))) }
        return RightsQuestion("/\(entity.name)" + Self.query(parameters))
    }

    /// The saves after one. Only the last is asked for: older ones are judged by later data.
    mutating func changes(since number: Int64 = 0) -> RightsQuestion {
        var parameters = [("since", "{STORE}-\(number)")]
        if !numbers.one(in: 3) { parameters.append(("values", "true")) }
        if numbers.one(in: 3) { parameters.append(("entity", entity().name)) }
        let query = parameters.map { "\($0)=\($1)" }.joined(separator: "&")
        return RightsQuestion("/changes?" + query)
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
