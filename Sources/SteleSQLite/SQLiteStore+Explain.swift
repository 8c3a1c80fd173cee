/// What a store would run for a fetch request, without one: for the command `stele predicate`.

import SteleModel
import StelePersistence
import StelePredicates
import SteleSQL

/// A statement, what is bound to it, and the way that SQLite would take.
public struct ExplainedFetch: Sendable {
    /// The SELECT, with `?1`, `?2`, … for what is bound.
    public let sql: String
    public let bindings: [Value]
    /// `EXPLAIN QUERY PLAN`, a line each, indented by two spaces below what it belongs to.
    public let plan: [String]
}

extension SQLiteStore {
    /// Explains a request for objects on an empty store in memory; no file is made.
    /// - Throws: `StoreError`: `.unsupported` for what SQL cannot say, and what SQLite says.
    public static func explain(
        _ request: FetchRequest, model: Model
    ) throws(StoreError) -> ExplainedFetch {
        let schema = SQLSchema(model: model)
        let statement = try FetchTranslator(schema: schema).snapshots(request)
        let connection = try Connection(path: ":memory:", creates: true)
        for text in schema.creation { try connection.run(text) }
        let rows = try connection.rows(
            SQLText("EXPLAIN QUERY PLAN " + statement.sql.string), statement.bindings,
            [.integer, .integer, .integer, .text])
        var depths: [Int64: Int] = [:]
        var plan: [String] = []
        for row in rows {
            guard row.count == 4, case .int(let id) = row[0], case .int(let parent) = row[1],
                case .string(let text) = row[3]
            else { continue }
            let depth = depths[parent].map { $0 + 1 } ?? 0
            depths[id] = depth
            plan.append(String(repeating: "  ", count: depth) + text)
        }
        return ExplainedFetch(
            sql: statement.sql.string, bindings: statement.bindings, plan: plan)
    }
}
