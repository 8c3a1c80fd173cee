/// An SQL condition: true where something holds, and false or NULL elsewhere. Conditions are joined
/// with no more parentheses than necessary.
struct Condition {
    enum Level {
        /// Binds as tightly as a comparison or more.
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

    static func constant(_ holds: Bool) -> Condition { Condition(holds ? "TRUE" : "FALSE") }

    /// The condition that this one is false or NULL.
    var failing: Condition { Condition(SQLWords.joined(["(", sql, ") IS NOT TRUE"])) }

    func turned(_ holds: Bool) -> Condition { holds ? self : failing }

    static func all(_ parts: [Condition]) -> Condition {
        join(parts, " AND ", .and, empty: true)
    }

    static func any(_ parts: [Condition]) -> Condition {
        join(parts, " OR ", .or, empty: false)
    }

    // A chain is a tree as deep as it is long, and SQLite limits the depth, so long chains are
    // grouped.
    private static func join(
        _ parts: [Condition], _ word: String, _ level: Level, empty: Bool
    ) -> Condition {
        if parts.count < 2 { return parts.first ?? .constant(empty) }
        let group = 64
        if parts.count <= group { return Condition(chain(parts[...], word, level), level) }
        let groups = stride(from: 0, to: parts.count, by: group).map { start in
            let end = min(start + group, parts.count)
            return Condition("(\(chain(parts[start..<end], word, level)))")
        }
        return join(groups, word, level, empty: empty)
    }

    /// Joins the parts with a word. OR within AND gets parentheses.
    private static func chain(
        _ parts: ArraySlice<Condition>, _ word: String, _ level: Level
    ) -> String {
        func isEnclosed(_ part: Condition) -> Bool { level == .and && part.level == .or }
        var count = word.utf8.count * (parts.count - 1)
        for part in parts { count += part.sql.utf8.count + (isEnclosed(part) ? 2 : 0) }
        return String(unsafeUninitializedCapacity: count) { buffer in
            var end = 0
            for index in parts.indices {
                if index > parts.startIndex { SQLWords.copy(word, to: buffer, &end) }
                let isEnclosed = isEnclosed(parts[index])
                if isEnclosed { SQLWords.copy("(", to: buffer, &end) }
                SQLWords.copy(parts[index].sql, to: buffer, &end)
                if isEnclosed { SQLWords.copy(")", to: buffer, &end) }
            }
            return end
        }
    }
}
