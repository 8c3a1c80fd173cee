// A store in memory and one in SQLite, which are asked the same.

import SteleGraph
import SteleModel
import StelePersistence
import StelePredicates
import SteleSQLite
import TestSupport
import Testing

/// Both stores with the same few objects.
final class StorePair {
    let model: Model
    let stores: [any PersistentStore]
    private let folder: TemporaryFolder

    init(isFilled: Bool = true) throws {
        model = try makeModel([
            EntityMaker("Item").attribute("name", .string)
                .attribute("real", .double)
                .attribute("large", .integer64)
                .attribute("price", .decimal)
                .attribute("small", .integer16)
                .attribute("born", .date)
                .toMany("parts", "Item", inverse: "whole", ordered: true)
                .toOne("whole", "Item", inverse: "parts")
        ])
        folder = try TemporaryFolder()
        stores = [
            InMemoryStore(model: model), try SQLiteStore.open(path: folder.store, model: model),
        ]
        if isFilled { for store in stores { try fill(store) } }
    }

    deinit { for store in stores { store.close() } }

    /// Three, of which the first holds what is great, the second nothing, the third what is
    /// small.
    private func fill(_ store: any PersistentStore) throws {
        let context = ManagedObjectContext(PersistentStoreCoordinator(store: store))
        defer { context.close() }
        let entity = try #require(model.entity(named: "Item"))
        let objects = try (0..<3).map { _ in try context.insert(entity) }
        objects[0]["name"] = .string("\u{212A}")
        objects[0]["real"] = .double(-1e308)
        objects[0]["large"] = .int(.max)
        objects[0]["price"] =
            Decimal(string: "-99999999999999999999999999999999999999")
            .map { .decimal($0) } ?? .null
        objects[2]["name"] = .string("k")
        objects[2]["real"] = .double(.leastNonzeroMagnitude)
        objects[2]["large"] = .int(5)
        objects[2]["price"] = .decimal(3)
        objects[2]["small"] = .int(3)
        objects[0]["born"] = .date(0)
        objects[2]["born"] = .date(2)
        try objects[0].add("parts", objects[2])
        try context.save()
    }

    /// An object for each of the numbers.
    func fill(large: [Int64]) throws { try fill(large.map { ["large": .int($0)] }) }

    /// Objects with these values.
    func fill(_ objects: [[String: Value]]) throws {
        let entity = try #require(model.entity(named: "Item"))
        for store in stores {
            let context = ManagedObjectContext(PersistentStoreCoordinator(store: store))
            defer { context.close() }
            for values in objects {
                let object = try context.insert(entity)
                for (name, value) in values { object[name] = value }
            }
            try context.save()
        }
    }

    /// Expects that a predicate finds the objects with these ids in each store.
    func expect(_ text: String, finds ids: [Int64]) throws {
        var (request, check) = try request()
        request.predicate = try check.check(Predicate(format: text))
        #expect(try answer(request) == ids.map { [.int($0)] }, "\(text.prefix(100))")
    }

    /// What each store answers, which is the same.
    func answer(_ request: FetchRequest) throws -> [[Value]] {
        let answers = try stores.map { store in
            let reader = try store.reader()
            defer { reader.close() }
            if !request.propertiesToFetch.isEmpty { return try reader.fetchRows(request) }
            return try reader.fetch(request).map { [Value.int($0.key)] }
        }
        #expect(
            answers[0] == answers[1], "\(request.predicate?.description.suffix(200) ?? "")")
        return answers[1]
    }

    func request() throws -> (FetchRequest, PredicateCheck) {
        let entity = try #require(model.entity(named: "Item"))
        return (FetchRequest(entity: entity), PredicateCheck(model: model, entity: entity))
    }
}
