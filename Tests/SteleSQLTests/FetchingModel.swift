// The model that the fetching tests ask, and requests written as short as a query string.

import SteleModel
import StelePersistence
import StelePredicates
import TestSupport
@testable import SteleSQL

/// People in teams: a family of three, to-ones, to-manys with and without inverse, pairs.
enum FetchingModel {
    static let entities = [person, employee, director, team, league, skill]

    private static var person: EntityMaker {
        let person = EntityMaker("Person").attribute("name", .string)
            .attribute("age", .integer32).attribute("salary", .double)
            .attribute("pay", .decimal).attribute("active", .boolean)
            .attribute("born", .date).attribute("code", .uuid)
            .toOne("team", "Team", inverse: "members")
            .toMany("skills", "Skill", inverse: "people")
            .toMany("friends", "Person", inverse: "friends")
        return ["name", "age", "salary", "born", "pay"]
            .reduce(person) { $0.index("by_\($1)", on: $1) }
    }

    private static let employee = EntityMaker("Employee", parent: "Person")
        .attribute("title", .string).toOne("boss", "Employee")

    private static let director = EntityMaker("Director", parent: "Employee")
        .attribute("level", .integer16)

    private static let team = EntityMaker("Team").attribute("name", .string)
        .attribute("founded", .integer16)
        .toOne("league", "League", inverse: "teams")
        .toMany("members", "Person", inverse: "team")
        .toMany("fans", "Person")

    private static let league = EntityMaker("League").attribute("name", .string)
        .toMany("teams", "Team", inverse: "league", ordered: true)

    private static let skill = EntityMaker("Skill").attribute("name", .string)
        .attribute("points", .integer32)
        .toMany("people", "Person", inverse: "skills", ordered: true)
}

/// A model, its schema and its translator, with what is needed to ask them.
struct Fetching {
    let model: Model
    let translator: FetchTranslator

    /// - Parameter noAction: the to-many relationships whose delete rule that is.
    init(longDecimals: Set<String> = [], noAction: Set<String> = []) throws {
        let entities = FetchingModel.entities.map { entity in
            entity.changing {
                for (place, property) in $0.properties.enumerated() {
                    guard case .relationship(var it) = property, noAction.contains(it.name)
                    else { continue }
                    it.deleteRule = .noAction
                    $0.properties[place] = .relationship(it)
                }
            }
        }
        model = try makeModel(name: "Fetching", entities)
        translator = FetchTranslator(schema: SQLSchema(model: model), longDecimals: longDecimals)
    }

    func entity(_ name: String) throws -> Entity { try model.named(name) }

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
