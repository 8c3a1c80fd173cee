/// Events of the change feed and of live queries as lines for a terminal.

import SteleJSON

/// Prints events.
enum EventPrinter {
    /// The lines of an event; an event of unknown form is printed as it is.
    static func lines(_ event: EventReader.Event) -> [String] {
        rawLines(event).map(printable)
    }

    /// The line with control characters, and those that change the direction of text, as escapes:
    /// the data must not control the terminal.
    private static func printable(_ line: String) -> String {
        guard line.unicodeScalars.contains(where: isControl) else { return line }
        var out = ""
        for scalar in line.unicodeScalars {
            if isControl(scalar) {
                out += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            } else {
                out.unicodeScalars.append(scalar)
            }
        }
        return out
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        // C0 and C1, marks and overrides of direction, isolates, line separators.
        case 0..<0x20, 0x7F...0x9F, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    private static func rawLines(_ event: EventReader.Event) -> [String] {
        guard let root = try? JSONDocument(event.data).root else { return [plain(event)] }
        // Of several queries on one connection: `NAME.change`.
        let parts = event.name.split(separator: ".").map(String.init)
        let prefix = parts.count > 1 ? parts.dropLast().joined(separator: ".") + " " : ""
        switch parts.last {
        case "save": return save(root) ?? [plain(event)]
        case "snapshot": return ["\(prefix)\(event.id)"] + rows(root)
        case "change": return ["\(prefix)\(event.id)"] + difference(root)
        case "expired":
            return ["the history does not reach back so far; continuing from \(event.id)"]
        default: return [plain(event)]
        }
    }

    private static func plain(_ event: EventReader.Event) -> String {
        "\(event.name) \(event.data)"
    }

    // MARK: Saves

    private static func save(_ save: JSONNode) -> [String]? {
        guard let token = save["transaction"]?.string, let changes = save["changes"] else {
            return nil
        }
        var head = [save["at"]?.string ?? "", token]
        if let context = save["context"]?.string { head.append(context) }
        if let author = save["author"]?.string { head.append("by \(author)") }
        if let part = save["part"]?.integer, let count = save["of"]?.integer {
            head.append("part \(part) of \(count)")
        }
        var lines = [head.joined(separator: "  ")] + elements(changes).map { "  " + change($0) }
        if let rest = save["rest"]?.string { lines.append("  … the rest: since=\(rest)") }
        return lines
    }

    private static func change(_ change: JSONNode) -> String {
        let kind = change["change"]?.string ?? "?"
        var words = [kind, change["entity"]?.string ?? "?", text(change["_id"])]
        if change["enters"]?.bool == true { words.append("enters") }
        if change["leaves"]?.bool == true { words.append("leaves") }
        let object = change["object"]
        if let updated = change["updated"] {
            words += elements(updated).map { key in
                let name = key.string ?? "?"
                guard let old = change["before"]?[name] else { return name }
                if let added = old["added"], let removed = old["removed"], object?[name] == nil {
                    return "\(name): added \(text(added)), removed \(text(removed))"
                }
                return "\(name): \(text(old)) → \(text(value(name, of: object)))"
            }
            if updated.isNull { words.append("(unknown keys)") }
        } else if let object {
            words.append(text(object))
        }
        return words.joined(separator: " ")
    }

    /// An object's value of a key, or of the path to a composite's element.
    private static func value(_ name: String, of object: JSONNode?) -> JSONNode? {
        if let value = object?[name] { return value }
        return name.split(separator: ".").reduce(object) { $0?[String($1)] }
    }

    // MARK: Live queries

    private static func rows(_ snapshot: JSONNode) -> [String] {
        guard let rows = snapshot["rows"] else { return ["  " + text(snapshot)] }
        return elements(rows).enumerated().map { index, row in
            "  \(index)  \(text(row["object"]))"
        }
    }

    private static func difference(_ change: JSONNode) -> [String] {
        var lines: [String] = []
        for it in elements(change["deletes"]) {
            lines.append("  - \(text(it["index"]))  \(text(it["_id"]))")
        }
        for it in elements(change["inserts"]) {
            lines.append("  + \(text(it["index"]))  \(text(it["object"]))")
        }
        for it in elements(change["moves"]) {
            lines.append("  \(text(it["from"])) → \(text(it["to"]))  \(text(it["object"]))")
        }
        for it in elements(change["updates"]) {
            let keys = elements(it["updated"]).compactMap(\.string).joined(separator: ", ")
            lines.append("  ~ \(text(it["index"]))  \(text(it["object"]))  \(keys)")
        }
        return lines.isEmpty ? ["  " + text(change)] : lines
    }

    private static func elements(_ node: JSONNode?) -> [JSONNode] {
        guard let node, node.kind == .array else { return [] }
        return (0..<node.count).compactMap { node[$0] }
    }

    private static func text(_ node: JSONNode?) -> String {
        guard let node else { return "null" }
        return JSONValue(node).compact
    }
}
