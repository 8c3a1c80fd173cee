// Expected SQL as a list to read: what is asked, and below it, indented, the SQL.

import Testing

/// One request and its SQL.
struct GoldenSQL: Sendable, CustomTestStringConvertible {
    let entity: String
    let asked: String
    let sql: String

    var testDescription: String { "\(entity): \(asked)" }

    /// Lines in pairs: `Entity: what is asked`, then the SQL.
    static func cases(_ text: String) -> [GoldenSQL] {
        let lines = text.split(separator: "\n")
        return stride(from: 0, to: lines.count - 1, by: 2).map { index in
            let parts = lines[index].split(separator: ":", maxSplits: 1)
            return GoldenSQL(
                entity: String(parts[0]), asked: String(parts[1].dropFirst()),
                sql: lines[index + 1].split(separator: " ").joined(separator: " "))
        }
    }
}
