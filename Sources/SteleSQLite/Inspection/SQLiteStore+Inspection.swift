import Glibc
import SteleModel
import StelePersistence
import SteleSQL

extension SQLiteStore {
    /// Reads a store's file and reports what it has, and where its tables do not agree with its
    /// metadata and its model. Nothing in the store's folder is changed.
    ///
    /// Three threads read all pages, for their sizes, by `PRAGMA quick_check`, and for the rows of
    /// each table. A table with columns of bytes, whose values may be in files, is read once more,
    /// and one with a uniqueness constraint that has no index is sorted.
    /// - Parameter models: the models that the store may have been made with, the likeliest first.
    ///   Without one that fits, the tables are compared with the store's own model.
    /// - Parameter published: the version hashes that Core Data has computed for some of them
    ///   (VersionInfo.plist), by the names of the models.
    /// - Throws: `StoreError`: `.incompatible` for a file that is not a store or whose metadata
    ///   cannot be read, and `.busy` where another program writes the file meanwhile.
    package static func inspect(
        path: String, among models: [Model], published: [String: [String: [UInt8]]] = [:]
    ) throws(StoreError) -> StoreInspection {
        let damage = DamageMark.finding(path).map {
            "the store was found to be damaged (\($0)): what is behind the damage is not read"
        }
        let files: InspectedFiles
        do throws(StoreError) { files = try InspectedFiles.open(path) } catch {
            guard let damage, case .incompatible(let code, let text) = error else { throw error }
            throw .incompatible(code: code, "\(text); \(damage)")
        }
        let connection = files.connection
        var found = StoreInspection(
            type: "sqlite", metadata: files.metadata.values(files.identifier))
        if let damage { found.differences.append(damage) }
        found.differences += files.differences
        found.differences += files.metadata.differences
        let chosen = InspectedModel(files, among: models, published)
        found.model = chosen.model.map {
            .init(name: $0.name, isOwn: chosen.isOwn, place: chosen.isOwn ? chosen.place : nil)
        }
        found.hashes = chosen.hashes
        found.differences += chosen.differences
        found.unchecked += chosen.unchecked + files.unchecked
        let databases = ["main"] + (files.isHistoryBeside ? ["history"] : [])
        let check = InspectionTask(files) { connection in
            databases.flatMap { quickCheck($0, connection) }
        }
        let sizes = InspectionTask(files, sizes)
        let place = found.differences.count
        switch files.layout {
        case .failure(let error):
            found.differences.append(error.sentence)
            found.unchecked.append("the tables: they are found by Z_PRIMARYKEY")
        case .success(let layout):
            inspect(layout, chosen.model, files, &found)
        }
        addSizes(sizes, &found)
        addFiles(files, &found)
        found.differences.insert(contentsOf: differences(check), at: place)
        found.differences = found.differences.map(files.named)
        try files.close()
        return found
    }

    /// Inspects the tables.
    private static func inspect(
        _ layout: StoreLayout, _ model: Model?, _ files: InspectedFiles,
        _ found: inout StoreInspection
    ) {
        let schema = layout.schema(of: model, &found)
        if schema == nil { found.differences += nameDifferences(files.metadata, layout) }
        var inspector = TableInspector(files.connection, layout, schema, found)
        inspector.run()
        inspector.readHistory(isBeside: files.isHistoryBeside)
        found = inspector.inspection
        do throws(StoreError) {
            found.differences += try ExternalFolder(store: files.path).differences(
                files.connection, layout.dataColumns(files.connection), model,
                hasImages: files.isHistoryBeside || layout.has(table: HistoryTables.beforeImages))
        } catch {
            found.differences.append("the external files cannot be compared: \(error.sentence)")
        }
    }

    /// Without a model: the entities of Z_PRIMARYKEY that have no version hash, and the other way
    /// round.
    private static func nameDifferences(
        _ metadata: StoreMetadata, _ layout: StoreLayout
    ) -> [String] {
        let (hashed, numbered) = (metadata.entityNames, layout.entityNames)
        let hint = " (a migration in place may leave the old name of an entity)"
        return hashed.subtracting(numbered).sorted().map {
            "Z_PRIMARYKEY has no row for the entity \($0), which has a version hash" + hint
        }
            + numbered.subtracting(hashed).sorted().map {
                "Z_PRIMARYKEY: the entity \($0) has no version hash in Z_METADATA" + hint
            }
    }

    // MARK: Pages

    private static let messageLimit = 100

    private static func differences(_ check: InspectionTask<[String]>) -> [String] {
        do throws(StoreError) { return try check.result() } catch {
            return ["quick_check: \(error.sentence)"]
        }
    }

    private static func quickCheck(_ database: String, _ connection: Connection) -> [String] {
        let check = "PRAGMA \(database).quick_check(\(messageLimit))"
        do throws(StoreError) {
            return try connection.rows(SQLText(check), [], [.text]).compactMap { row in
                guard case .string(let text) = row[0], text != "ok" else { return nil }
                return "quick_check: " + text.replacing("\n", with: "; ")
            }
        } catch {
            return ["quick_check: \(error.sentence)"]
        }
    }

    /// The bytes of the free pages, and of each table; nil where they are not known.
    private typealias Sizes = (free: Int64, tables: [String: (all: Int64, indexes: Int64)]?)

    private static let hasSizes = SQLText("SELECT sqlite_compileoption_used('ENABLE_DBSTAT_VTAB')")
    private static let tableSizes = SQLText(
        "SELECT m.tbl_name, m.type = 'index', s.pgsize FROM dbstat s "
            + "JOIN main.sqlite_master m ON m.name = s.name "
            + "WHERE s.schema = 'main' AND s.aggregate = 1")

    @Sendable
    private static func sizes(_ connection: Connection) throws(StoreError) -> Sizes {
        let pages = try connection.integer(SQLText("PRAGMA main.freelist_count")) ?? 0
        let free = pages * (try connection.integer(SQLText("PRAGMA main.page_size")) ?? 0)
        guard try connection.integer(hasSizes) == 1 else { return (free, nil) }
        var bytes: [String: (all: Int64, indexes: Int64)] = [:]
        for row in try connection.rows(tableSizes, [], [.text, .integer, .integer]) {
            guard case .string(let table) = row[0], case .int(let isIndex) = row[1],
                case .int(let size) = row[2]
            else { continue }
            let (all, indexes) = bytes[table] ?? (0, 0)
            bytes[table] = (all + size, indexes + (isIndex == 1 ? size : 0))
        }
        return (free, bytes)
    }

    /// Adds the bytes of each table and of the free pages.
    private static func addSizes(
        _ sizes: InspectionTask<Sizes>, _ found: inout StoreInspection
    ) {
        do throws(StoreError) {
            let (free, tables) = try sizes.result()
            found.freeBytes = free
            guard let tables else {
                found.unchecked.append(
                    "the bytes of the tables: this SQLite was built without dbstat")
                return
            }
            for place in found.tables.indices {
                guard let (all, indexes) = tables[found.tables[place].name] else { continue }
                found.tables[place].bytes = all
                found.tables[place].indexBytes = indexes
            }
        } catch {
            found.unchecked.append("the bytes of the tables: \(error.sentence)")
        }
    }

    /// Adds the files of the store.
    private static func addFiles(_ files: InspectedFiles, _ found: inout StoreInspection) {
        func add(_ role: StoreInspection.File.Role, _ path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else { return }
            found.files.append(.init(role, path, bytes: Int64(status.st_size)))
        }
        add(.store, files.path)
        add(.log, StoreLook.resolved(files.path) + "-wal")
        if files.isHistoryBeside { add(.history, files.historyPath) }
        let folder = ExternalFolder(store: files.path)
        let sizes = folder.sizes()
        if sizes.isEmpty { return }
        found.files.append(
            .init(
                .external, folder.path, bytes: sizes.values.reduce(0, &+), count: sizes.count))
    }
}
