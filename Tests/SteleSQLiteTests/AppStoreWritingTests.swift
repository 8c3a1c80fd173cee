/// Stores that Apple's framework made are written as the framework would write them.

import Foundation
import SteleGraph
import SteleModel
import StelePersistence
import StelePredicates
import SteleSQLite
import TestSupport
import Testing

@Suite(.enabled(if: sharedFolder != nil, "the shared data is not here"))
struct AppStoreWritingTests {
    /// Objects of every entity are inserted, changed, related, reordered and deleted.
    @Test(arguments: AppStore.all) func changesKeepTheRulesOfTheLayout(_ app: AppStore) throws {
        let folder = try TemporaryFolder()
        let path = try app.copy(to: folder)
        let model = try app.readModel()
        let before = try PlainReader(path, model)
        let counts = try model.entities.map { try before.keys($0).count }
        let hashes = try SQLiteStore.metadata(path: path)["NSStoreModelVersionHashes"]
        let maxima = try before.maxima()

        let store = try SQLiteStore.open(path: path, model: model, history: .store)
        let kept = try AppStoreWriter(store).run()
        store.close()

        let plain = try PlainReader(path, model)
        #expect(try plain.database.texts("PRAGMA integrity_check") == ["ok"])
        #expect(try SQLiteStore.metadata(path: path)["NSStoreModelVersionHashes"] == hashes)
        for (entity, count) in zip(model.entities, counts) where !entity.isAbstract {
            let now = try plain.keys(entity).count
            #expect(now == count + (kept[entity.index] ?? 0), "\(entity.name)")
        }
        for (root, highest) in try plain.maxima() {
            let entity = try model.named(root)
            let keys = try plain.integers("SELECT MAX(Z_PK) FROM \(plain.table(entity))")
            #expect(highest >= keys.first ?? 0, "\(root)")
            #expect(highest > maxima[root] ?? 0, "\(root)")
        }
        for entity in model.entities {
            let versions = try plain.integers(
                "SELECT MIN(Z_OPT) FROM \(plain.table(entity)) WHERE Z_ENT = \(plain.number(entity))"
            )
            #expect(versions.allSatisfy { $0 >= 1 })
            try expectBothEnds(of: entity, plain)
        }
        let last = try plain.integers("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 16002")
        #expect(last == (try plain.integers("SELECT MAX(Z_PK) FROM ATRANSACTION")))
        #expect(
            try plain.integers(
                "SELECT COUNT(DISTINCT ZTRANSACTIONID) FROM ACHANGE c JOIN ATRANSACTION t "
                    + "ON t.Z_PK = c.ZTRANSACTIONID WHERE t.ZCONTEXTNAMETS IS NOT NULL")
                == [Int64(AppStoreWriter.saves)])
        #expect(
            try plain.integers("SELECT COUNT(*) FROM ACHANGE WHERE Z_OPT IS NOT NULL") == [0])

        // Opened again, it has what the tables have.
        let again = try SQLiteStore.open(path: path, model: model)
        defer { again.close() }
        #expect(try AppStoreTally(again, plain).differences == [])
    }

    /// Each key of a to-one relationship is of an object that is there and of the right entity.
    private func expectBothEnds(of entity: Entity, _ plain: PlainReader) throws {
        for case .relationship(let it) in entity.slots {
            let destination = plain.model.destination(of: it)
            let numbers = try plain.model.family(of: destination).map { try plain.number($0) }
            let dangling = try plain.integers(
                "SELECT Z_PK FROM \(plain.table(entity)) WHERE Z\(it.name.uppercased()) IS NOT NULL "
                    + "AND Z\(it.name.uppercased()) NOT IN (SELECT Z_PK FROM "
                    + "\(plain.table(destination)) WHERE Z_ENT IN (\(numbers.joined(separator: ", "))))"
            )
            #expect(dangling == [], "\(entity.name).\(it.name)")
        }
    }
}

extension PlainReader {
    /// Z_MAX of each root entity of the model.
    func maxima() throws -> [String: Int64] {
        var found: [String: Int64] = [:]
        for entity in model.entities where entity.parent == nil {
            let number = try number(entity)
            found[entity.name] =
                try integers("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(number)").first
        }
        return found
    }
}

/// Changes a store by way of contexts.
struct AppStoreWriter {
    let coordinator: PersistentStoreCoordinator
    let model: Model

    init(_ store: SQLiteStore) {
        coordinator = PersistentStoreCoordinator(store: store)
        model = store.model
    }

    /// An object that was made, and whether it is deleted again.
    private struct Made {
        let id: ObjectID
        let isDeleted: Bool
    }

    private func save(_ name: String, _ work: (ManagedObjectContext) throws -> Void) throws {
        let context = ManagedObjectContext(coordinator)
        defer { context.close() }
        context.name = name
        try work(context)
        try context.save()
    }

    /// - Returns: how many objects of each entity stay, by the entity's index.
    func run() throws -> [Int: Int] {
        let entities = model.entities.filter { !$0.isAbstract }
        var number = 0
        var made: [Made] = []
        var kept: [Int: Int] = [:]
        try save("insert") { context in
            for isDeleted in [false, true] {
                let objects = try makeGraph(of: entities, in: context, &number)
                try context.obtainPermanentIDs(for: objects)
                made += objects.map { Made(id: $0.objectID, isDeleted: isDeleted) }
                if isDeleted { continue }
                for object in objects { kept[object.entity.index, default: 0] += 1 }
            }
        }
        try save("update") { context in
            for entity in entities {
                var request = FetchRequest(entity: entity)
                request.includesSubentities = false
                for object in try context.fetch(request).prefix(3) {
                    number += 1
                    change(object, number)
                }
            }
        }
        try save("reorder") { context in
            for it in made {
                guard let object = try context.existingObject(with: it.id) else { continue }
                for it in object.entity.toManys {
                    let members = try object.members(it)
                    try object.setMembers(it, Array(members.reversed()))
                }
                number += 1
                change(object, number)
            }
        }
        try save("delete") { context in
            for it in made where it.isDeleted {
                guard let object = try context.existingObject(with: it.id) else { continue }
                try context.delete(object)
            }
        }
        return kept
    }

    /// The number of saves of `run`.
    static let saves = 4

    /// Makes an object of each entity, related to each other, and members of relationships that must
    /// have some.
    private func makeGraph(
        of entities: [Entity], in context: ManagedObjectContext, _ number: inout Int
    ) throws -> [ManagedObject] {
        var objects: [ManagedObject] = []
        func make(_ entity: Entity) throws -> ManagedObject {
            number += 1
            let object = try context.insert(entity)
            fill(object, number)
            objects.append(object)
            return object
        }
        for entity in entities { _ = try make(entity) }
        for object in objects { try relate(object, to: objects) }
        for object in objects {
            for it in object.entity.toManys where try object.memberKeys(it).isEmpty {
                let rule = it.declaration
                guard !rule.isOptional || rule.minimumCount > 0 else { continue }
                let member = try make(model.destination(of: it))
                try relate(member, to: objects)
                try object.setMembers(it, [member])
            }
        }
        return objects
    }

    private func fill(_ object: ManagedObject, _ number: Int) {
        for case .attribute(let it) in object.entity.slots where !it.isDerived {
            object.setValue(Self.value(of: it, number), for: it)
        }
    }

    /// Changes one attribute that has a column.
    private func change(_ object: ManagedObject, _ number: Int) {
        for case .attribute(let it) in object.entity.slots
        where !it.isDerived && !it.declaration.isTransient {
            object.setValue(Self.value(of: it, number), for: it)
            break
        }
        // A value that no column has must be given again where it is mandatory.
        for case .attribute(let it) in object.entity.slots
        where it.declaration.isTransient && !it.declaration.isOptional {
            object.setValue(Self.value(of: it, number), for: it)
        }
    }

    /// Relates an object to others, which are deleted with it or stay with it.
    private func relate(_ object: ManagedObject, to others: [ManagedObject]) throws {
        for case .relationship(let it) in object.entity.slots {
            let other = others.first { $0 !== object && $0.entity.isKind(it.destination) }
            try object.setToOne(it, other)
        }
    }

    private static func value(of attribute: Attribute, _ number: Int) -> Value {
        switch attribute.type {
        case .integer16, .integer32, .integer64: .int(Int64(1_000 + number))
        case .boolean: .bool(number % 2 == 0)
        case .double, .float: .double(Double(number) + 0.5)
        case .decimal: .decimal(Decimal(number))
        case .date: .date(Double(number) * 86_400)
        case .string: .string("text \(number)")
        case .uri: .string("https://example.org/\(number)")
        case .uuid: .uuid(UUID())
        case .binary, .transformable: .data([1, 2, UInt8(number % 256)])
        case .undefined, .objectID, .composite: .null
        }
    }
}
