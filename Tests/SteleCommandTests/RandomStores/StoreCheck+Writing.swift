// Writes to a service over a store, and what they leave in its file.

import Foundation
import TestSupport

extension StoreCheck {
    /// Writes objects of all entities. The rows are read again after each.
    func write() throws {
        for entity in draft.entities.indices {
            for row in plain.objects(entity).shuffled(using: &numbers).prefix(2) {
                try patch(row, entity)
                try put(row, entity)
            }
            try post(entity)
            for link in draft.links(entity) where link.isToMany { try replace(link, entity) }
            if let row = plain.objects(entity).randomElement(using: &numbers) {
                try delete(row, entity)
            }
        }
        let feed = visit.get("/changes?values=true&limit=1000")
        expect(feed.status == 200, "/changes: \(feed)")
    }

    private func readRows() throws {
        plain = try PlainStore(plain.path, draft)
    }

    /// A change of one attribute leaves all others as they are in the file.
    private func patch(_ row: Row, _ entity: Int) throws {
        let target = "\(path(entity))/\(row.key)"
        let text = "new \(compared)"
        let reply = visit.ask("PATCH", target, #"{"remark":"\#(text)"}"#)
        expect(reply.status == 200, "PATCH \(target): \(reply)")
        try readRows()
        guard let now = plain.rows[draft.root(entity)]?[row.key] else {
            return expect(false, "\(target) is gone")
        }
        equal(now.version, row.version + 1, "the version of \(target)")
        var cells = now.cells
        equal(
            (cells["ZREMARK"] ?? .null).meaning(.string), Meaning.text(text), "\(target).remark")
        for name in ["ZREMARK", "Z_OPT"] { cells[name] = row.cells[name] }
        // A row of no entity is one of the root.
        for (name, cell) in cells where cell != row.cells[name] {
            expect(
                false, "PATCH \(target) changed \(name) from \(row.cells[name] ?? .null) to \(cell)"
            )
        }
    }

    /// What GET gives can be put, and changes nothing.
    private func put(_ row: Row, _ entity: Int) throws {
        let target = "\(path(entity))/\(row.key)"
        let before = plain.rows[draft.root(entity)]?[row.key]
        let text = visit.get(target).text
        let reply = visit.ask("PUT", target, text)
        expect(
            reply.status == 200 && reply.text == text,
            "PUT \(target) of \(text) is \(reply.status): \(reply.text)")
        try readRows()
        let now = plain.rows[draft.root(entity)]?[row.key]
        for (name, cell) in now?.cells ?? [:] where cell != before?.cells[name] {
            expect(false, "PUT \(target) of what it is changed \(name) to \(cell)")
        }
    }

    /// A new object with what is required.
    private func post(_ entity: Int) throws {
        if draft.entities[entity].isAbstract { return }
        var members = [#""remark":"made""#]
        for it in draft.attributes(entity) where !it.isTransient {
            guard !it.isOptional, it.standard == nil || it.isUnique, let kind = it.kind else {
                continue
            }
            members.append("\"\(it.name)\":\(value(kind, isUnique: it.isUnique))")
        }
        for link in draft.links(entity) where !link.isToMany {
            let ends = plain.objects(link.destination).map(\.key)
            if link.isOptional, numbers.one(in: 2) { continue }
            // One of a one-to-one would be taken from another.
            let inverse = draft.inverse(of: link)
            let isFree = inverse.map { $0.isToMany } ?? true
            guard isFree, let end = ends.randomElement(using: &numbers) else {
                if link.isOptional { continue }
                return
            }
            members.append("\"\(link.name)\":\(end)")
        }
        let last = plain.rows[draft.root(entity)]?.keys.max() ?? 0
        let body = "{\(members.joined(separator: ","))}"
        let reply = visit.ask("POST", path(entity), body)
        expect(reply.status == 201, "POST \(path(entity)) \(body): \(reply)")
        guard reply.status == 201 else { return }
        try readRows()
        let object = reply.objects.first ?? [:]
        guard let key = Self.key(object["_id"]), let row = plain.rows[draft.root(entity)]?[key]
        else { return expect(false, "POST \(path(entity)) made no row: \(reply)") }
        expect(key > last, "POST \(path(entity)) gave the key \(key), and \(last) was given")
        equal(row.entity, entity, "the entity of \(path(entity))/\(key)")
        equal(row.cells["Z_ENT"]?.key, Int64(plain.number(entity)), "Z_ENT of the new row")
        for it in draft.attributes(entity) {
            equal(Self.meaning(object[it.name], it.kind), plain.value(it, row), "new \(it.name)")
            if let standard = it.standard, let kind = it.kind, !it.isUnique {
                equal(
                    plain.value(it, row), PlainStore.standard(standard, kind),
                    "the default of \(it.name)")
            }
        }
        for link in draft.links(entity) where !link.isToMany {
            equal(Self.key(object[link.name]), plain.one(link, row), "new \(link.name)")
        }
    }

    private func value(_ kind: StoreDraft.Kind, isUnique: Bool) -> String {
        switch kind {
        case .int16, .int32, .int64: "\(isUnique ? 1_000_000 + compared : numbers.below(9))"
        case .bool: "true"
        case .double, .float, .decimal: "1.5"
        case .string: "\"\(isUnique ? "n\(compared)" : "text")\""
        case .date: "\"2024-01-31T00:00:00.5Z\""
        case .uuid: "\"00000000-0000-0000-0000-0000000000AA\""
        case .uri: "\"https://example.org\""
        case .binary: "\"AQI=\""
        }
    }

    /// Replaces the members of a to-many.
    private func replace(_ link: Link, _ entity: Int) throws {
        guard let owner = plain.objects(entity).randomElement(using: &numbers) else { return }
        let inverse = draft.inverse(of: link)
        var wanted = plain.objects(link.destination).map(\.key).shuffled(using: &numbers)
            .filter { _ in numbers.one(in: 2) }
        // What has to have an owner cannot be left out.
        if inverse?.isToMany == false, inverse?.isOptional == false {
            let present = try plain.many(link, owner)
            wanted = present + wanted.filter { !present.contains($0) }
        }
        let target = "\(path(entity))/\(owner.key)/\(link.name)"
        let reply = visit.ask("PUT", target, "\(wanted)")
        expect(reply.status == 200, "PUT \(target) \(wanted): \(reply)")
        guard reply.status == 200 else { return }
        try readRows()
        guard let row = plain.rows[draft.root(entity)]?[owner.key] else {
            return expect(false, "\(target): the owner is gone")
        }
        let found = try plain.many(link, row)
        equal(
            link.isOrdered ? found : found.sorted(), link.isOrdered ? wanted : wanted.sorted(),
            "PUT \(target)")
    }

    /// Deletes an object, after which nothing that has an inverse refers to it.
    private func delete(_ row: Row, _ entity: Int) throws {
        let target = "\(path(entity))/\(row.key)"
        let reply = visit.ask("DELETE", target)
        try readRows()
        let isThere = plain.rows[draft.root(entity)]?[row.key] != nil
        guard reply.status == 204 else {
            // By a rule, or because another must have it.
            let isRuled = draft.entities.contains { entity in
                entity.links.contains { $0.rule == "Deny" || !$0.isToMany && !$0.isOptional }
            }
            expect(
                isRuled && (reply.status == 409 || reply.status == 422),
                "DELETE \(target): \(reply)")
            return expect(isThere, "DELETE \(target) was refused, and the row is gone")
        }
        expect(!isThere, "DELETE \(target) left the row")
        for (place, it) in draft.entities.enumerated() {
            for link in it.links where link.inverse != nil {
                let inverse = draft.inverse(of: link)
                guard draft.subtree(link.destination).contains(row.entity),
                    inverse?.rule != "No Action"
                else { continue }
                if link.isToMany {
                    guard inverse?.isToMany == true else { continue }
                    let join = try plain.join(link, place)
                    let rows = plain.joins[join.table] ?? []
                    expect(
                        !rows.contains { $0[join.member]?.key == row.key },
                        "DELETE \(target) left rows in \(join.table)")
                } else {
                    let column = plain.column(link.name, place)
                    expect(
                        !plain.objects(place).contains { $0.cells[column]?.key == row.key },
                        "DELETE \(target) left keys in \(column)")
                }
            }
        }
    }
}
