/// A condition's SQL, joined to others with no more parentheses than it takes.

/// SQL that is true where something holds, and false or NULL where it does not.
struct Condition {
    enum Level {
        /// Binds at least as tightly as a comparison.
        case atom
        case and
        case or
    }

    let sql: String
    let level: Level

    init(_ sql: String, _ level: Level = .atom) {
        self.sql = sql
        self.level = level
    }

    static func constant(_ holds: Bool) -> Condition { Condition(holds ? "1" : "0") }

    /// The SQL as an operand of AND.
    private var inAnd: String { level == .or ? SQLWords.joined("(", sql, ")") : sql }

    /// True where this is not: false or NULL.
    var failing: Condition { Condition(SQLWords.joined("(", sql, ") IS NOT TRUE")) }

    func turned(_ holds: Bool) -> Condition { holds ? self : failing }

    static func all(_ parts: [Condition]) -> Condition {
        join(parts, " AND ", .and, empty: true) { $0.inAnd }
    }

    static func any(_ parts: [Condition]) -> Condition {
        join(parts, " OR ", .or, empty: false) { $0.sql }
    }

    /// A chain is a tree as deep as it is long, and SQLite bounds the depth: long ones in groups.
    private static func join(
        _ parts: [Condition], _ word: String, _ level: Level, empty: Bool,
        _ text: (Condition) -> String
    ) -> Condition {
        if parts.count < 2 { return parts.first ?? .constant(empty) }
        let group = 64
        if parts.count <= group {
            return Condition(SQLWords.joined(parts.map(text), by: word), level)
        }
        let groups = stride(from: 0, to: parts.count, by: group).map { start in
            let end = min(start + group, parts.count)
            return Condition("(\(SQLWords.joined(parts[start..<end].map(text), by: word)))")
        }
        return join(groups, word, level, empty: empty, text)
    }
}
