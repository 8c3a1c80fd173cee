// Attributes that change from any numeric type to any other, in every kind of store, with random
// values. An oracle says what the values become.

import Foundation
import SteleGraph
import SteleMigration
import SteleModel
import StelePersistence
import StelePostgreSQL
import StelePredicates
import SteleSQLite
import TestSupport
import Testing

@Suite struct NumericMigrationTests {
    private static let pairs = NumericOracle.pairs

    private static func name(_ pair: (from: AttributeType, to: AttributeType)) -> String {
        "\(pair.from)To\(pair.to)".replacing(".", with: "")
    }

    /// All pairs, in one entity.
    private static func item(after isAfter: Bool) -> EntityMaker {
        pairs.reduce(EntityMaker("Item")) { maker, pair in
            maker.attribute(name(pair), isAfter ? pair.to : pair.from)
        }
    }

    private func fill(
        _ it: any GraphFixture, _ entity: String, _ rows: [[String: Value]]
    ) throws {
        try it.change { context in
            for row in rows {
                let object = try context.insert(it.entity(entity))
                for (name, value) in row { object[name] = value }
            }
        }
    }

    private func values(
        _ store: any PersistentStore, _ entity: String
    ) throws -> [Int64: [String: Value]] {
        let reader = try store.reader()
        defer { reader.close() }
        let entity = try store.model.named(entity)
        var found: [Int64: [String: Value]] = [:]
        for row in try reader.fetch(FetchRequest(entity: entity)) {
            found[row.key] = Dictionary(
                uniqueKeysWithValues: zip(entity.slots.map(\.name), row.values))
        }
        return found
    }

    /// Migrates a store of a kind by the inferred mapping, in place where `isInPlace` says so.
    /// - Returns: what the error says, and the rows afterwards.
    private func migrate(
        _ kind: StoreKind, inPlace isInPlace: Bool, _ before: [EntityMaker], _ after: [EntityMaker],
        _ entity: String, _ rows: [[String: Value]]
    ) throws -> (error: String?, rows: [Int64: [String: Value]]) {
        let folder = try TemporaryFolder()
        let (source, destination) = (try makeModel(before), try makeModel(after))
        let mapping = try MappingModel.inferred(from: source, to: destination)
        let path = kind == .postgresql ? UUID().uuidString : folder.store
        let old = try kind.open(source, at: path)
        try fill(PlainFixture(old), entity, rows)
        let contents = try values(old, entity)
        if isInPlace {
            old.close()
            do throws(StoreError) {
                if kind == .sqlite {
                    try SQLiteStore.migrate(
                        path: path, from: source, to: destination, by: mapping)
                } else if let url = try? PostgreSQLServer.shared?.url(path: path) {
                    try PostgreSQLStore.migrate(
                        url: url, from: source, to: destination, by: mapping)
                }
            } catch {
                let same = try kind.open(source, at: path)
                defer { same.close() }
                let isSame = try values(same, entity) == contents
                #expect(isSame)
                guard case .incompatible(134110, let text) = error else { throw error }
                return (text, [:])
            }
            let new = try kind.open(destination, at: path)
            defer { new.close() }
            return (nil, try values(new, entity))
        }
        defer { old.close() }
        let beside = try TemporaryFolder()
        let new = try kind.open(
            destination, at: kind == .postgresql ? UUID().uuidString : beside.store)
        defer { new.close() }
        do {
            try MigrationManager(from: old, to: new, mappingModel: mapping).migrate()
        } catch let error as MigrationError {
            #expect(error.code == .migration)
            let isEmpty = try values(new, entity).isEmpty
            #expect(isEmpty)
            return (error.description, [:])
        }
        return (nil, try values(new, entity))
    }

    /// The ways of migrating that this run of the tests has.
    private static let ways: [(kind: StoreKind, isInPlace: Bool)] =
        StoreKind.single.map { ($0, false) }
        + StoreKind.single.filter { $0 == .sqlite || $0 == .postgresql }.map { ($0, true) }

    @Test func valuesThatFitAreCarriedOverByEveryStore() throws {
        var numbers = SeededNumbers(seed: drawSeed("numeric changes"))
        var rows: [[String: Value]] = []
        var expected: [[String: Value]] = []
        for _ in 0..<60 {
            var row: [String: Value] = [:]
            var wanted: [String: Value] = [:]
            for pair in Self.pairs {
                let name = Self.name(pair)
                var value = Value.null
                for _ in 0..<20 where !numbers.one(in: 10) {
                    let drawn = NumericOracle.value(pair.from, &numbers)
                    if NumericOracle.converted(drawn, pair.from, pair.to) == nil { continue }
                    value = drawn
                    break
                }
                row[name] = value
                wanted[name] = NumericOracle.converted(value, pair.from, pair.to)
            }
            rows.append(row)
            expected.append(wanted)
        }
        for way in Self.ways {
            let found = try migrate(
                way.kind, inPlace: way.isInPlace, [Self.item(after: false)],
                [Self.item(after: true)], "Item", rows)
            #expect(found.error == nil, "\(way)")
            #expect(found.rows.count == rows.count)
            for (index, wanted) in expected.enumerated() {
                let row = found.rows[Int64(index) + 1] ?? [:]
                for (name, value) in wanted where row[name] != value {
                    let (before, now) = (rows[index][name] ?? .null, row[name] ?? .null)
                    Issue.record("\(way) \(name): \(before) → \(now), not \(value)")
                }
            }
        }
    }

    @Test func valuesThatDoNotFitAreRefusedWithTheirObjects() throws {
        var numbers = SeededNumbers(seed: drawSeed("numeric misfits"))
        for pair in Self.pairs {
            var rows: [[String: Value]] = []
            var misfits: [String] = []
            for key in 1...50 {
                let value =
                    numbers.one(in: 8) ? .null : NumericOracle.value(pair.from, &numbers)
                rows.append(["n": value])
                if NumericOracle.converted(value, pair.from, pair.to) == nil {
                    misfits.append("Item \(key): \(text(value, pair.from))")
                }
            }
            // In place, and one of the others.
            let others = Self.ways.filter { !$0.isInPlace }
            let one = others[numbers.below(others.count)]
            for way in Self.ways where way.isInPlace || way == one {
                let found = try migrate(
                    way.kind, inPlace: way.isInPlace,
                    [EntityMaker("Item").attribute("n", pair.from)],
                    [EntityMaker("Item").attribute("n", pair.to)], "Item", rows)
                let label = "\(way) \(pair)"
                guard !misfits.isEmpty else {
                    #expect(found.error == nil, "\(label)")
                    continue
                }
                let error = try #require(found.error, "\(label)")
                let objects = misfits.count == 1 ? "1 object" : "\(misfits.count) objects"
                #expect(
                    error.hasPrefix(
                        "Item.n is of type \(pair.to.name) and was \(pair.from.name), and the value "
                            + "of n does not fit for \(objects) of Item"), "\(label): \(error)")
                var lines = misfits.prefix(20).map { $0 }
                if misfits.count > 20 { lines.append("and \(misfits.count - 20) more") }
                let list =
                    lines.count == 1
                    ? ": \(lines[0]) (" : "\n  - " + lines.joined(separator: "\n  - ")
                #expect(error.contains(list), "\(label): \(error)\n\(list)")
            }
        }
    }

    private func text(_ value: Value, _ type: AttributeType) -> String {
        switch value {
        case .int(let it): return "\(it)"
        case .double(let it): return type == .float ? "\(Float(it))" : "\(it)"
        case .decimal(let it):
            var bytes: [UInt8] = []
            DecimalText.write(it, to: &bytes)
            return String(decoding: bytes, as: UTF8.self)
        default: return "\(value)"
        }
    }
}

/// A coordinator of a store that the caller closes.
private final class PlainFixture: GraphFixture {
    let coordinator: PersistentStoreCoordinator

    init(_ store: any PersistentStore) { coordinator = PersistentStoreCoordinator(store: store) }
}
