import SteleModel
import StelePersistence
import StelePredicates

/// A batch of source objects. What their expressions lead to is read once for the whole batch, and
/// released with it.
final class MigrationRows {
    let rows: [Snapshot]
    let model: Model
    private let reader: any StoreReader
    private var related: [ObjectID: Snapshot] = [:]
    private var members: [Int: [Int64: [Snapshot]]] = [:]
    /// The to-one relationships whose destinations are read for the batch.
    private var areRead: Set<Int> = []
    private var error: (any Error)?
    /// Whether infinite numbers are carried over.
    private let keepsInfinite: Bool
    /// The infinite numbers of the batch, by slot and key; all of a slot are read at once.
    private var infinite: [Int: [Int64: Double]] = [:]

    /// - Parameter keepsInfinite: whether `stored` gives infinite numbers, which are read as null.
    init(
        _ rows: [Snapshot], from reader: any StoreReader, _ model: Model, keepsInfinite: Bool
    ) {
        self.rows = rows
        self.keepsInfinite = keepsInfinite
        self.reader = reader
        self.model = model
    }

    /// Throws and forgets the first error of reading, which an evaluation cannot throw.
    func check() throws {
        guard let error else { return }
        self.error = nil
        throw error
    }

    /// Whether the batch has given infinite numbers.
    var hasInfinite: Bool { infinite.values.contains { !$0.isEmpty } }

    /// Returns what the store has in a slot of one of the rows: also an infinite number.
    func stored(_ slot: Int, of row: Snapshot) -> Value {
        let value = row.values[slot]
        guard keepsInfinite, value.isNull,
            case .attribute(let it) = model.entities[row.entity].slots[slot],
            it.type == .double || it.type == .float || it.type == .date
        else { return value }
        if infinite[slot] == nil {
            read { () throws(StoreError) in
                infinite[slot] = try reader.infiniteNumbers(of: it, keys: rows.map(\.key))
            }
        }
        guard let number = infinite[slot]?[row.key] else { return value }
        return it.type == .date ? .date(number) : .double(number)
    }

    func toOne(_ relationship: Relationship, of snapshot: Snapshot) -> Snapshot? {
        guard let id = destination(relationship, of: snapshot) else { return nil }
        if let known = related[id] { return known }
        read { () throws(StoreError) in
            if areRead.insert(relationship.index).inserted {
                let keys = rows.compactMap { destination(relationship, of: $0)?.key }
                add(try reader.snapshots(root: id.root, keys: Set(keys).sorted()), id.root)
            }
            if related[id] == nil, let found = try reader.snapshot(id) { add([found], id.root) }
        }
        return related[id]
    }

    private func add(_ found: [Snapshot], _ root: Int) {
        for row in found { related[ObjectID(root: root, key: row.key)] = row }
    }

    func toMany(_ relationship: Relationship, of snapshot: Snapshot) -> [Snapshot] {
        guard has(relationship, snapshot) else { return [] }
        if let known = members[relationship.index]?[snapshot.key] { return known }
        read { () throws(StoreError) in
            let isFirst = members[relationship.index] == nil
            let owners = isFirst ? rows.filter { has(relationship, $0) } : []
            let keys = Set(owners.map(\.key) + [snapshot.key]).sorted()
            var found: [Int64: [Snapshot]] = [:]
            for key in keys { found[key] = [] }
            for row in try reader.memberSnapshots(of: relationship, owners: keys) {
                found[row.owner, default: []].append(row.member)
            }
            members[relationship.index, default: [:]].merge(found) { $1 }
        }
        return members[relationship.index]?[snapshot.key] ?? []
    }

    private func destination(_ relationship: Relationship, of snapshot: Snapshot) -> ObjectID? {
        guard has(relationship, snapshot),
            case .key(let key) = snapshot.values[relationship.slot]
        else { return nil }
        return model.destinationID(relationship, key)
    }

    private func has(_ relationship: Relationship, _ snapshot: Snapshot) -> Bool {
        model.entities[relationship.owner].isKind(snapshot.entity)
    }

    private func read(_ body: () throws(StoreError) -> Void) {
        do throws(StoreError) { try body() } catch { self.error = self.error ?? error }
    }
}

/// A source object of a batch, for the evaluation of value expressions.
struct MigrationSource: EvaluatedObject {
    let rows: MigrationRows
    let snapshot: Snapshot

    var entityIndex: Int { snapshot.entity }
    var key: Int64 { snapshot.key }
    var version: Int64 { snapshot.version }

    /// Returns what the store has in a slot: also an infinite number, if it is carried over.
    func stored(_ slot: Int) -> Value { rows.stored(slot, of: snapshot) }

    func value(of attribute: Attribute) -> Value {
        rows.model.entities[attribute.owner].isKind(snapshot.entity)
            ? snapshot.values[attribute.slot] : .null
    }

    func toOne(_ relationship: Relationship) -> MigrationSource? {
        rows.toOne(relationship, of: snapshot).map { MigrationSource(rows: rows, snapshot: $0) }
    }

    func toMany(_ relationship: Relationship) -> [MigrationSource] {
        rows.toMany(relationship, of: snapshot)
            .map { MigrationSource(rows: rows, snapshot: $0) }
    }
}

extension AttributeType {
    /// Returns a value in the form of the type, without loss; nil if there is none. A number fits
    /// each numeric type that has it, and 0 and 1 fit Boolean.
    func fitted(_ value: Value) -> Value? {
        switch self {
        case .undefined: return value
        case .boolean:
            switch value {
            case .int(0): return .bool(false)
            case .int(1): return .bool(true)
            default: return holds(value) ? value : nil
            }
        case .integer16, .integer32, .integer64, .decimal, .double, .float:
            if case .key = value { return nil }
            var number = value
            if case .bool(let it) = value { number = .int(it ? 1 : 0) }
            guard let fitted = PredicateCalls.number(number, as: self) else {
                return value.isNull ? .null : nil
            }
            guard isInteger else { return fitted }
            switch number {
            case .double(let it): return it == it.rounded(.towardZero) ? fitted : nil
            case .decimal(let it):
                if case .int(let whole) = fitted { return Decimal(whole) == it ? fitted : nil }
                return nil
            default: return fitted
            }
        default: return holds(value) ? value : nil
        }
    }
}
