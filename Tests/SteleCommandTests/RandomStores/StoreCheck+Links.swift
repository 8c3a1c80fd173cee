// Relationships of objects, by every kind of request.

import Foundation
import TestSupport

extension StoreCheck {
    func one(_ link: Link, _ entity: Int, _ rows: [Row]) {
        let (name, path) = (link.name, path(entity))
        let ends = Dictionary(uniqueKeysWithValues: rows.map { ($0.key, plain.one(link, $0)) })
        for (sign, isNull) in [("==", true), ("!=", false)] {
            let wanted = rows.map(\.key).filter { (ends[$0] ?? nil == nil) == isNull }
            equal(found(entity, "\(name) \(sign) nil"), wanted, "\(path): \(name) \(sign) nil")
        }
        for object in objects(path + "?include=\(name)&limit=1000") {
            let key = Self.key(object["_id"]) ?? 0
            let end = Self.key((object[name] as? [String: Any])?["_id"])
            equal(end, ends[key] ?? nil, "\(path)/\(key)?include=\(name)")
        }
        far(link, entity, rows)
        guard let row = rows.randomElement(using: &numbers) else { return }
        let (end, target) = (plain.one(link, row), "\(path)/\(row.key)/\(name)")
        let reply = visit.get(target)
        equal(Self.key(reply.objects.first?["_id"]), end, target)
        expect(reply.status == 200 && (end != nil || reply.text == "null"), "\(target): \(reply)")
        if let end {
            let same = rows.map(\.key).filter { ends[$0] ?? nil == end }
            equal(found(entity, "\(name) == \(end)"), same, "\(path): \(name) == \(end)")
        }
        let grouped = path + "?select=\(name),c:count()&groupBy=\(name)&limit=1000"
        var groups: [Int64: Int64] = [:]
        for group in objects(grouped) {
            groups[Self.key(group[name]) ?? 0, default: 0] += Self.key(group["c"]) ?? 0
        }
        let wanted = Dictionary(grouping: rows) { (ends[$0.key] ?? nil) ?? 0 }
        equal(groups, wanted.mapValues { Int64($0.count) }, grouped)
    }

    /// The text that every root entity has.
    func remark(_ row: Row) -> Meaning {
        (row.cells["ZREMARK"] ?? .null).meaning(.string)
    }

    /// Attributes past a relationship; past none they are null.
    private func far(_ link: Link, _ entity: Int, _ rows: [Row]) {
        let (name, path) = (link.name, path(entity))
        let others = plain.rows[draft.root(link.destination)] ?? [:]
        func value(_ row: Row) -> Meaning {
            plain.one(link, row).flatMap { others[$0] }.map(remark) ?? .null
        }
        let answered = objects(path + "?select=_id,\(name).remark&sort=_id&limit=1000")
        equal(
            answered.map { Self.meaning($0["\(name).remark"], .string) }, rows.map(value),
            "\(path)?select=\(name).remark")
        var predicates = [("\(name).remark == nil", Meaning.null)]
        let some = rows.map(value).first { $0 != .null }
        if let some, let literal = Self.literal(some, .string) {
            predicates.append(("\(name).remark == \(literal)", some))
        }
        for (predicate, wanted) in predicates {
            equal(
                found(entity, predicate), rows.filter { value($0) == wanted }.map(\.key),
                "\(path): \(predicate)")
        }
        let sorted = rows.sorted { a, b in
            let (x, y) = (value(a), value(b))
            return x == y ? a.key < b.key : x < y
        }
        equal(
            walk(path + "?select=_id&limit=3&sort=\(name).remark", rows.count), sorted.map(\.key),
            "\(path)?sort=\(name).remark")
    }

    func many(_ link: Link, _ entity: Int, _ rows: [Row]) throws {
        let (name, path) = (link.name, path(entity))
        var members: [Int64: [Int64]] = [:]
        for row in rows { members[row.key] = try plain.many(link, row) }
        func order(_ keys: [Int64]) -> [Int64] { link.isOrdered ? keys : keys.sorted() }
        let target = path + "?select=_id,\(name),\(name).@count&limit=1000"
        for object in objects(target) {
            let key = Self.key(object["_id"]) ?? 0
            let wanted = members[key] ?? []
            let answered = (object[name] as? [NSNumber])?.map(\.int64Value)
            equal(answered.map(order), order(wanted), "\(name) of \(key) in \(target)")
            equal(
                Self.key(object["\(name).@count"]), Int64(wanted.count),
                "\(name).@count of \(key) in \(target)")
        }
        for object in objects(path + "?include=\(name)&limit=1000") {
            let key = Self.key(object["_id"]) ?? 0
            let answered = (object[name] as? [[String: Any]])?.compactMap { Self.key($0["_id"]) }
            equal(
                answered.map(order), order(members[key] ?? []), "\(path)/\(key)?include=\(name)")
        }
        let count = numbers.below(3)
        let predicate = "\(name).@count == \(count)"
        let wanted = rows.map(\.key).filter { members[$0]?.count == count }
        equal(found(entity, predicate), wanted, "\(path): \(predicate)")
        if let end = members.values.flatMap(\.self).sorted().randomElement(using: &numbers) {
            let predicate = "ANY \(name) == \(end)"
            let wanted = rows.map(\.key).filter { members[$0]?.contains(end) ?? false }
            equal(found(entity, predicate), wanted, "\(path): \(predicate)")
        }
        let others = plain.rows[draft.root(link.destination)] ?? [:]
        let without = rows.filter { row in
            members[row.key]?.contains { others[$0].map(remark) == .null } ?? false
        }
        equal(
            found(entity, "ANY \(name).remark == nil"), without.map(\.key),
            "\(path): ANY \(name).remark == nil")
        if let row = rows.randomElement(using: &numbers) {
            let route = "\(path)/\(row.key)/\(name)"
            equal(keys(route + "?limit=1000").count, members[row.key]?.count ?? 0, route)
            equal(order(keys(route + "?limit=1000")), order(members[row.key] ?? []), route)
            let answered = Self.key(visit.get(route + "/count").objects.first?["count"])
            equal(answered, members[row.key].map { Int64($0.count) }, route + "/count")
        }
    }
}
