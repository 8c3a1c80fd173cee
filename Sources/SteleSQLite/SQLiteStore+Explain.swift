import SteleModel
import StelePersistence
import StelePredicates
import SteleSQL

/// The SQL statement of a fetch request, and SQLite's plan for it.
package struct ExplainedFetch: Sendable {
    /// The SELECT, with `?1`, `?2`, … for the bindings.
    package let sql: String
    /// The values of `?1`, `?2`, …
    package let bindings: [Value]
    /// The lines of `EXPLAIN QUERY PLAN`, indented by two spaces per level.
    package let plan: [String]
}

extension SQLiteStore {
    /// Explains a request for objects, on an empty database in memory.
    /// - Throws: `StoreError`; `.unsupported` for a request that SQL cannot express.
    package static func explain(
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
