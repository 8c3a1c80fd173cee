/// What an import reads: files, and the names of objects.

import SteleJSON
import SteleModel

/// What an import does where there is a choice.
public struct ImportOptions: Sendable {
    /// What is done with a link to an object that does not exist.
    public enum Missing: String, Sendable, CaseIterable {
        /// Nothing is saved, and all such links are listed.
        case error
        /// The object is saved without the link.
        case null
        /// The object is left out, and those that need it.
        case skip
    }

    /// What is done with an object that is already in the store.
    public enum Conflict: String, Sendable, CaseIterable {
        /// The given values and links are set.
        case update
        /// The stored object is not changed.
        case skip
        /// Nothing is saved.
        case error
    }

    /// The form of all files; nil if their names tell it.
    public var format: DataFormat?
    /// What is done with a link to an object that does not exist.
    public var missing = Missing.error
    /// What is done with an object that is already in the store.
    public var onConflict = Conflict.error
    /// Whether everything is done but the save.
    public var isDryRun = false
    /// Whether objects get new ids, and `_id` only links the objects of the files.
    public var givesNewIDs = false
    /// Whether files are imported that were imported before, and have no keys.
    public var isAgain = false
    /// Whether keys that an entity does not have are ignored.
    public var ignoresUnknownKeys = false

    /// How a file of cells writes what would separate cells and rows.
    public enum Escapes: String, Sendable, CaseIterable {
        /// The cell is between quotes, as in CSV (RFC 4180).
        case quotes
        /// `\t`, `\n` and `\\`, and `\N` for null.
        case backslash
    }

    /// The unit of numbers that are dates.
    public enum Dates: String, Sendable, CaseIterable {
        case seconds, milliseconds, microseconds, nanoseconds
    }

    /// The byte between two cells; nil if the header tells it.
    public var separator: UInt8?
    /// How cells are escaped; nil for quotes, unless a file of tabs has backslashes.
    public var escapes: Escapes?
    /// The texts that are null in cells, with the name of the column, or nil for all columns.
    public var nulls: [(column: String?, text: String)] = []
    /// The time zone of dates without an offset; nil if a time needs one.
    public var timeZone: ZoneRules?
    /// What numbers in the place of dates are; nil if they are refused.
    public var dates: Dates?
    /// The most errors in records that are listed.
    public var mostErrors = 100

    /// The default options.
    public init() {}
}

/// What an import reads, checked against the model.
public struct ImportPlan: Sendable {
    struct File: Sendable {
        let path: String
        let format: DataFormat
        /// Nil if each record has `_entity`.
        let entity: Entity?
    }

    let model: Model
    /// In the order of reading.
    let files: [File]
    let options: ImportOptions
    /// Reads values as the options say.
    let values: ImportValues
    /// The most records of a part of the save. Each part changes the objects that its records refer
    /// to, so that few parts change them few times.
    var recordsPerBatch = 10_000
    /// The most bytes of a record.
    var longestRecord: Int
    /// The names of the files as seeds, each of which is loaded once; empty for other files.
    var seeds: [String] = []
    /// The keys by entity index; nil for an entity without one.
    private let keys: [ImportKey?]
    /// The entities whose keys are uniqueness constraints, which have an index.
    private let isIndexed: [Bool]
    /// Whether a key contains a relationship.
    let hasLinkedKeys: Bool
    /// The keys of objects by their concrete entity.
    private let namings: [[Naming]]
    /// The entities whose keys contain a slot, by the entity that has it.
    private let keyed: [[Set<Int>]]

    /// - Parameters:
    ///   - model: the model of the store.
    ///   - files: each with the name of its entity, or nil if the name of the file or each record
    ///     tells it.
    ///   - keys: the attributes and to-one relationships that name the objects of an entity,
    ///     separated by commas; by default those of a uniqueness constraint, preferably of one
    ///     attribute. A subentity inherits its parent's.
    ///   - options: what is done where there is a choice.
    /// - Throws: `ImportError` for a name that the model does not have.
    public init(
        model: Model, files: [(path: String, entity: String?)],
        keys: [(entity: String, attribute: String)] = [], options: ImportOptions = ImportOptions()
    ) throws {
        self.model = model
        self.options = options
        values = ImportValues(options)
        longestRecord = model.longestRecord
        var given: [Int: [String]] = [:]
        for (name, attributes) in keys {
            let entity = try Self.entity(name, in: model)
            given[entity.index] = attributes.split(separator: ",").map {
                $0.filter { $0 != " " }
            }
        }
        var made = KeyMaker(model: model, given: given)
        var found: [ImportKey?] = []
        for entity in model.entities { found.append(try made.key(of: entity)) }
        self.keys = found
        isIndexed = zip(model.entities, found).map { entity, key in
            let names = Set(key?.parts.map(\.name) ?? [])
            return entity.uniquenessConstraints.contains { Set($0) == names }
        }
        hasLinkedKeys = found.contains { $0?.hasLinks == true }
        namings = model.entities.map { Self.namings(of: $0, found, model) }
        keyed = Self.keyed(found, model)
        let named = try files.map { path, entity in
            File(
                path: path, format: options.format ?? DataFormat(ofFile: path),
                entity: try entity.map { try Self.entity($0, in: model) }
                    ?? Self.entity(ofFile: path, in: model))
        }
        self.files = Entity.byDestinations(named, \.entity)
        for null in options.nulls { try null.column.map { try Self.checkColumn($0, in: model) } }
    }

    /// Checks that files can have a column. A part of it after a dot is judged with the header.
    private static func checkColumn(_ name: String, in model: Model) throws {
        let first = name.prefix { $0 != "." }
        let names = ["_id", "_entity"] + model.entities.flatMap { $0.properties.map(\.name) }
        guard !names.contains(String(first)) else { return }
        let hint = Nearest.hint(to: String(first), among: names).map { "; \($0)" } ?? ""
        throw ImportError("no entity of \(model.name) has a property \(first) for --null\(hint)")
    }

    private static func namings(
        of entity: Entity, _ keys: [ImportKey?], _ model: Model
    ) -> [Naming] {
        var all: [Naming] = []
        var next: Int? = entity.index
        while let index = next {
            next = model.entities[index].parent
            guard let key = keys[index] else { continue }
            let same = all.firstIndex { $0.key.leaves.map(\.path) == key.leaves.map(\.path) }
            if let same {
                all[same].entities.append(index)
            } else {
                all.append(Naming(key: key, entities: [index]))
            }
        }
        return all
    }

    private static func keyed(_ keys: [ImportKey?], _ model: Model) -> [[Set<Int>]] {
        var keyed: [Int: [String: Set<Int>]] = [:]
        func add(_ key: ImportKey, for entity: Int) {
            for part in key.parts {
                keyed[part.owner, default: [:]][part.name, default: []].insert(entity)
                if case .toOne(_, let key) = part { add(key, for: entity) }
            }
        }
        for (entity, key) in keys.enumerated() { if let key { add(key, for: entity) } }
        return model.entities.map { entity in
            entity.slots.map { slot in
                switch slot {
                case .attribute(let it): keyed[it.owner]?[it.name] ?? []
                case .relationship(let it): keyed[it.owner]?[it.name] ?? []
                case .fetchedProperty, .transientRelationship: []
                }
            }
        }
    }

    /// The key that names the objects of an entity.
    func key(of entity: Entity) -> ImportKey? { keys[entity.index] }

    /// The keys of an entity's objects: that of the entity first, then those of its ancestors that
    /// differ from it.
    func namings(of entity: Entity) -> [Naming] { namings[entity.index] }

    /// The entities whose keys contain a slot of an entity.
    func entitiesKeyed(by slot: Int, of entity: Entity) -> Set<Int> { keyed[entity.index][slot] }

    /// Whether the store has an index of the entity's key.
    func isIndexed(_ entity: Entity) -> Bool { isIndexed[entity.index] }

    static func entity(_ name: String, in model: Model) throws -> Entity {
        if let entity = model.entity(named: name) { return entity }
        let hint = Nearest.hint(to: name, among: model.entities.map(\.name))
        throw ImportError(
            "the model \(model.name) has no entity \(name)" + (hint.map { "; \($0)" } ?? ""))
    }

    /// The entity whose name, or plural, is the name of a file: `city.ndjson`, `cities.csv`,
    /// `City.2.ndjson`.
    static func entity(ofFile path: String, in model: Model) -> Entity? {
        let file = path.split(separator: "/").last ?? ""
        let name = (file.firstIndex(of: ".").map { file[..<$0] } ?? file).lowercased()
        return model.entities.first { entity in
            let one = entity.name.lowercased()
            return name == one || plurals(of: one).contains(name)
        }
    }

    private static func plurals(of name: String) -> [String] {
        let stem = name.hasSuffix("y") ? [String(name.dropLast()) + "ies"] : []
        return [name + "s", name + "es"] + stem
    }
}

extension Entity {
    /// Items with the destinations of to-one relationships come first, so that few links wait.
    static func byDestinations<Item>(_ items: [Item], _ entity: (Item) -> Entity?) -> [Item] {
        var left = items
        var ordered: [Item] = []
        while !left.isEmpty {
            let index = left.firstIndex { item in
                !left.contains { other in
                    guard let one = entity(item), let before = entity(other) else {
                        return false
                    }
                    return before.root != one.root && one.leads(to: before)
                }
            }
            ordered.append(left.remove(at: index ?? 0))
        }
        return ordered
    }

    /// Whether a to-one relationship leads to the other entity, or to one of its family.
    private func leads(to other: Entity) -> Bool {
        slots.contains { slot in
            guard case .relationship(let it) = slot else { return false }
            return other.subtree.contains(it.destination)
                || other.index == it.destination
                || (it.destination < other.index && other.root == it.destination)
        }
    }
}

/// Makes the keys of a model's entities.
private struct KeyMaker {
    let model: Model
    let given: [Int: [String]]
    /// The entities whose keys are being made, because keys can contain keys.
    private var open: [Int] = []

    init(model: Model, given: [Int: [String]]) {
        self.model = model
        self.given = given
    }

    mutating func key(of entity: Entity) throws -> ImportKey? {
        var next: Int? = entity.index
        while let index = next {
            if let names = given[index] { return try key(of: entity, names) }
            next = model.entities[index].parent
        }
        let constraints = entity.uniquenessConstraints
        guard let names = constraints.first(where: { $0.count == 1 }) ?? constraints.first else {
            return nil
        }
        // A constraint over objects that have no key does not name any.
        return try? key(of: entity, names)
    }

    private mutating func key(of entity: Entity, _ names: [String]) throws -> ImportKey {
        guard !open.contains(entity.index) else {
            throw ImportError("the key of \(entity.name) contains itself")
        }
        open.append(entity.index)
        defer { open.removeLast() }
        var parts: [ImportKey.Part] = []
        for name in names { parts.append(try part(name, of: entity)) }
        guard !parts.isEmpty else { throw ImportError("the key of \(entity.name) is empty") }
        return ImportKey(entity, parts)
    }

    private mutating func part(_ name: String, of entity: Entity) throws -> ImportKey.Part {
        switch entity.property(named: name) {
        case .attribute(let it) where !it.isComposite && !it.isTransient: return .attribute(it)
        case .relationship(let it) where !it.isToMany:
            let destination = model.destination(of: it)
            guard let key = try key(of: destination) else {
                throw ImportError(
                    "the key of \(entity.name) contains \(name), and \(destination.name) has no "
                        + "key: give one with --key \(destination.name).ATTRIBUTE")
            }
            return .toOne(it, key)
        default:
            let hint = Nearest.hint(to: name, among: entity.properties.map(\.name))
            throw ImportError(
                "\(entity.name) has no attribute or to-one relationship \(name)"
                    + (hint.map { "; \($0)" } ?? ""))
        }
    }
}
