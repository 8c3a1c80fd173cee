/// Stores that Apple's framework made, and what they contain by plain SQL.

import Foundation
import SteleModel
import SteleModelFiles
import SteleSQLite

/// A store in the shared data, with the model that it was made with.
package struct AppStore: Sendable, CustomStringConvertible {
    /// The file, from the folder of all.
    package let file: String
    private let model: String?

    package var description: String { file }

    package static let all: [AppStore] = {
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

    /// The folder of the stores and models.
    private static let data = (sharedFolder?.path ?? "") + "/data/coredata/"

    /// The file of the model; nil where the model is in the store alone.
    package var modelPath: String? { model.map { Self.data + $0 } }

    /// The model; without a file, the one in the store.
    package func readModel() throws -> Model {
        if let modelPath { return try ModelFile.read(modelPath).model() }
        return try SQLiteStore.modelFile(path: Self.data + file).model()
    }

    /// A copy of the file in a folder, under its own name.
    package func copy(to folder: TemporaryFolder) throws -> String {
        let name = file.split(separator: "/").last.map(String.init) ?? ""
        let path = folder.path + "/" + name
        try FileManager.default.copyItem(atPath: Self.data + file, toPath: path)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        return path
    }
}

/// A small reader of Core Data's files, by their layout alone: names are computed from the model by
/// the layout's rules, and columns are read as SQLite quotes them.
package struct PlainReader {
    package let database: RawDatabase
    package let model: Model
    private let numbers: [String: String]

    package init(_ path: String, _ model: Model) throws {
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
    package func number(_ entity: Entity) throws -> String {
        let old = entity.declaration.renamingIdentifier
        guard let number = numbers[entity.name] ?? old.flatMap({ numbers[$0] }) else {
            throw Missing("Z_ENT of \(entity.name)")
        }
        return number
    }

    package func table(_ entity: Entity) -> String {
        "Z" + model.root(of: entity).name.uppercased()
    }

    /// The objects of one entity: their keys.
    package func keys(_ entity: Entity) throws -> [Int64] {
        try database.texts(
            "SELECT Z_PK FROM \(table(entity)) WHERE Z_ENT = \(try number(entity)) ORDER BY Z_PK"
        ).compactMap { Int64($0) }
    }

    /// A column of the objects of one entity, by key, as SQLite quotes it.
    package func column(_ name: String, _ entity: Entity) throws -> [Int64: String] {
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
    package func members(_ it: Relationship, of key: Int64) throws -> [Int64] {
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

    package func integers(_ sql: String) throws -> [Int64] {
        try database.texts(sql).compactMap { Int64($0) }
    }
}

extension Property {
    /// Whether the property has no column.
    package var isTransient: Bool {
        switch self {
        case .attribute(let it): it.declaration.isTransient
        case .relationship, .fetchedProperty: false
        case .transientRelationship: true
        }
    }
}
