import SteleModel
import StelePredicates

/// A reader for computing derived values. It sees the store with the save's rows and links.
public protocol DerivationReader {
    /// As `StoreReader.fetchRows`.
    /// - Throws: as `StoreReader.fetchRows`.
    func fetchRows(_ request: FetchRequest) throws(StoreError) -> [[Value]]
    /// As `StoreReader.snapshots`.
    /// - Throws: as `StoreReader.snapshots`.
    func snapshots(root: Int, keys: [Int64]) throws(StoreError) -> [Snapshot]
}

/// The derived attributes of a model. A store asks for their new values after it has written a
/// save's rows and links, and writes them before it commits.
///
/// A derived value that changes with another object does not raise its own object's version,
/// because no client has changed that object and none should get a conflict for it.
public struct DerivedAttributes: Sendable {
    /// The derived attributes by index of the entity, with inherited ones.
    public let byEntity: [[Derivation]]
    /// Whether the model has none.
    public let isEmpty: Bool
    private let model: Model
    private let watches: [DerivationWatch]

    /// Finds the derived attributes of a model. Expressions that do not match the model are
    /// skipped; a checked model has none.
    public init(_ model: Model) {
        self.model = model
        let derivations = model.entities.map { entity in
            entity.slots.compactMap { property -> Derivation? in
                guard case .attribute(let it) = property, it.isDerived else { return nil }
                return try? Derivation(it, of: model.entities[it.owner], in: model)
            }
        }
        byEntity = derivations
        isEmpty = derivations.allSatisfy(\.isEmpty)
        watches = model.entities.flatMap { entity in
            derivations[entity.index].filter { $0.attribute.owner == entity.index }
                .flatMap { DerivationWatch.all(of: $0, entity, model) }
        }
    }

    /// An executed change, and the object after it without new derived values; nil for a deletion.
    public typealias Change = (change: ObjectChange, after: Snapshot?)

    /// An object whose derived values were computed.
    public struct Outcome: Sendable {
        /// The object in the store, with its new derived values.
        public var snapshot: Snapshot
        /// The derived slots that change, with their previous values.
        public var before: [(slot: Int, value: Value)]
    }

    /// Computes the derived values of all objects that a save affects, including those that it
    /// inserted or updated.
    /// - Parameters:
    ///   - changes: the executed changes of the save.
    ///   - reader: a reader that sees the save's rows and links.
    ///   - time: the value of `now()`, in seconds since 2001-01-01T00:00:00Z.
    /// - Throws: `StoreError`; `.refused` for a value out of the range of its attribute's type.
    public func outcomes(
        of changes: [Change], _ reader: some DerivationReader, at time: Double
    ) throws(StoreError) -> [Outcome] {
        var affected: [Int: Set<Int64>] = [:]
        var saved = Set<ObjectID>()
        for (change, _) in changes
        where change.kind != .delete && !byEntity[change.entity].isEmpty {
            let root = model.entities[change.entity].root
            affected[root, default: []].insert(change.key)
            if change.kind == .insert || !change.changedSlots.isEmpty {
                saved.insert(ObjectID(root: root, key: change.key))
            }
        }
        for watch in watches {
            let found = try watch.affected(by: changes, reader, model)
            affected[watch.entity.root, default: []].formUnion(found)
        }
        var outcomes: [Outcome] = []
        for (root, keys) in affected.sorted(by: { $0.key < $1.key }) where !keys.isEmpty {
            let rows = try reader.snapshots(root: root, keys: keys.sorted())
            for (entity, rows) in Dictionary(grouping: rows, by: \.entity) {
                outcomes += try self.outcomes(
                    of: rows, entity: entity, from: reader, saved: saved, time: time)
            }
        }
        return outcomes.sorted {
            ($0.snapshot.entity, $0.snapshot.key) < ($1.snapshot.entity, $1.snapshot.key)
        }
    }

    /// - Parameter saved: the objects that the save itself inserted or updated.
    private func outcomes(
        of rows: [Snapshot], entity: Int, from reader: some DerivationReader,
        saved: Set<ObjectID>, time: Double
    ) throws(StoreError) -> [Outcome] {
        let derivations = byEntity[entity]
        if derivations.isEmpty { return [] }
        let root = model.entities[entity].root
        var request = FetchRequest(entity: model.entities[entity])
        request.predicate = DerivationWatch.isAny(of: rows.map(\.key), .key("_id"))
        var expressions: [Expression] = [.key("_id")]
        expressions += derivations.compactMap(\.expression)
        request.propertiesToFetch = expressions.enumerated().map {
            ExpressionDescription(name: "#\($0.offset)", expression: $0.element)
        }
        var sources: [Int64: [Value]] = [:]
        for row in try reader.fetchRows(request) {
            if case .int(let key)? = row.first { sources[key] = row }
        }
        var outcomes: [Outcome] = []
        for row in rows {
            guard let values = sources[row.key] else { continue }
            var outcome = Outcome(snapshot: row, before: [])
            var place = 0
            for derivation in derivations {
                var value = Value.date(time)
                if derivation.expression != nil {
                    place += 1
                    // A sum beyond its type that an earlier version of Stele has stored as null stays.
                    if derivation.isSum, values[place].isNull,
                        row.values[derivation.attribute.slot].isNull,
                        row.version > 1 || !saved.contains(ObjectID(root: root, key: row.key))
                    {
                        continue
                    }
                    value = try derivation.value(of: values[place], row, model)
                } else if !saved.contains(ObjectID(root: root, key: row.key)) {
                    continue
                } else if derivation.attribute.type.isNumeric {
                    value = try derivation.value(of: .double(time), row, model)
                }
                let slot = derivation.attribute.slot
                if value == row.values[slot] { continue }
                outcome.before.append((slot, row.values[slot]))
                outcome.snapshot.values[slot] = value
            }
            outcomes.append(outcome)
        }
        return outcomes
    }
}

extension Derivation {
    fileprivate var isSum: Bool { if case .sum = source { true } else { false } }

    /// The expression to fetch; nil for `now()`.
    fileprivate var expression: Expression? {
        switch source {
        case .now: nil
        case .value(let across, let attribute, _):
            .keyPath(.evaluatedObject, across.map(\.name) + [attribute.name])
        case .count(let toMany): .keyPath(.evaluatedObject, [toMany.name, "@count"])
        case .sum(let toMany, let attribute):
            .keyPath(.evaluatedObject, [toMany.name, attribute.name, "@sum"])
        }
    }

    /// Returns the attribute's value for the fetched one.
    /// - Throws: `.refused` where the value is out of the range of the attribute's type.
    fileprivate func value(
        of fetched: Value, _ row: Snapshot, _ model: Model
    ) throws(StoreError) -> Value {
        var value = fetched
        if case .value(_, _, let function?) = source {
            let named: PredicateFunction =
                switch function {
                case .canonical: .canonical
                case .uppercase: .uppercase
                case .lowercase: .lowercase
                }
            value = PredicateCalls.apply(named, fetched, nil)
        }
        guard attribute.type.isNumeric else { return value }
        // Only a sum that no number holds is null, because that of no values is 0.
        if value.isNull, case .value = source { return value }
        if let number = PredicateCalls.number(value, as: attribute.type) { return number }
        throw .refused(
            "\(ObjectID.name(model.entities[row.entity].name, row.key)): the derived value of "
                + "\(attribute.name) is out of the range of \(attribute.type.name)")
    }
}
