// Random operations on a graph, each compared with a plain set of pairs.

import SteleModel
import StelePersistence
import StelePredicates
import TestSupport
import Testing

@testable import SteleGraph

/// Links as pairs: what a graph means, without any of its machinery.
private struct Pairs {
    let model: Model
    /// For each relationship (both sides of each pair of inverses) its links.
    var links: [Int: Set<[Int64]>] = [:]

    func of(_ r: Relationship, _ owner: Int64) -> [Int64] {
        (links[r.index] ?? []).filter { $0[0] == owner }.map { $0[1] }.sorted()
    }

    mutating func cut(_ r: Relationship, _ a: Int64, _ b: Int64) {
        links[r.index]?.remove([a, b])
        if let inverse = r.inverse { links[inverse]?.remove([b, a]) }
    }

    mutating func link(_ r: Relationship, _ a: Int64, _ b: Int64) {
        if links[r.index]?.contains([a, b]) == true { return }
        if !r.isToMany { for old in of(r, a) { cut(r, a, old) } }
        let inverse = model.inverse(of: r)
        if let inverse, !inverse.isToMany { for old in of(inverse, b) { cut(inverse, b, old) } }
        if inverse == nil && r.isToMany {
            for pair in links[r.index] ?? [] where pair[1] == b { cut(r, pair[0], b) }
        }
        links[r.index, default: []].insert([a, b])
        if let inverse { links[inverse.index, default: []].insert([b, a]) }
    }
}

@Suite struct RandomGraphTests {
    @Test(arguments: StoreKind.allCases)
    func anySequenceOfChangesKeepsBothSidesAlike(_ kind: StoreKind) throws {
        let seed = drawSeed("anySequenceOfChangesKeepsBothSidesAlike(\(kind))")
        let model = try makeNodes {
            $0.toOne("guard", "Node", inverse: "guarded")
                .toMany("guarded", "Node", inverse: "guard", rule: .deny)
        }
        for round in 0..<(kind == .memory ? 40 : 12) {
            var run = try Run(Fixture(model, kind), SeededNumbers(seed: seed &+ UInt64(round)))
            try run.play(steps: 120)
            if Task.isCancelled { return }
        }
    }

    private struct Run {
        let fixture: Fixture
        var numbers: SeededNumbers
        let node: Entity
        var context: ManagedObjectContext
        var expected: Pairs
        var saved: Pairs
        /// Objects alive, by the key that the pairs use: the permanent one, or the temporary.
        var keys: [Int64] = []
        var savedKeys: [Int64] = []

        init(_ fixture: Fixture, _ numbers: SeededNumbers) throws {
            self.fixture = fixture
            self.numbers = numbers
            node = try fixture.entity("Node")
            context = fixture.context()
            expected = Pairs(model: fixture.model)
            saved = expected
        }

        func object(_ key: Int64) throws -> ManagedObject {
            try context.get(ObjectID(root: node.root, key: key))
        }

        /// One of those alive, of whom there are some.
        mutating func pick() -> Int64 { keys.randomElement(using: &numbers) ?? 0 }

        mutating func play(steps: Int) throws {
            for _ in 0..<6 { try insert() }
            for step in 0..<steps {
                // A cascade may have left nobody.
                while keys.count < 3 { try insert() }
                let links = fixture.model.relationships
                let relationship = links[Int.random(in: 0..<links.count, using: &numbers)]
                // A cascade may have taken all.
                if keys.isEmpty { try insert() }
                switch Int.random(in: 0..<100, using: &numbers) {
                case 0..<6 where keys.count < 14: try insert()
                case 6..<10 where keys.count > 4: try delete()
                case 10..<20: try save()
                case 20..<28: try compare("step \(step)")
                default: try change(relationship)
                }
            }
            try save()
        }

        mutating func insert() throws {
            keys.append(try context.insert(node).objectID.key)
        }

        mutating func change(_ r: Relationship) throws {
            let (a, b) = (pick(), pick())
            if !r.isToMany {
                if Int.random(in: 0..<4, using: &numbers) == 0 {
                    try object(a).setToOne(r, nil)
                    for old in expected.of(r, a) { expected.cut(r, a, old) }
                } else {
                    try object(a).setToOne(r, try object(b))
                    expected.link(r, a, b)
                }
                return
            }
            switch Int.random(in: 0..<5, using: &numbers) {
            case 0, 1:
                try object(a).addMember(r, try object(b))
                expected.link(r, a, b)
            case 2:
                try object(a).removeMember(r, try object(b))
                expected.cut(r, a, b)
            case 3:
                let count = Int.random(in: 0..<4, using: &numbers)
                let wanted = (0..<count).map { _ in pick() }
                try object(a).setMembers(r, try wanted.map { try object($0) })
                for old in expected.of(r, a) where !wanted.contains(old) { expected.cut(r, a, old) }
                for new in wanted { expected.link(r, a, new) }
                if r.isOrdered { try expectOrder(wanted, r, a) }
            default:
                guard r.isOrdered else { return }
                try object(a).addMember(r, try object(b), at: 0)
                expected.link(r, a, b)
                #expect(try object(a).memberKeys(r).first == b)
            }
        }

        /// The order given, each once.
        func expectOrder(_ wanted: [Int64], _ r: Relationship, _ owner: Int64) throws {
            var seen = Set<Int64>()
            let order = wanted.filter { seen.insert($0).inserted }
            #expect(try object(owner).memberKeys(r) == order)
        }

        /// Deletes one, with all that cascades, unless one that is guarded stays.
        mutating func delete() throws {
            var gone: Set<Int64> = []
            var next = [pick()]
            let start = next[0]
            let (held, guarded) = (
                try fixture.relationship("Node.held"), try fixture.relationship("Node.guarded")
            )
            while let key = next.popLast() {
                if gone.insert(key).inserted { next += expected.of(held, key) }
            }
            if gone.contains(where: { expected.of(guarded, $0).contains { !gone.contains($0) } }) {
                return
            }
            try context.delete(try object(start))
            try context.processPendingChanges()
            for (index, pairs) in expected.links {
                expected.links[index] = pairs.filter {
                    !gone.contains($0[0]) && !gone.contains($0[1])
                }
            }
            keys.removeAll { gone.contains($0) }
        }

        /// The context against the pairs.
        func compare(_ comment: String) throws {
            for r in fixture.model.relationships {
                for key in keys {
                    let found =
                        r.isToMany
                        ? try object(key).memberKeys(r).sorted()
                        : try object(key).toOne(r).map { [$0.objectID.key] } ?? []
                    #expect(found == expected.of(r, key), "\(r.name) of \(key), \(comment)")
                }
            }
        }

        mutating func save() throws {
            try compare("before saving")
            let orders = try fixture.model.relationships.filter(\.isOrdered).map { r in
                try keys.map { try object($0).memberKeys(r) }
            }
            let objects = try keys.map { try object($0) }
            let before = keys
            try context.save()
            var names: [Int64: Int64] = [:]
            for (key, object) in zip(before, objects) { names[key] = object.objectID.key }
            keys = keys.map { names[$0] ?? 0 }
            expected.links = expected.links.mapValues { pairs in
                Set(pairs.map { $0.map { names[$0] ?? 0 } })
            }
            if Bool.random(using: &numbers) { context = fixture.context() }
            try compareStore()
            for (r, lists) in zip(fixture.model.relationships.filter(\.isOrdered), orders) {
                for (key, list) in zip(keys, lists) {
                    let stored = try fixture.storedMembers("Node.\(r.name)", of: key)
                    #expect(stored == list.map { names[$0] ?? 0 }, "order of \(r.name)")
                }
            }
        }

        /// The store against the pairs, both sides by themselves.
        func compareStore() throws {
            let reader = try fixture.store.reader()
            defer { reader.close() }
            let rows = try reader.fetch(FetchRequest(entity: node))
            #expect(rows.map(\.key) == keys.sorted())
            for r in fixture.model.relationships {
                let members = r.isToMany ? try reader.members(of: r, owners: keys) : [:]
                for row in rows {
                    var found = (members[row.key] ?? []).sorted()
                    if !r.isToMany, case .key(let key) = row.values[r.slot] { found = [key] }
                    #expect(found == expected.of(r, row.key), "stored \(r.name) of \(row.key)")
                }
            }
        }
    }
}
