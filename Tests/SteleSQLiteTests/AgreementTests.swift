// Whatever is done to a graph, the file and the in-memory store come to the same.

import Foundation
import SteleGraph
import SteleModel
import StelePersistence
import StelePredicates
import SteleSQLite
import TestSupport
import Testing

@Suite struct AgreementTests {
    private func model() throws -> Model {
        try makeModel([
            EntityMaker("Node").attribute("name", .string)
                .attribute("count", .integer32)
                .toOne("one", "Node", inverse: "eno")
                .toOne("eno", "Node", inverse: "one")
                .toOne("self", "Node", inverse: "self")
                .toOne("up", "Node", inverse: "down")
                .toMany("down", "Node", inverse: "up")
                .toMany("near", "Node", inverse: "near")
                .toMany("to", "Node", inverse: "from", rule: .noAction)
                .toMany("from", "Node", inverse: "to", ordered: true)
                .toOne("list", "Node", inverse: "items")
                .toMany("items", "Node", inverse: "list", ordered: true)
                .toMany("owned", "Node")
                .toMany("ranked", "Node", ordered: true)
                .toOne("likes", "Node")
                .toOne("leaf", "Leaf")
                .toMany("leaves", "Leaf"),
            EntityMaker("Leaf", parent: "Node").attribute("green", .boolean)
                .toOne("branch", "Leaf", inverse: "twigs")
                .toMany("twigs", "Leaf", inverse: "branch", ordered: true),
            EntityMaker("Stone").attribute("weight", .double)
                .toMany("under", "Node", ordered: true)
                .toOne("beside", "Leaf"),
        ])
    }

    /// One store with the context that is open on it.
    private final class Side {
        let coordinator: PersistentStoreCoordinator
        var context: ManagedObjectContext
        init(_ store: any PersistentStore) {
            coordinator = PersistentStoreCoordinator(store: store, rowCacheBytes: 1 << 16)
            context = ManagedObjectContext(coordinator)
        }
    }

    /// More of them where STELE_ROUNDS says so; the seed of a run in STELE_SEED.
    private func environment(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }

    @Test func bothStoresComeToTheSame() throws {
        let seed = environment("STELE_SEED") ?? UInt64.random(in: 1...999_999)
        let rounds = Int(environment("STELE_ROUNDS") ?? 12)
        print("bothStoresComeToTheSame: seed \(seed)")
        for round in 0..<rounds {
            let model = try model()
            let folder = try TemporaryFolder()
            let file = try SQLiteStore.open(path: folder.store, model: model)
            defer { file.close() }
            let sides = [Side(InMemoryStore(model: model)), Side(file)]
            for step in 0..<60 {
                var outcomes: [String] = []
                for side in sides {
                    var numbers = SeededNumbers(seed: seed &+ UInt64(round * 1000 + step))
                    outcomes.append(try play(side, &numbers))
                }
                #expect(outcomes[0] == outcomes[1], "round \(round), step \(step)")
                let states = try sides.map(state)
                #expect(states[0] == states[1], "round \(round), step \(step)")
                if outcomes[0] != outcomes[1] || states[0] != states[1] {
                    print(zip(states[0], states[1]).filter { $0 != $1 })
                    return
                }
            }
            #expect(try sides.map(history)[0] == sides.map(history)[1])
        }
    }

    /// Some changes and a save; what came of it.
    private func play(_ side: Side, _ numbers: inout SeededNumbers) throws -> String {
        let model = side.coordinator.model
        if Bool.random(using: &numbers) { side.context = ManagedObjectContext(side.coordinator) }
        let context = side.context
        var objects = try model.entities.filter { $0.parent == nil }.flatMap { entity in
            try context.fetch(FetchRequest(entity: entity))
        }
        do {
            for _ in 0..<Int.random(in: 1...6, using: &numbers) {
                let choice = Int.random(in: 0..<20, using: &numbers)
                if choice < 3 || objects.count < 4 {
                    let entity = model.entities[Int.random(in: 0..<3, using: &numbers)]
                    objects.append(try context.insert(entity))
                } else if choice < 5 {
                    let index = Int.random(in: 0..<objects.count, using: &numbers)
                    try context.delete(objects.remove(at: index))
                } else {
                    try change(objects, &numbers)
                }
            }
            try context.save()
            return "saved"
        } catch {
            side.context = ManagedObjectContext(side.coordinator)
            return "\(error)"
        }
    }

    private func change(_ objects: [ManagedObject], _ numbers: inout SeededNumbers) throws {
        let a = objects[Int.random(in: 0..<objects.count, using: &numbers)]
        let b = objects[Int.random(in: 0..<objects.count, using: &numbers)]
        let properties = a.entity.properties
        let place = Int.random(in: 0..<100, using: &numbers)
        switch properties[Int.random(in: 0..<properties.count, using: &numbers)] {
        case .attribute(let it) where it.type == .string: a.setValue(.string("\(place)"), for: it)
        case .attribute(let it) where it.type == .integer32:
            a.setValue(.int(Int64(place)), for: it)
        case .relationship(let it):
            do {
                if !it.isToMany { return try a.setToOne(it, place < 20 ? nil : b) }
                if place < 25 { return try a.removeMember(it, b) }
                try a.addMember(it, b, at: place < 60 ? nil : place % 4)
            } catch is ContextError {}
        default: break
        }
    }

    /// Everything that can be read, as text.
    private func state(_ side: Side) throws -> [String] {
        let reader = try side.coordinator.store.reader()
        defer { reader.close() }
        let model = side.coordinator.model
        var lines: [String] = []
        for entity in model.entities where entity.parent == nil {
            let rows = try reader.fetch(FetchRequest(entity: entity))
            lines += rows.map { "\($0)" }
            let cached = ManagedObjectContext(side.coordinator)
            for row in rows {
                let known = try cached.snapshot(ObjectID(root: entity.root, key: row.key))
                if known != row { lines.append("the cache has \(String(describing: known))") }
            }
            for relationship in model.relationships
            where relationship.isToMany && model.entities[relationship.owner].root == entity.root {
                let members = try reader.members(of: relationship, owners: rows.map(\.key))
                lines += members.sorted { $0.key < $1.key }
                    .map { "\(relationship.name) of \($0.key): \($0.value)" }
            }
        }
        return lines
    }

    private func history(_ side: Side) throws -> [String] {
        let reader = try side.coordinator.store.reader()
        defer { reader.close() }
        return try reader.history(after: 0, limit: .max, values: true).flatMap { save in
            save.changes.map { change -> String in
                let before = change.kind == .update ? change.before.map(text) ?? "-" : ""
                return "\(save.number) \(change.entity) \(change.key) \(change.kind) "
                    + "\(change.version ?? -1) \(before) "
                    + (change.snapshot.map { "\($0)" } ?? "-")
            }.sorted()
        }
    }

    private func text(_ before: [BeforeValue]) -> String {
        before.map { value -> String in
            guard case .members(let index, let added, let removed) = value else {
                return "\(value)"
            }
            return "\(index) +\(added.sorted()) -\(removed.sorted())"
        }.sorted().joined(separator: ", ")
    }
}
