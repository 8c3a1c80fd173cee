// The model that the fetching tests ask, and requests written as short as a query string.

import SteleModel
import StelePersistence
import StelePredicates
@testable import SteleSQL

/// People in teams: a family of three, to-ones, to-manys with and without inverse, pairs.
enum FetchingModel {
    static let declaration: ManagedObjectModel = {
        var model = ManagedObjectModel(name: "Fetching")
        model.entities = [person, employee, director, team, league, skill]
        return model
    }()

    private static var person: EntityDescription {
        var it = EntityDescription(name: "Person")
        it.properties = [
            attribute("name", .string), attribute("age", .integer32),
            attribute("salary", .double), attribute("pay", .decimal),
            attribute("active", .boolean), attribute("born", .date), attribute("code", .uuid),
            toOne("team", "Team", "members"), toMany("skills", "Skill", "people"),
            toMany("friends", "Person", "friends"),
        ]
        it.fetchIndexes = ["name", "age", "salary", "born", "pay"].map { name in
            var index = FetchIndexDescription(name: "by_\(name)")
            index.elements = [.init(propertyName: name)]
            return index
        }
        return it
    }

    private static var employee: EntityDescription {
        var it = EntityDescription(name: "Employee")
        it.parentName = "Person"
        it.properties = [attribute("title", .string), toOne("boss", "Employee", nil)]
        return it
    }

    private static var director: EntityDescription {
        var it = EntityDescription(name: "Director")
        it.parentName = "Employee"
        it.properties = [attribute("level", .integer16)]
        return it
    }

    private static var team: EntityDescription {
        var it = EntityDescription(name: "Team")
        it.properties = [
            attribute("name", .string), attribute("founded", .integer16),
            toOne("league", "League", "teams"), toMany("members", "Person", "team"),
            toMany("fans", "Person", nil),
        ]
        return it
    }

    private static var league: EntityDescription {
        var it = EntityDescription(name: "League")
        it.properties = [
            attribute("name", .string), toMany("teams", "Team", "league", ordered: true),
        ]
        return it
    }

    private static var skill: EntityDescription {
        var it = EntityDescription(name: "Skill")
        it.properties = [
            attribute("name", .string), attribute("points", .integer32),
            toMany("people", "Person", "skills", ordered: true),
        ]
        return it
    }

    private static func attribute(_ name: String, _ type: AttributeType) -> PropertyDescription {
        var it = AttributeDescription(name: name, type: type)
        it.isOptional = true
        return .attribute(it)
    }

    private static func toOne(
        _ name: String, _ destination: String, _ inverse: String?
    ) -> PropertyDescription {
        var it = RelationshipDescription(name: name, destinationName: destination)
        it.isOptional = true
        it.maximumCount = 1
        it.inverseName = inverse
        it.inverseEntityName = inverse.map { _ in destination }
        return .relationship(it)
    }

    private static func toMany(
        _ name: String, _ destination: String, _ inverse: String?, ordered: Bool = false
    ) -> PropertyDescription {
        var it = RelationshipDescription(name: name, destinationName: destination)
        it.isOptional = true
        it.isToMany = true
        it.isOrdered = ordered
        it.inverseName = inverse
        it.inverseEntityName = inverse.map { _ in destination }
        return .relationship(it)
    }
}

/// A model, its schema and its translator, with what is needed to ask them.
struct Fetching {
    let model: Model
    let translator: FetchTranslator

    /// - Parameter noAction: the to-many relationships whose delete rule that is.
    init(longDecimals: Set<String> = [], noAction: Set<String> = []) throws {
        var declaration = FetchingModel.declaration
        for (index, entity) in declaration.entities.enumerated() {
            for (place, property) in entity.properties.enumerated() {
                guard case .relationship(var it) = property, noAction.contains(it.name) else {
                    continue
                }
                it.deleteRule = .noAction
                declaration.entities[index].properties[place] = .relationship(it)
            }
        }
        model = try Model(declaration)
        translator = FetchTranslator(schema: SQLSchema(model: model), longDecimals: longDecimals)
    }

    struct Unknown: Error { let name: String }

    func entity(_ name: String) throws -> Entity {
        guard let entity = model.entity(named: name) else { throw Unknown(name: name) }
        return entity
    }

    /// `sort` and `groupBy` as in a query string; `select` as `alias:expression` or expressions.
    func request(
        _ name: String, _ predicate: String? = nil, sort: String = "", limit: Int? = nil,
        offset: Int = 0, after: [Value]? = nil, select: [String] = [], groupBy: [String] = [],
        having: String? = nil, distinct: Bool = false
    ) throws -> FetchRequest {
        var request = FetchRequest(entity: try entity(name))
        let check = PredicateCheck(model: model, entity: request.entity)
        request.predicate = try predicate.map { try check.check(Predicate(format: $0)) }
        request.fetchLimit = limit
        request.fetchOffset = offset
        request.after = after
        request.propertiesToFetch = try select.map { text in
            guard let colon = text.firstIndex(of: ":") else {
                return ExpressionDescription(name: text, expression: try Expression(format: text))
            }
            return ExpressionDescription(
                name: String(text[..<colon]),
                expression: try Expression(format: String(text[text.index(after: colon)...])))
        }
        request.propertiesToGroupBy = try groupBy.map { try Expression(format: $0) }
        // As a service has it: columns are known by their names.
        var named = check
        named.aliases = Dictionary(
            request.propertiesToFetch.map { ($0.name, $0.expression) },
            uniquingKeysWith: { first, _ in first })
        named.allowsRowAggregates = !select.isEmpty
        request.sortDescriptors = try sort.split(separator: ";").map { key in
            var text = String(key)
            let isAscending = !text.hasPrefix("-")
            if !isAscending { text.removeFirst() }
            var options: ComparisonOptions = []
            if text.hasSuffix("[c]") {
                options = .caseInsensitive
                text.removeLast(3)
            }
            let (expression, _) = try named.check(Expression(format: text))
            return SortDescriptor(expression, ascending: isAscending, options: options)
        }
        request.havingPredicate = try having.map { try named.check(Predicate(format: $0)) }
        request.returnsDistinctResults = distinct
        return request
    }

    /// What comes behind WHERE for a predicate.
    func filter(_ entity: String, _ predicate: String) throws -> String {
        let text = try translator.keys(request(entity, predicate)).sql.string
        return String(
            text.dropFirst("SELECT t0.Z_PK FROM ".count).dropLast(" ORDER BY t0.Z_PK".count))
    }
}

extension FetchTranslator {
    /// The SELECT of the matching objects' keys: the clauses of a request without its columns.
    func keys(_ request: FetchRequest) throws(StoreError) -> FetchStatement {
        try Select(self, request).objects("t0.Z_PK", kinds: [.key])
    }
}
