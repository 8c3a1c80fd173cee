// Fetches of objects that are in several stores give what one store would give.

import SteleModel
import StelePersistence
import StelePredicates
import TestSupport
import Testing

@testable import SteleGraph

@Suite struct GroupFetchTests {
    /// Random notes and memos with tags in two stores, and the same objects in one.
    private func stores(
        _ numbers: inout SeededNumbers
    ) throws -> (group: GroupStage, whole: InMemoryStore) {
        let stage = try GroupStage(["Notes", "Archive", "Passwords"])
        let context = stage.context()
        var tags: [[ManagedObject]] = [[], []]
        for number in 0..<12 {
            let tag = try GroupStage.insert("Tag", "tag \(number % 5)", in: context)
            if number % 2 == 1 { try GroupStage.assign(tag, to: "Archive") }
            tags[number % 2].append(tag)
        }
        let names = ["Ann", "ann", "Bert", "bert", "Émile", "emile", "", "zoë 10", "zoë 9"]
        for _ in 0..<80 {
            let entity = numbers.one(in: 3) ? "Memo" : "Note"
            let note = try GroupStage.insert(
                entity, names[numbers.below(names.count)], mark: Int64(numbers.below(9)) - 4,
                in: context)
            if numbers.one(in: 5) { note["name"] = .null }
            if numbers.one(in: 6) { note["mark"] = .null }
            if !numbers.one(in: 4) {
                note["price"] = .decimal(
                    Decimal(sign: .plus, exponent: -1, significand: Decimal(numbers.below(50))))
            }
            let place = numbers.below(2)
            if place == 1 { try GroupStage.assign(note, to: "Archive") }
            let members = tags[place].filter { _ in numbers.one(in: 3) }
            try note.setMembers(try stage.relationship("Note.tags"), members)
        }
        try context.save()
        let whole = InMemoryStore(model: stage.model)
        var request = SaveRequest(readToken: 0)
        try stage.read { reader in
            for name in ["Tag", "Note"] {
                let rows = try reader.fetch(FetchRequest(entity: try stage.entity(name)))
                for row in rows {
                    let toManys = try stage.model.entities[row.entity].toManys.map { relationship in
                        ToManyChange(
                            relationship: relationship.index,
                            added: try reader.members(
                                of: relationship, owners: [row.key])[row.key] ?? [])
                    }
                    request.changes.append(
                        ObjectChange(
                            .insert, entity: row.entity, key: row.key, values: row.values,
                            toManys: toManys))
                }
            }
        }
        _ = try whole.save(request)
        return (stage, whole)
    }

    private func request(
        _ entity: Entity, _ numbers: inout SeededNumbers
    ) throws -> FetchRequest {
        var request = FetchRequest(entity: entity)
        request.includesSubentities = !numbers.one(in: 4)
        let predicates = [
            "mark > 0", "name BEGINSWITH[c] 'a'", "ANY tags.name == 'tag 1'", "tags.@count > 1",
            "price > 2.5 OR name == nil", "SUBQUERY(tags, $t, $t.name ENDSWITH '2').@count == 0",
            "mark IN {1, 2, nil}", "NOT (name CONTAINS[cd] 'e')",
        ]
        if !numbers.one(in: 3) {
            request.predicate = try Predicate(format: numbers.pick(predicates, or: "TRUEPREDICATE"))
        }
        let keys = try ["name", "mark", "price", "tags.@count", "mark + 3", "uppercase(name)"].map {
            try Expression(format: $0)
        }
        var sorts: [SortDescriptor] = []
        for key in keys where numbers.one(in: 3) {
            sorts.append(
                SortDescriptor(
                    key, ascending: numbers.one(in: 2),
                    options: numbers.one(in: 2) ? [.caseInsensitive] : []))
        }
        request.sortDescriptors = sorts.filter {
            $0.options.isEmpty || $0.expression == .key("name")
        }
        if numbers.one(in: 2) { request.fetchLimit = numbers.below(30) }
        if numbers.one(in: 3) { request.fetchOffset = numbers.below(30) }
        return request
    }

    /// A request for columns, groups or distinct rows.
    private func columns(
        _ entity: Entity, _ numbers: inout SeededNumbers
    ) throws -> FetchRequest {
        var request = try request(entity, &numbers)
        func column(_ text: String) throws -> ExpressionDescription {
            ExpressionDescription(
                name: "c\(numbers.next())", expression: try Expression(format: text))
        }
        switch numbers.below(3) {
        case 0:
            request.propertiesToFetch = [try column("name"), try column("mark * 2")]
        case 1:
            request.propertiesToFetch = [try column("mark"), try column("name")]
            request.returnsDistinctResults = true
            request.sortDescriptors = request.sortDescriptors.filter {
                [.key("mark"), .key("name")].contains($0.expression)
            }
        default:
            request.propertiesToFetch = try [
                "mark", "count(name)", "sum(price)", "average(price)", "min(name)", "max(price)",
                "count(distinct(name))", "median(price)", "sum(tags.@count)",
            ].map { try column($0) }
            request.propertiesToGroupBy = [.key("mark")]
            request.sortDescriptors = []
            if numbers.one(in: 2) {
                request.havingPredicate = try Predicate(format: "count(name) > 2")
            }
        }
        return request
    }

    @Test func randomFetchesAgree() throws {
        let seed = UInt64.random(in: 0...UInt64(UInt32.max))
        print("GroupFetchTests: seed \(seed)")
        var numbers = SeededNumbers(seed: seed)
        let (stage, whole) = try stores(&numbers)
        let one = try whole.reader()
        defer { one.close() }
        let note = try stage.entity("Note")
        try stage.read { group in
            for number in 0..<300 {
                let objects = try request(note, &numbers).checked(in: stage.model)
                let text: Comment = "seed \(seed), \(number): \(String(describing: objects))"
                let wanted = try one.fetch(objects)
                let found = try group.fetch(objects)
                #expect(found.map(\.key) == wanted.map(\.key), text)
                #expect(found.map(\.values) == wanted.map(\.values), text)
                #expect(try group.count(objects) == wanted.count, text)
                let cursor = try group.cursor(objects)
                guard case .objects(let begin) = try cursor.next(7) else { return }
                #expect(begin.map(\.key) == wanted.prefix(7).map(\.key), text)
                // The next page begins after a row.
                if let last = found.last, objects.fetchLimit != nil {
                    var next = objects
                    next.fetchOffset = 0
                    next.after = try group.position(of: last.key, in: objects)
                    #expect(
                        try group.fetch(next).map(\.key) == (try one.fetch(next).map(\.key)), text)
                }
                let rows = try columns(note, &numbers).checked(in: stage.model)
                let its: Comment = "seed \(seed), \(number): \(String(describing: rows))"
                #expect(try group.fetchRows(rows) == (try one.fetchRows(rows)), its)
                #expect(try group.count(rows) == (try one.count(rows)), its)
            }
        }
    }
}
