// Stores that are migrated from one model to another, and what is in their files.

import SteleMigration
import SteleModel
import StelePersistence
import SteleSQLite
import TestSupport
import Testing

/// Creates a store of a model, fills it, migrates it by the inferred mapping model, and opens it.
/// The schema of the file must be that of a new store of the destination.
func migrated(
    _ before: [EntityMaker], to after: [EntityMaker], in folder: TemporaryFolder? = nil,
    _ fill: (any GraphFixture) throws -> Void
) throws -> GraphStore {
    let folder = try folder ?? TemporaryFolder()
    let (source, destination) = (try makeModel(before), try makeModel(after))
    try filled(source, in: folder, fill)
    #expect(
        try SQLiteStore.migrate(
            path: folder.store, from: source, to: destination,
            by: try .inferred(from: source, to: destination)))
    let fresh = try TemporaryFolder()
    try SQLiteStore.open(path: fresh.store, model: destination).close()
    #expect(try schemaLines(folder.store) == schemaLines(fresh.store))
    #expect(try modelCache(folder.store) == modelCache(fresh.store))
    #expect(try RawDatabase(folder.store).texts("PRAGMA integrity_check") == ["ok"])
    let store = try GraphStore(destination, in: folder)
    if let database = try MigratedDatabase(source, to: destination, fill) {
        #expect(try database.contents() == store.contents())
        #expect(try database.schemaLines() == freshSchemaLines(of: destination))
    }
    return store
}

/// Creates a store in a folder and closes it.
func filled(
    _ model: Model, in folder: TemporaryFolder, _ fill: (any GraphFixture) throws -> Void
) throws {
    let it = try GraphStore(model, in: folder)
    defer { it.store.close() }
    try fill(it)
}

/// The error of a migration by the inferred mapping model; the store must stay as it is.
func refusal(
    _ before: [EntityMaker], to after: [EntityMaker], _ fill: (any GraphFixture) throws -> Void
) throws -> (code: Int, text: String)? {
    let folder = try TemporaryFolder()
    let (source, destination) = (try makeModel(before), try makeModel(after))
    try filled(source, in: folder, fill)
    let contents = try contentLines(folder.store)
    var found: (code: Int, text: String)?
    do {
        try SQLiteStore.migrate(
            path: folder.store, from: source, to: destination,
            by: try .inferred(from: source, to: destination))
    } catch StoreError.incompatible(let code, let text) {
        found = (code, text)
        #expect(try contentLines(folder.store) == contents)
    }
    let other = try MigratedDatabase.refusal(source, to: destination, fill)
    if let other { #expect(other == found.map { "\($0.code) \($0.text)" }) }
    return found
}

/// The tables, columns and indexes of a file, and the rows of Z_PRIMARYKEY without the highest
/// keys.
func schemaLines(_ path: String) throws -> [String] {
    let raw = try RawDatabase(path)
    return try raw.texts(
        "SELECT m.name || '.' || i.name || ' ' || i.type || ' ' || i.pk || ' ' "
            + "|| ifnull(i.dflt_value, '-') FROM sqlite_master m JOIN pragma_table_info(m.name) i "
            + "WHERE m.type = 'table' ORDER BY 1")
        + raw.texts(
            "SELECT m.tbl_name || ' ' || m.name || ' ' || x.seqno || ' ' || ifnull(x.name, '-') "
                + "|| ' ' || x.\"desc\" || ' ' || x.coll || ' ' || l.\"unique\" "
                + "FROM sqlite_master m JOIN pragma_index_xinfo(m.name) x "
                + "JOIN pragma_index_list(m.tbl_name) l ON l.name = m.name "
                + "WHERE m.type = 'index' AND x.key ORDER BY 1")
        + raw.texts(
            "SELECT Z_ENT || ' ' || Z_NAME || ' ' || Z_SUPER FROM Z_PRIMARYKEY ORDER BY Z_ENT")
}

/// The rows of Z_MODELCACHE.
func modelCache(_ path: String) throws -> [String] {
    try RawDatabase(path).texts("SELECT hex(Z_CONTENT) FROM Z_MODELCACHE")
}

/// All rows of a file, and its statements.
func contentLines(_ path: String) throws -> [String] {
    try RawDatabase(path).contents(besides: [])
}

extension GraphStore {
    /// The first column of a statement's rows.
    func lines(_ sql: String) throws -> [String] { try RawDatabase(folder.store).texts(sql) }
}

extension EntityMaker {
    /// The entity with the renaming identifier of an earlier name.
    func renamed(from name: String) -> EntityMaker { changing { $0.renamingIdentifier = name } }

    /// The entity with a property that has the renaming identifier of an earlier name.
    func renamed(_ property: String, from name: String) -> EntityMaker {
        changing { entity in
            guard let place = entity.properties.firstIndex(where: { $0.name == property }) else {
                return
            }
            switch entity.properties[place] {
            case .attribute(var it):
                it.renamingIdentifier = name
                entity.properties[place] = .attribute(it)
            case .relationship(var it):
                it.renamingIdentifier = name
                entity.properties[place] = .relationship(it)
            case .fetchedProperty: break
            }
        }
    }
}
