/// Derived attributes, kept right by every save: whose values a save touches, and what they are.

import SteleModel
import StelePredicates

/// What is read to work derived values out: the store as it is with the save's rows and links.
public protocol DerivationReader {
    /// As `StoreReader.fetchRows`.
    func fetchRows(_ request: FetchRequest) throws(StoreError) -> [[Value]]
    /// As `StoreReader.snapshots`.
    func snapshots(root: Int, keys: [Int64]) throws(StoreError) -> [Snapshot]
}

/// The derived attributes of a model. A store asks what a save means for them once its rows and
/// links are written, and writes the answer before it commits.
///
/// A value that changes with another object's does not raise its own object's version: no client
/// has changed that, and none meets a conflict for it.
public struct DerivedAttributes: Sendable {
    /// By index of the entity, those that it inherits included.
    public let byEntity: [[Derivation]]
    /// Whether the model has none.
    public let isEmpty: Bool
    private let model: Model
    private let watches: [DerivationWatch]

    /// Those of a model; expressions that do not fit it, which a checked model does not have, count
    /// as none.
    public init(_ model: Model) {
        self.model = model
        byEntity = model.entities.map { entity in
            entity.slots.compactMap { property in
                guard case .attribute(let it) = property, it.isDerived else { return nil }
                return try? Derivation(it, of: model.entities[it.owner], in: model)
            }
        }
        isEmpty = byEntity.allSatisfy(\.isEmpty)
        watches = model.entities.flatMap { entity in
            entity.declaration.properties.flatMap { property -> [DerivationWatch] in
                guard case .attribute(let declared) = property,
                    let it = entity.attribute(named: declared.name),
                    let derivation = try? Derivation(it, of: entity, in: model)
                else { return [] }
                return DerivationWatch.all(of: derivation, entity, model)
            }
        }
    }

    /// An object that a save has made, changed or deleted.
    public struct Change: Sendable {
        /// What was done to it.
        public var kind: ObjectChange.Kind
        /// The index of its concrete entity.
        public var entity: Int
        /// Its key, which is permanent.
        public var key: Int64
        /// Its values before; nil for a new one.
        public var before: [Value]?
        /// Its values now, but for derived ones; nil for a deleted one.
        public var after: [Value]?
        /// The slots that changed.
        public var slots: [Int]
        /// The to-many relationships that changed, by `Relationship.index`.
        public var toManys: [Int]

        public init(
            _ kind: ObjectChange.Kind, entity: Int, key: Int64, before: [Value]?, after: [Value]?,
            slots: [Int], toManys: [Int]
        ) {
            self.kind = kind
            self.entity = entity
            self.key = key
            self.before = before
            self.after = after
            self.slots = slots
            self.toManys = toManys
        }
    }

    /// An object whose derived values were looked at.
    public struct Outcome: Sendable {
        /// As the store has it now, with the derived values that it shall have.
        public var snapshot: Snapshot
        /// The derived slots whose values differ, with what they were.
        public var before: [(slot: Int, value: Value)]
    }

    /// Works out the derived values of all objects that the save touches, and of all that it made
    /// or changed itself where these have any.
    /// - Parameter time: seconds since 2001-01-01T00:00:00Z, for `now()`.
    /// - Throws: `.invalid` for a value that its attribute cannot hold; what reading throws.
    public func outcomes(
        of changes: [Change], _ reader: some DerivationReader, at time: Double
    ) throws(StoreError) -> [Outcome] {
        var affected: [Int: Set<Int64>] = [:]
        var saved = Set<ObjectID>()
        for change in changes where change.kind != .delete && !byEntity[change.entity].isEmpty {
            let root = model.entities[change.entity].root
            affected[root, default: []].insert(change.key)
            if change.kind == .insert || !change.slots.isEmpty {
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
                outcomes += try self.outcomes(of: rows, entity, reader, saved, time)
            }
        }
        return outcomes.sorted {
            ($0.snapshot.entity, $0.snapshot.key) < ($1.snapshot.entity, $1.snapshot.key)
        }
    }

    /// Of rows of one entity.
    private func outcomes(
        of rows: [Snapshot], _ entity: Int, _ reader: some DerivationReader,
        _ saved: Set<ObjectID>, _ time: Double
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
    /// What is fetched for it; nil for `now()`.
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

    /// The attribute's value, made of what was fetched.
    /// - Throws: `.invalid` where the attribute's type cannot hold it.
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
        guard attribute.type.isNumeric, !value.isNull else { return value }
        if let number = PredicateCalls.number(value, as: attribute.type) { return number }
        throw .invalid(
            "\(attribute.name) of \(model.entities[row.entity].name) \(row.key) is derived, and "
                + "would be beyond what \(attribute.type.name) holds")
    }
}
