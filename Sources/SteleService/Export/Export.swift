/// Exports objects with their relationships, as `Import` reads them.

import SteleAnswers
import SteleGraph
import SteleJSON
import SteleModel
import StelePersistence
import StelePredicates
import SteleRequests

/// What an export writes, checked against the model.
public struct ExportPlan: Sendable {
    /// The form of the file.
    public let format: DataFormat
    let model: Model
    /// In the order of writing: the destinations of to-one relationships first.
    let requests: [FetchRequest]
    /// The most bytes of an object, which an import reads.
    var longestRecord: Int

    /// The entities that are exported, each with its subentities, in the order of writing.
    public var entities: [Entity] { requests.map(\.entity) }

    /// - Parameters:
    ///   - model: the model of the store.
    ///   - names: the names of entities; empty for all.
    ///   - predicate: the condition on the objects of the one entity that is given; nil for all.
    ///   - format: the form of the file, which must not be `tsv`.
    /// - Throws: `ExportError` for a name that the model does not have, an entity that is given
    ///   with its parent, or a predicate without a single entity; `PredicateError`.
    public init(
        model: Model, entities names: [String] = [], where predicate: Predicate? = nil,
        format: DataFormat = .ndjson
    ) throws {
        self.model = model
        self.format = format
        longestRecord = model.longestRecord
        var entities: [Entity] = []
        for name in names {
            guard let entity = model.entity(named: name) else {
                let hint = Nearest.hint(to: name, among: model.entities.map(\.name))
                throw ExportError(
                    "the model \(model.name) has no entity \(name)"
                        + (hint.map { "; \($0)" } ?? ""))
            }
            entities.append(entity)
        }
        for entity in entities {
            let below = entities.first { $0 !== entity && entity.isKind($0.index) }
            if let below {
                throw ExportError(
                    "the objects of \(below.name) are exported with \(entity.name): give one of "
                        + "the two entities")
            }
        }
        if names.isEmpty { entities = model.entities.filter { $0.parent == nil } }
        if format == .tsv { throw ExportError("an export is NDJSON, JSON or CSV") }
        if predicate != nil, entities.count != 1 {
            throw ExportError("--where needs one --entity")
        }
        requests = try Entity.byDestinations(entities) { $0 }.map { entity in
            var request = FetchRequest(entity: entity)
            request.predicate = predicate
            return try request.checked(in: model)
        }
    }
}

/// The error that ends an export.
public struct ExportError: Error, Sendable, CustomStringConvertible {
    /// What is wrong.
    public let description: String

    init(_ description: String) { self.description = description }
}

/// Writes the objects of a plan, from one view of the store and in bounded memory.
public final class Export {
    /// A written object, after which an export continues.
    public struct Position: Sendable {
        /// The name of the object's entity.
        public var entity: String
        /// The object's `_id`.
        public var id: Int64

        /// Creates a position.
        public init(entity: String, id: Int64) {
            self.entity = entity
            self.id = id
        }
    }

    /// The values whose files are missing, which are null in what was written so far.
    public private(set) var missing = MissingValues()
    /// The values that no import could read, which are null in what was written so far: text with
    /// U+0000, and numbers and dates that no format has.
    public private(set) var unreadable = MissingValues()

    private let coordinator: PersistentStoreCoordinator
    private let plan: ExportPlan
    private let renderer: SnapshotRenderer
    private static let rowsPerBatch = 500
    private static let pieceBytes = 256 << 10

    /// An export of a coordinator's store.
    public init(_ coordinator: PersistentStoreCoordinator, _ plan: ExportPlan) {
        self.coordinator = coordinator
        self.plan = plan
        renderer = SnapshotRenderer(model: plan.model, computing: coordinator)
    }

    /// Writes all objects.
    /// - Parameters:
    ///   - position: the last object that is already written; nil to begin at the start.
    ///   - progress: called after each batch with the number of objects written and of all.
    ///   - write: takes the next bytes.
    /// - Returns: the number of objects written, by the name of the entity that the plan has.
    /// - Throws: `ExportError`, `StoreError`, and what `write` throws.
    public func run(
        after position: Position? = nil, progress: (Int, Int) -> Void = { _, _ in },
        to write: ([UInt8]) throws -> Void
    ) throws -> [String: Int] {
        let context = ManagedObjectContext(coordinator, name: "stele export")
        defer { context.close() }
        var requests = plan.requests[...]
        if let position { try skip(&requests, to: position) }
        var total = 0
        for request in requests {
            var counted = request
            counted.after = nil
            total += try context.count(counted)
        }
        var writer = ByteWriter(capacity: Self.pieceBytes * 2)
        var counts: [String: Int] = [:]
        var done = 0
        for (index, request) in requests.enumerated() {
            let toManys = exportedToManys(of: request.entity)
            let form = form(of: request.entity, toManys)
            if index == 0, position == nil { form.begin(&writer) }
            let cursor = try context.reader().cursor(request)
            while case .objects(let rows) = try cursor.next(Self.rowsPerBatch), !rows.isEmpty {
                let members = try members(of: .objects(rows), toManys, context)
                for row in rows {
                    let isFirst = done == 0 && position == nil
                    let start = writer.count
                    // The files of one object at a time are in memory.
                    form.write(
                        .objects([try whole(row)]), 0, members, isFirst: isFirst, to: &writer)
                    done += 1
                    if let failure = writer.failure { throw failure }
                    try check(writer.count - start, of: row)
                    if writer.count >= Self.pieceBytes { try write(writer.take()) }
                }
                counts[request.entity.name, default: 0] += rows.count
                progress(done, total)
            }
        }
        if plan.format == .json { writer.raw("]\n") }
        try write(writer.take())
        return counts
    }

    private func form(of entity: Entity, _ toManys: [Relationship]) -> RowForm {
        let list = ListOutcome(
            rows: .objects([]), entity: entity, shape: .objects(.none), embedded: .none)
        let type: MediaType =
            switch plan.format {
            case .json: .json
            case .csv, .tsv: .csv
            case .ndjson: .ndjson
            }
        return RowForm(type, list, renderer: renderer, toManys: toManys)
    }

    private func skip(_ requests: inout ArraySlice<FetchRequest>, to position: Position) throws {
        let entity = plan.model.entity(named: position.entity)
        let index = requests.firstIndex { $0.entity.isKind(entity?.index ?? -1) }
        guard let index else {
            throw ExportError(
                "the file ends with an object of \(position.entity), which is not exported")
        }
        requests = requests[index...]
        requests[index].after = [.key(position.id)]
    }

    /// The to-many relationships that are written. Those that the to-one relationships of their
    /// members say completely are left out, except in cells of a column that there is all the same
    /// for other entities: empty ones would say that there are no members.
    private func exportedToManys(of entity: Entity) -> [Relationship] {
        let family = plan.model.family(of: entity)
        var all: [Relationship] = []
        var left: [Relationship] = []
        for member in family {
            for it in member.toManys
            where !all.contains(where: { $0 === it }) && !left.contains(where: { $0 === it }) {
                let isSaid = plan.model.inverse(of: it).map { !$0.isToMany } ?? false
                if it.isOrdered || !isSaid { all.append(it) } else { left.append(it) }
            }
        }
        guard plan.format == .csv, !left.isEmpty else { return all }
        let columns = Set(family.flatMap { $0.slots.map(\.name) } + all.map(\.name))
        return all + left.filter { columns.contains($0.name) }
    }

    private func members(
        of rows: FetchedRows, _ toManys: [Relationship], _ context: ManagedObjectContext
    ) throws -> Embedded {
        guard !toManys.isEmpty, case .objects(let objects) = rows else { return .none }
        return .keys(
            try toManys.map { it in
                let owner = plan.model.entities[it.owner]
                let owners = objects.filter { owner.isKind($0.entity) }.map(\.key)
                let keys =
                    owners.isEmpty ? [:] : try context.memberKeys(of: it, owners: owners)
                return (it.index, keys)
            })
    }

    private func check(_ bytes: Int, of object: Snapshot) throws {
        guard bytes > plan.longestRecord else { return }
        let name = ObjectID.name(plan.model.entities[object.entity].name, object.key)
        throw ExportError(
            "\(name) is longer than \(plan.longestRecord >> 20) MiB in a file, which no import reads: "
                + "make its values smaller, or leave it out with --where")
    }

    /// The object with the values of its files, and null for those that are missing or that no
    /// import could read.
    /// - Throws: `ExportError` for a file that is there and cannot be read.
    private func whole(_ object: Snapshot) throws -> Snapshot {
        var object = object
        func name(_ slot: Int) -> String {
            let entity = plan.model.entities[object.entity]
            return "\(entity.slots[slot].name) of \(ObjectID.name(entity.name, object.key))"
        }
        func leaveOut(_ slot: Int) {
            // Derived values are not imported.
            if !plan.model.entities[object.entity].slots[slot].isDerived {
                unreadable.add(name(slot))
            }
            object.values[slot] = .null
        }
        for (slot, value) in object.values.enumerated() {
            switch value {
            case .external(let file):
                if file.isMissing {
                    missing.add(name(slot))
                    object.values[slot] = .null
                    continue
                }
                guard let bytes = file.bytes else {
                    throw ExportError("the file of \(name(slot)) cannot be read: \(file.path)")
                }
                object.values[slot] = .data(bytes)
            case .double(let number) where !number.isFinite: leaveOut(slot)
            case .string(let text) where text.utf8.contains(0): leaveOut(slot)
            case .date(let seconds) where !Value.isDate(seconds): leaveOut(slot)
            default: break
            }
        }
        return object
    }
}
