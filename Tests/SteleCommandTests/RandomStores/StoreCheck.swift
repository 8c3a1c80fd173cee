// Requests to a service over a store, whose answers are compared with the rows of its file.

import Foundation
import TestSupport

/// Compares answers, and keeps what differs.
final class StoreCheck {
    typealias Row = PlainStore.Row
    typealias Attribute = StoreDraft.Attribute
    typealias Link = StoreDraft.Link

    let visit: StoreVisit
    var plain: PlainStore
    /// Begins each failure.
    let place: String
    var numbers: SeededNumbers
    private(set) var compared = 0
    private(set) var failures: [String] = []

    var draft: StoreDraft { plain.draft }

    init(_ visit: StoreVisit, _ plain: PlainStore, _ place: String, _ numbers: SeededNumbers) {
        self.visit = visit
        self.plain = plain
        self.place = place
        self.numbers = numbers
    }

    func expect(_ holds: Bool, _ text: @autoclosure () -> String) {
        compared += 1
        if !holds { failures.append("\(place): \(text().prefix(700))") }
    }

    func equal<T: Equatable>(_ found: T, _ wanted: T, _ text: @autoclosure () -> String) {
        expect(found == wanted, "\(text()): \(found), and the file has \(wanted)")
    }

    func path(_ entity: Int) -> String { "/entities/\(draft.entities[entity].name)" }

    // MARK: Values in JSON

    static func meaning(_ member: Any?, _ kind: StoreDraft.Kind?) -> Meaning {
        guard let member else { return .text("no member") }
        if member is NSNull { return .null }
        guard let kind else { return .text("\(member)") }
        switch kind {
        case .int16, .int32, .int64:
            return (member as? NSNumber).map { .int($0.int64Value) } ?? .text("\(member)")
        case .bool: return (member as? Bool).map(Meaning.bool) ?? .text("\(member)")
        case .double, .decimal:
            return (member as? NSNumber).map { .real($0.doubleValue) } ?? .text("\(member)")
        case .float:
            return (member as? NSNumber).map { .real(Double(Float($0.doubleValue))) }
                ?? .text("\(member)")
        case .date:
            return (member as? String).flatMap(seconds).map(Meaning.real) ?? .text("\(member)")
        case .string, .uuid, .uri, .binary: return .text(member as? String ?? "\(member)")
        }
    }

    /// The seconds since 2001 of `2020-01-31T00:00:00.5Z`.
    private static func seconds(_ text: String) -> Double? {
        let parts = text.dropLast().split(whereSeparator: { "-T:".contains($0) })
        guard parts.count == 6, let year = Int(parts[0]), let month = Int(parts[1]),
            let day = Int(parts[2]), let hour = Double(parts[3]), let minute = Double(parts[4]),
            let second = Double(parts[5])
        else { return nil }
        let y = month > 2 ? year : year - 1
        let era = (y >= 0 ? y : y - 399) / 400
        let ofEra = y - era * 400
        let ofYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let days = era * 146_097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear - 730_791
        return Double(days) * 86_400 + hour * 3_600 + minute * 60 + second
    }

    private static func text(_ objects: [[String: Any]]) -> ExactString {
        let data = try? JSONSerialization.data(withJSONObject: objects, options: .sortedKeys)
        return ExactString(data.map { String(decoding: $0, as: UTF8.self) } ?? "no JSON")
    }

    static func key(_ member: Any?) -> Int64? { (member as? NSNumber)?.int64Value }

    // MARK: Reading

    /// Compares the objects of all entities, by every kind of request.
    func read() throws {
        for entity in draft.entities.indices {
            let rows = plain.objects(entity)
            list(entity, rows)
            for it in draft.attributes(entity) { attribute(it, entity, rows) }
            for link in draft.links(entity) {
                if link.isToMany {
                    try many(link, entity, rows)
                } else {
                    one(link, entity, rows)
                }
            }
            pages(entity, rows)
            csv(entity, rows)
        }
    }

    /// Asks for objects, whose answer must be well.
    func objects(_ target: String) -> [[String: Any]] {
        let reply = visit.get(target)
        if reply.status != 200 { expect(false, "\(target) is \(reply.status): \(reply.text)") }
        return reply.objects
    }

    func keys(_ target: String) -> [Int64] {
        objects(target).compactMap { Self.key($0["_id"]) }
    }

    private func list(_ entity: Int, _ rows: [Row]) {
        let target = path(entity) + "?limit=1000"
        let found = objects(target)
        equal(found.compactMap { Self.key($0["_id"]) }, rows.map(\.key), target)
        guard found.count == rows.count else { return }
        for (object, row) in zip(found, rows) { compare(object, row, "\(target), \(row.key)") }
        if let row = rows.randomElement(using: &numbers) {
            let target = path(entity) + "/\(row.key)"
            compare(objects(target).first ?? [:], row, target)
            let name = draft.attributes(entity).randomElement(using: &numbers)
            if let name {
                let object = objects(target + "?select=\(name.name)").first ?? [:]
                equal(Self.meaning(object[name.name], name.kind), plain.value(name, row), target)
            }
        }
        let count = visit.get(path(entity) + "/count").objects.first?["count"]
        equal(Self.key(count), Int64(rows.count), "\(path(entity))/count")
        // A listener of a query that is known already begins with an older snapshot, and its changes.
        let live = visit.snapshot(path(entity) + "?limit=\(1000 + visit.asked)")?
            .compactMap { $0["object"] as? [String: Any] }
        equal(live.map(Self.text), Self.text(found), "the snapshot of \(target)")
        // Without the entities below it.
        let own = rows.filter { $0.entity == entity }.map(\.key)
        equal(keys(target + "&subentities=false"), own, "\(target)&subentities=false")
    }

    private func compare(_ object: [String: Any], _ row: Row, _ place: String) {
        equal(object["_entity"] as? String, draft.entities[row.entity].name, "\(place)._entity")
        equal(Self.key(object["_version"]), row.version, "\(place)._version")
        for it in draft.attributes(row.entity) {
            equal(
                Self.meaning(object[it.name], it.kind), plain.value(it, row), "\(place).\(it.name)")
        }
        for link in draft.links(row.entity) where !link.isToMany {
            equal(Self.key(object[link.name]), plain.one(link, row), "\(place).\(link.name)")
        }
    }

    /// The keys that a predicate finds.
    func found(_ entity: Int, _ predicate: String) -> [Int64] {
        keys(path(entity) + "?select=_id&sort=_id&limit=1000&where=" + escaped(predicate))
    }

    private func attribute(_ it: Attribute, _ entity: Int, _ rows: [Row]) {
        if it.isTransient { return }
        let (name, path) = (it.name, path(entity))
        for (sign, isNull) in [("==", true), ("!=", false)] {
            let wanted = rows.filter { (plain.value(it, $0) == .null) == isNull }.map(\.key)
            equal(found(entity, "\(name) \(sign) nil"), wanted, "\(path): \(name) \(sign) nil")
        }
        if let row = rows.randomElement(using: &numbers),
            let literal = Self.literal(plain.value(it, row), it.kind)
        {
            let value = plain.value(it, row)
            let same = rows.filter { plain.value(it, $0) == value }.map(\.key)
            for predicate in ["\(name) == \(literal)", "\(name) IN {\(literal)}"] {
                equal(found(entity, predicate), same, "\(path): \(predicate)")
            }
            let others = rows.map(\.key).filter { !same.contains($0) }
            equal(found(entity, "\(name) != \(literal)"), others, "\(path): \(name) != \(literal)")
            if it.kind != .bool, it.kind != .uuid {
                let more = rows.filter { value < plain.value(it, $0) }.map(\.key)
                let predicate = "\(name) > \(literal)"
                equal(found(entity, predicate), more, "\(path): \(predicate)")
            }
        }
        guard it.kind != .binary else { return }
        totals(it, entity, rows)
        let target = path + "?select=\(name),c:count()&groupBy=\(name)&limit=1000"
        var groups: [Meaning: Int64] = [:]
        for group in objects(target) {
            let value = Self.meaning(group[name], it.kind)
            if groups[value] != nil { expect(false, "\(target) has two groups \(value)") }
            groups[value] = Self.key(group["c"]) ?? -1
        }
        let wanted = Dictionary(grouping: rows) { plain.value(it, $0) }
            .mapValues { Int64($0.count) }
        equal(groups, wanted, target)
    }

    private func totals(_ it: Attribute, _ entity: Int, _ rows: [Row]) {
        let name = it.name
        let values = rows.map { plain.value(it, $0) }.filter { $0 != .null }
        let isOrdered = it.kind != .bool && it.kind != .uuid
        let ends = isOrdered ? ",a:min(\(name)),b:max(\(name))" : ""
        let target = path(entity) + "?select=n:count(\(name)),d:count(distinct \(name))\(ends)"
        let row = objects(target.replacingOccurrences(of: " ", with: "%20")).first ?? [:]
        equal(Self.key(row["n"]), Int64(values.count), target)
        equal(Self.key(row["d"]), Int64(Set(values).count), target)
        guard isOrdered else { return }
        let sorted = values.sorted(by: <)
        equal(Self.meaning(row["a"], it.kind), sorted.first ?? .null, "a of \(target)")
        equal(Self.meaning(row["b"], it.kind), sorted.last ?? .null, "b of \(target)")
    }

    /// A value in a predicate; nil where the page has no plain form of it.
    static func literal(_ value: Meaning, _ kind: StoreDraft.Kind?) -> String? {
        switch (value, kind) {
        case (_, .binary), (_, .date), (_, .decimal): return nil
        case (.bool(let it), _): return it ? "YES" : "NO"
        case (.int(let it), _): return "\(it)"
        case (.real(let it), _): return "\(it)"
        case (.text(let it), _):
            let quoted = it.description.replacingOccurrences(of: "\\", with: "\\\\")
                .replacingOccurrences(of: "\"", with: "\\\"")
            return "\"\(quoted)\""
        case (.null, _): return nil
        }
    }

    // MARK: Pages and CSV

    /// The keys of all pages, by their links; few more than there are.
    func walk(_ first: String, _ count: Int) -> [Int64] {
        var (answered, target): ([Int64], String?) = ([], first)
        while let next = target, answered.count <= count {
            let page = visit.get(next)
            if page.status != 200 { expect(false, "\(next) is \(page.status): \(page.text)") }
            answered += page.objects.compactMap { Self.key($0["_id"]) }
            target = page.link.map { String($0.dropFirst().prefix { $0 != ">" }) }
        }
        return answered
    }

    private func pages(_ entity: Int, _ rows: [Row]) {
        let attributes = draft.attributes(entity).filter { !$0.isTransient && $0.kind != .binary }
        let ones = draft.links(entity).filter { !$0.isToMany }
        func value(_ name: String, _ row: Row) -> Meaning {
            if let it = attributes.first(where: { $0.name == name }) { return plain.value(it, row) }
            let link = ones.first { $0.name == name }
            return link.flatMap { plain.one($0, row) }.map { .int($0) } ?? .null
        }
        for _ in 0..<3 {
            var names = (attributes.map(\.name) + ones.map(\.name)).shuffled(using: &numbers)
            names = Array(names.prefix(1 + numbers.below(2)))
            let signs = names.map { _ in numbers.pick("", "-") }
            let sorted = rows.sorted { a, b in
                for (name, sign) in zip(names, signs) {
                    let (x, y) = (value(name, a), value(name, b))
                    if x != y { return sign.isEmpty ? x < y : y < x }
                }
                return a.key < b.key
            }
            let list = zip(signs, names).map { $0 + $1 }.joined(separator: ",")
            let limit = 1 + numbers.below(5)
            let what = numbers.one(in: 2) ? "select=_id&" : ""
            let first = path(entity) + "?\(what)sort=\(escaped(list))&limit=\(limit)"
            equal(walk(first, rows.count), sorted.map(\.key), "the pages of \(first)")
        }
    }

    private func csv(_ entity: Int, _ rows: [Row]) {
        let shown = draft.attributes(entity).filter {
            !$0.isTransient
                && [.string, .uri, .bool, .int16, .int32, .int64, .uuid].contains($0.kind)
        }
        let names = ["_id"] + shown.map(\.name)
        let target = path(entity) + "?format=csv&sort=_id&select=\(names.joined(separator: ","))"
        var wanted = names.joined(separator: ",") + "\r\n"
        for row in rows {
            let cells = shown.map { it -> String in
                switch plain.value(it, row) {
                case .null, .real: return ""
                case .bool(let it): return "\(it)"
                case .int(let it): return "\(it)"
                case .text(let it):
                    let text = it.description
                    let needsQuotes = text.isEmpty || text.contains { ",\"\n\r".contains($0) }
                    return needsQuotes
                        ? "\"\(text.replacingOccurrences(of: "\"", with: "\"\""))\"" : text
                }
            }
            wanted += (["\(row.key)"] + cells).joined(separator: ",") + "\r\n"
        }
        let reply = visit.get(target)
        expect(Array(reply.text.utf8) == Array(wanted.utf8), "\(target): \(reply), not \(wanted)")
    }
}
