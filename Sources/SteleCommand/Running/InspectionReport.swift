/// What `stele inspect` and `stele check` print.

import SteleJSON
import StelePersistence

/// An inspection as text and as JSON.
struct InspectionReport {
    /// The store, as the command was given it.
    let path: String
    /// The name of the current version of the given model; nil without one.
    let current: String?
    let inspection: StoreInspection

    init(path: String, current: String?, _ inspection: StoreInspection) {
        self.path = path
        self.current = current
        self.inspection = inspection
    }

    // MARK: Text

    /// The text, with a line break at its end.
    var text: String {
        let parts = [
            Self.columns(facts, right: []),
            Self.columns([["entity", "Z_ENT", "objects", "table"]] + entityRows, right: [1, 2]),
            Self.columns(
                [["table", "rows", "bytes", "in indexes", "has"]] + tableRows, right: [1, 2, 3]),
            checks,
        ]
        return parts.filter { !$0.isEmpty }.map { $0.map { $0 + "\n" }.joined() }
            .joined(separator: "\n")
    }

    private var facts: [[String]] {
        let it = inspection
        let maker =
            it.isSteles
            ? "Stele" : "another program" + (it.isAdopted ? ", and adopted by Stele" : "")
        var lines = it.files.map { file in
            ["\(file.role)", "\(file.path), \(Self.size(file))"]
        }
        lines += [
            ["type", it.type],
            ["UUID", it.identifier],
            ["made by", maker],
            ["framework version", it.frameworkVersion ?? "none"],
            [
                "model version",
                it.versionIdentifiers.isEmpty
                    ? "no identifier" : it.versionIdentifiers.joined(separator: ", "),
            ],
            ["model", model],
            ["version hashes", it.hashes],
            ["history", history],
        ]
        if let free = it.freeBytes { lines.append(["free pages", "\(free) bytes"]) }
        return lines
    }

    private static func size(_ file: StoreInspection.File) -> String {
        (file.role == .external ? "\(count(Int64(file.count), "file")), " : "")
            + "\(file.bytes) bytes"
    }

    private var model: String {
        guard let it = inspection.model else { return "not known" }
        if it.isOwn { return "in the store" + (it.place.map { " (\($0))" } ?? "") }
        return it.name + (it.name == current ? " (current)" : "")
    }

    private var history: String {
        guard let it = inspection.history else { return "none" }
        var parts = [it.isBeside ? "in a file beside the store" : "in the store"]
        if let numbers = it.numbers {
            parts.append("transactions \(numbers.lowerBound) to \(numbers.upperBound)")
        }
        if let times = it.times {
            parts.append("from \(Self.date(times.lowerBound)) to \(Self.date(times.upperBound))")
        }
        parts.append(
            "\(Self.count(it.transactions, "transaction")) with \(Self.count(it.changes, "change"))"
        )
        let authors = it.authors.compactMap { author in
            author.name.map { "\($0) (\(author.transactions))" }
        }
        if !authors.isEmpty { parts.append("by \(authors.joined(separator: ", "))") }
        return parts.joined(separator: ", ")
    }

    private static func date(_ seconds: Double) -> String {
        ISO8601.shown(secondsSinceReferenceDate: seconds)
    }

    private var entityRows: [[String]] {
        inspection.entities.map { it in
            [
                String(repeating: "  ", count: it.depth) + it.name, Self.number(it.number),
                Self.number(it.objects), it.table ?? "-",
            ]
        }
    }

    private var tableRows: [[String]] {
        inspection.tables.map { it in
            [
                it.name, Self.number(it.rows), Self.number(it.bytes), Self.number(it.indexBytes),
                it.contents.joined(separator: ", "),
            ]
        }
    }

    private static func count(_ number: Int64, _ what: String) -> String {
        "\(number) \(what)\(number == 1 ? "" : "s")"
    }

    private static func number(_ number: Int64?) -> String { number.map { "\($0)" } ?? "-" }

    /// The number of differences, each of them, and what was not checked, a line each.
    var differences: String { checks.map { $0 + "\n" }.joined() }

    private var checks: [String] {
        let it = inspection
        let count = Int64(it.differences.count)
        let title = count == 0 ? "no differences" : Self.count(count, "difference")
        return [title] + it.differences.map { "- \($0)" }
            + (it.unchecked.isEmpty ? [] : ["not checked"] + it.unchecked.map { "- \($0)" })
    }

    /// Lines in columns, two spaces apart. A heading without rows is left out.
    /// - Parameter right: the columns that are aligned at their right.
    private static func columns(_ rows: [[String]], right: Set<Int>) -> [String] {
        if !right.isEmpty, rows.count == 1 { return [] }
        var widths: [Int] = []
        for row in rows {
            for (place, cell) in row.enumerated() {
                if place == widths.count { widths.append(0) }
                widths[place] = max(widths[place], cell.count)
            }
        }
        return rows.map { row in
            let line = zip(row, widths).enumerated().map { place, cell in
                let space = String(repeating: " ", count: cell.1 - cell.0.count)
                return right.contains(place) ? space + cell.0 : cell.0 + space
            }.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
    }
}

// MARK: JSON

extension InspectionReport {
    /// The same as JSON.
    var json: JSONValue {
        let it = inspection
        return .object([
            ("store", .string(path)),
            ("type", .string(it.type)),
            ("files", .array(it.files.map(Self.json))),
            ("uuid", .string(it.identifier)),
            ("madeByStele", .bool(it.isSteles)),
            ("adopted", .bool(it.isAdopted)),
            ("frameworkVersion", Self.json(it.frameworkVersion)),
            ("versionIdentifiers", .array(it.versionIdentifiers.map(JSONValue.string))),
            ("model", Self.json(it.model?.name)),
            ("modelIsInStore", .bool(it.model?.isOwn ?? false)),
            ("versionHashes", .string(it.hashes)),
            ("history", it.history.map(Self.json) ?? .null),
            ("freeBytes", Self.json(it.freeBytes)),
            (
                "entities",
                .array(
                    it.entities.map { entity in
                        .object([
                            ("name", .string(entity.name)),
                            ("number", Self.json(entity.number)),
                            ("objects", Self.json(entity.objects)),
                            ("table", Self.json(entity.table)),
                        ])
                    })
            ),
            (
                "tables",
                .array(
                    it.tables.map { table in
                        .object([
                            ("name", .string(table.name)),
                            ("rows", Self.json(table.rows)),
                            ("bytes", Self.json(table.bytes)),
                            ("indexBytes", Self.json(table.indexBytes)),
                            ("has", .array(table.contents.map(JSONValue.string))),
                        ])
                    })
            ),
            ("differences", .array(it.differences.map(JSONValue.string))),
            ("unchecked", .array(it.unchecked.map(JSONValue.string))),
        ])
    }

    private static func json(_ file: StoreInspection.File) -> JSONValue {
        .object([
            ("role", .string(file.role.rawValue)), ("path", .string(file.path)),
            ("bytes", .integer(file.bytes)), ("count", .integer(Int64(file.count))),
        ])
    }

    private static func json(_ history: StoreInspection.History) -> JSONValue {
        .object([
            ("beside", .bool(history.isBeside)),
            ("first", json(history.numbers?.lowerBound)),
            ("last", json(history.numbers?.upperBound)),
            ("from", json(history.times.map { date($0.lowerBound) })),
            ("to", json(history.times.map { date($0.upperBound) })),
            ("transactions", .integer(history.transactions)),
            ("changes", .integer(history.changes)),
            (
                "authors",
                .array(
                    history.authors.map { author in
                        .object([
                            ("name", json(author.name)),
                            ("transactions", .integer(author.transactions)),
                        ])
                    })
            ),
        ])
    }

    private static func json(_ text: String?) -> JSONValue { text.map(JSONValue.string) ?? .null }
    private static func json(_ number: Int64?) -> JSONValue {
        number.map(JSONValue.integer) ?? .null
    }
}
