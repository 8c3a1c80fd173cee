/// Stores that Apple's framework made, and what they contain by plain SQL.

import Foundation
import SteleGraph
import SteleModel
import SteleModelFiles
import StelePersistence
import StelePredicates
import SteleSQLite
import TestSupport
import Testing

/// A store in the shared data, with the model that it was made with.
struct AppStore: Sendable, CustomStringConvertible {
    let file: String
    let model: String?

    var description: String { file }

    static let all: [AppStore] = {
        let moody = "Moody.xcdatamodeld/"
        let sample = "SampleModel.xcdatamodeld/SampleModel"
        return [
            AppStore("moody/Moody.moody", "moody/\(moody)Moody.xcdatamodel"),
            AppStore("moody/Moody 2.moody", "moody/\(moody)Moody 2.xcdatamodel"),
            AppStore("moody/Moody 3.moody", "moody/\(moody)Moody 3.xcdatamodel"),
            AppStore("moody/Moody 4.moody", "moody/\(moody)Moody 4.xcdatamodel"),
            AppStore("moody/Moody 5.moody", "moody/\(moody)Moody 5.xcdatamodel"),
            AppStore("sample/Fixtures/SampleModel_V1.sqlite", "sample/\(sample).xcdatamodel"),
            AppStore("sample/Fixtures/SampleModel_V2.sqlite", "sample/\(sample)2.xcdatamodel"),
            AppStore("sample2/Fixtures/SampleModel2_V1.sqlite"),
            AppStore("sample2/Fixtures/SampleModel2_V2.sqlite"),
        ]
    }()

    private init(_ file: String, _ model: String? = nil) {
        self.file = file
        self.model = model
    }

    private static let data = (sharedFolder?.path ?? "") + "/data/coredata/"

    /// The model; without a file, the one in the store.
    func readModel() throws -> Model {
        let path = Self.data + (model ?? file)
        return try (model == nil ? SQLiteStore.modelFile(path: path) : ModelFile.read(path)).model()
    }

    /// A copy of the file in a folder, under its own name.
    func copy(to folder: TemporaryFolder) throws -> String {
        let name = file.split(separator: "/").last.map(String.init) ?? ""
        let path = folder.path + "/" + name
        try FileManager.default.copyItem(atPath: Self.data + file, toPath: path)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        return path
    }
}

/// What was compared, and what differs.
struct AppStoreTally {
    var entities = 0
    var objects = 0
    var values = 0
    var relationships = 0
    var differences: [String] = []
}

/// A small reader of Core Data's files, by their layout alone: names are computed from the model by
/// the layout's rules, and columns are read as SQLite quotes them.
struct PlainReader {
    let database: RawDatabase
    let model: Model
    private let numbers: [String: String]

    init(_ path: String, _ model: Model) throws {
        database = try RawDatabase(path)
        self.model = model
        var numbers: [String: String] = [:]
        for line in try database.texts("SELECT Z_NAME || '=' || Z_ENT FROM Z_PRIMARYKEY") {
            let parts = line.split(separator: "=").map(String.init)
            numbers[parts[0]] = parts[1]
        }
        self.numbers = numbers
    }

    /// An entity's number. A migration in place may have left the entity's old name.
    func number(_ entity: Entity) throws -> String {
        let old = entity.declaration.renamingIdentifier
        guard let number = numbers[entity.name] ?? old.flatMap({ numbers[$0] }) else {
            throw Missing("Z_ENT of \(entity.name)")
        }
        return number
    }

    func table(_ entity: Entity) -> String { "Z" + model.root(of: entity).name.uppercased() }

    /// The objects of one entity: their keys.
    func keys(_ entity: Entity) throws -> [Int64] {
        try database.texts(
            "SELECT Z_PK FROM \(table(entity)) WHERE Z_ENT = \(try number(entity)) ORDER BY Z_PK"
        ).compactMap { Int64($0) }
    }

    /// A column of the objects of one entity, by key, as SQLite quotes it.
    func column(_ name: String, _ entity: Entity) throws -> [Int64: String] {
        let lines = try database.texts(
            "SELECT Z_PK || '=' || quote(\(name)) FROM \(table(entity)) "
                + "WHERE Z_ENT = \(try number(entity))")
        var found: [Int64: String] = [:]
        for line in lines {
            guard let cut = line.firstIndex(of: "="), let key = Int64(line[..<cut]) else {
                continue
            }
            found[key] = String(line[line.index(after: cut)...])
        }
        return found
    }

    /// The members of a to-many relationship of one object.
    func members(_ it: Relationship, of key: Int64) throws -> [Int64] {
        let destination = model.destination(of: it)
        let name = it.name.uppercased()
        guard let inverse = model.inverse(of: it) else {
            let column = "Z\(try number(model.entities[it.owner]))\(name)"
            return try integers(
                "SELECT Z_PK FROM \(table(destination)) WHERE \(column) = \(key) ORDER BY Z_PK")
        }
        let other = inverse.name.uppercased()
        guard inverse.isToMany else {
            let order = it.isOrdered ? "Z_FOK_\(other), Z_PK" : "Z_PK"
            return try integers(
                "SELECT Z_PK FROM \(table(destination)) WHERE Z\(other) = \(key) ORDER BY \(order)")
        }
        let (a, b) = (
            try number(model.entities[it.owner]), try number(model.entities[inverse.owner])
        )
        // One of the two names the table; its own number is in front of the inverse's name.
        for (table, owner, member) in [
            ("Z_\(a)\(name)", "Z_\(a)\(other)", "Z_\(b)\(name)"),
            ("Z_\(b)\(other)", "Z_\(a)\(other)", "Z_\(b)\(name)"),
        ]
        where try !integers(
            "SELECT COUNT(*) FROM sqlite_master WHERE name = '\(table)'"
        ).contains(0) {
            let order = it.isOrdered ? "Z_FOK_\(b)\(name), \(member)" : member
            return try integers(
                "SELECT \(member) FROM \(table) WHERE \(owner) = \(key) ORDER BY \(order)")
        }
        throw Missing("the join table of \(it.name)")
    }

    func integers(_ sql: String) throws -> [Int64] {
        try database.texts(sql).compactMap { Int64($0) }
    }
}

extension AppStoreTally {
    /// Compares every object of a store with what the plain reader finds.
    init(_ store: any PersistentStore, _ plain: PlainReader) throws {
        let reader = try store.reader()
        defer { reader.close() }
        for entity in plain.model.entities {
            var request = FetchRequest(entity: entity)
            request.includesSubentities = false
            let found = try reader.fetch(request)
            let keys = try plain.keys(entity)
            if found.map(\.key).sorted() != keys {
                differences.append("\(entity.name): \(found.count) objects, \(keys.count) by SQL")
            }
            entities += 1
            objects += keys.count
            if keys.isEmpty { continue }
            for (slot, property) in entity.slots.enumerated() {
                if property.isTransient { continue }
                let column = try plain.column("Z" + property.name.uppercased(), entity)
                for object in found {
                    values += 1
                    let (ours, theirs) = (object.values[slot], column[object.key] ?? "nothing")
                    if !Self.isEqual(ours, theirs) {
                        differences.append(
                            "\(entity.name) \(object.key).\(property.name): \(ours), \(theirs)")
                    }
                    if case .relationship = property { relationships += 1 }
                }
            }
            let versions = try plain.column("Z_OPT", entity)
            for object in found where versions[object.key] != "\(object.version)" {
                differences.append("\(entity.name) \(object.key): version \(object.version)")
            }
            for it in entity.toManys {
                let members = try reader.members(of: it, owners: keys)
                for key in keys {
                    relationships += 1
                    var (ours, theirs) = (members[key] ?? [], try plain.members(it, of: key))
                    if !it.isOrdered { (ours, theirs) = (ours.sorted(), theirs.sorted()) }
                    if ours != theirs {
                        differences.append("\(entity.name) \(key).\(it.name): \(ours), \(theirs)")
                    }
                }
            }
        }
    }

    /// Whether a value is what a column has, as SQLite quotes it.
    private static func isEqual(_ value: Value, _ quoted: String) -> Bool {
        func number() -> Double? { Double(quoted) }
        switch value {
        case .null: return quoted == "NULL"
        case .int(let it), .key(let it): return quoted == "\(it)"
        case .bool(let it): return quoted == (it ? "1" : "0")
        case .double(let it), .date(let it): return number() == it
        case .decimal(let it): return number() == Double(it.description)
        case .string(let it):
            return quoted == "'\(it.replacingOccurrences(of: "'", with: "''"))'"
        case .uuid(let it):
            return quoted == "X'\(it.uuidString.replacingOccurrences(of: "-", with: ""))'"
        case .data(let it):
            return quoted == "X'\(it.map { String(format: "%02X", $0) }.joined())'"
        case .external(let it): return quoted.contains(hex("\u{2}\(it.identifier.uuidString)"))
        }
    }

    private static func hex(_ text: String) -> String {
        text.utf8.map { String(format: "%02X", $0) }.joined()
    }
}

extension Property {
    /// Whether the property has no column.
    var isTransient: Bool {
        switch self {
        case .attribute(let it): it.declaration.isTransient
        case .relationship, .fetchedProperty: false
        case .transientRelationship: true
        }
    }
}
