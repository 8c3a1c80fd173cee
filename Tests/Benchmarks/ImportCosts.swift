/// Importing NDJSON against prepared inserts of the same rows, in turn: `Benchmarks import [ROWS]`.

import CJansson
import CSQLite
import Foundation
import SteleGraph
import SteleModel
import SteleService
import SteleSQLite
import TestSupport

/// An import of cities, each with the key of one of 250 countries.
///
/// The floor is one transaction of a prepared insert into tables and indexes that the library made:
/// once with computed values, and once with those of the same file, read line by line and parsed
/// with jansson. It looks links up in an array, keeps no history, and validates nothing.
enum ImportCosts {
    private static let rounds = 3
    private static let countries = 250

    static func run(_ folder: String, _ rows: Int) throws {
        let model = try makeModel([
            EntityMaker("City").attribute("latitude", .double).attribute("longitude", .double)
                .attribute("name", .string).attribute("number", .integer64)
                .attribute("population", .integer64).toOne("country", "Country", inverse: "cities")
                .unique("number"),
            EntityMaker("Country").attribute("code", .string)
                .toMany("cities", "City", inverse: "country").unique("code"),
        ])
        let files = (folder + "/country.ndjson", folder + "/city.ndjson")
        try write(files, rows)
        let clock = ContinuousClock()
        var ratios: (computed: [Double], parsed: [Double]) = ([], [])
        for round in 1...rounds {
            let ours = try clock.measure {
                try load(files, folder + "/ours\(round).sqlite", model, rows)
            }
            let computed = try insert(nil, folder + "/computed\(round).sqlite", model, rows, clock)
            let parsed = try insert(
                files.1, folder + "/parsed\(round).sqlite", model, rows, clock)
            ratios.computed.append(computed / ours)
            ratios.parsed.append(parsed / ours)
            print(
                "\(rows) rows with a relationship: imported in \(ours), prepared inserts of "
                    + "computed values \(computed), of the file by jansson \(parsed)")
            for name in ["ours", "computed", "parsed"] {
                for ending in ["", "-wal", "-shm"] {
                    try? FileManager.default.removeItem(
                        atPath: "\(folder)/\(name)\(round).sqlite\(ending)")
                }
            }
        }
        func middle(_ all: [Double]) -> Double { (all.sorted()[rounds / 2] * 100).rounded() / 100 }
        print(
            "speed over that of the inserts (the middle of \(rounds) rounds): "
                + "\(middle(ratios.computed)) of computed values, \(middle(ratios.parsed)) of the "
                + "file by jansson")
    }

    /// The values of a row, the same in the file and in the floor.
    private static func city(
        _ index: Int
    ) -> (name: String, latitude: Double, longitude: Double, population: Int, country: Int) {
        (
            "City number \(index)", Double(index % 180_000) / 1_000 - 90,
            Double(index % 360_000) / 1_000 - 180, index % 5_000_000, index * 7 % countries
        )
    }

    private static func write(_ files: (String, String), _ rows: Int) throws {
        let lines = (0..<countries).map { "{\"code\":\"C\($0)\"}\n" }.joined()
        try Data(lines.utf8).write(to: URL(filePath: files.0))
        guard let file = fopen(files.1, "w") else { throw Failure(what: files.1) }
        defer { fclose(file) }
        for index in 0..<rows {
            let city = city(index)
            fputs(
                "{\"number\":\(index),\"name\":\"\(city.name)\",\"latitude\":\(city.latitude),"
                    + "\"longitude\":\(city.longitude),\"population\":\(city.population),"
                    + "\"country\":\"C\(city.country)\"}\n", file)
        }
    }

    private struct Failure: Error { let what: String }

    private static func load(
        _ files: (String, String), _ path: String, _ model: Model, _ rows: Int
    ) throws {
        let store = try SQLiteStore.open(path: path, model: model)
        defer { store.close() }
        let plan = try ImportPlan(model: model, files: [(files.0, nil), (files.1, nil)])
        let summary = try Import(PersistentStoreCoordinator(store: store), plan).run()
        guard summary.total == rows + countries else { throw Failure(what: "\(summary.total)") }
    }

    // MARK: The floor

    /// Inserts the rows of a file, or computed ones.
    private static func insert(
        _ file: String?, _ path: String, _ model: Model, _ rows: Int, _ clock: ContinuousClock
    ) throws -> Duration {
        try SQLiteStore.open(path: path, model: model).close()
        var handle: OpaquePointer?
        guard sqlite3_open(path, &handle) == SQLITE_OK else { throw Failure(what: path) }
        defer { sqlite3_close_v2(handle) }
        func run(_ sql: String) throws {
            guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else {
                throw Failure(what: String(cString: sqlite3_errmsg(handle)))
            }
        }
        try run("PRAGMA synchronous = FULL; PRAGMA cache_size = -16384")
        return try clock.measure {
            try run("BEGIN IMMEDIATE")
            for country in 0..<countries {
                try run(
                    "INSERT INTO ZCOUNTRY (Z_PK, Z_ENT, Z_OPT, ZCODE) VALUES "
                        + "(\(country + 1), 2, 1, 'C\(country)')")
            }
            var statement: OpaquePointer?
            sqlite3_prepare_v2(
                handle,
                "INSERT INTO ZCITY (Z_PK, Z_ENT, Z_OPT, ZNUMBER, ZNAME, ZLATITUDE, ZLONGITUDE, "
                    + "ZPOPULATION, ZCOUNTRY) VALUES (?, 1, 1, ?, ?, ?, ?, ?, ?)", -1, &statement,
                nil)
            defer { sqlite3_finalize(statement) }
            let count =
                try file.map { try insertParsed($0, statement) } ?? insertComputed(rows, statement)
            guard count == rows else { throw Failure(what: "\(count) rows") }
            try run("COMMIT")
        }
    }

    private static func insertComputed(_ rows: Int, _ statement: OpaquePointer?) throws -> Int {
        for index in 0..<rows {
            var city = city(index)
            let isBound = city.name.withUTF8 { name in
                bind(
                    statement, index, name.baseAddress, name.count, city.latitude, city.longitude,
                    city.population, city.country)
            }
            guard isBound else { throw Failure(what: "row \(index)") }
        }
        return rows
    }

    private static func insertParsed(_ path: String, _ statement: OpaquePointer?) throws -> Int {
        guard let file = fopen(path, "r") else { throw Failure(what: path) }
        defer { fclose(file) }
        var line: UnsafeMutablePointer<CChar>?
        var capacity = 0
        defer { free(line) }
        var count = 0
        while true {
            let length = getline(&line, &capacity, file)
            guard length > 0 else { return count }
            guard let tree = json_loadb(line, length, 0, nil) else { throw Failure(what: path) }
            defer { json_decref(tree) }
            let name = json_object_get(tree, "name")
            let country = json_string_value(json_object_get(tree, "country")).map { $0 + 1 }
            let isBound = json_string_value(name).map { text in
                text.withMemoryRebound(to: UInt8.self, capacity: 1) {
                    bind(
                        statement, Int(json_integer_value(json_object_get(tree, "number"))), $0,
                        json_string_length(name),
                        json_number_value(json_object_get(tree, "latitude")),
                        json_number_value(json_object_get(tree, "longitude")),
                        Int(json_integer_value(json_object_get(tree, "population"))),
                        country.map { Int(atoi($0)) } ?? 0)
                }
            }
            guard isBound == true else { throw Failure(what: "row \(count)") }
            count += 1
        }
    }

    /// Inserts a row.
    private static func bind(
        _ statement: OpaquePointer?, _ index: Int, _ name: UnsafePointer<UInt8>?, _ length: Int,
        _ latitude: Double, _ longitude: Double, _ population: Int, _ country: Int
    ) -> Bool {
        sqlite3_bind_int64(statement, 1, Int64(index + 1))
        sqlite3_bind_int64(statement, 2, Int64(index))
        name?.withMemoryRebound(to: CChar.self, capacity: length) {
            _ = stele_bind_text(statement, 3, $0, Int64(length))
        }
        sqlite3_bind_double(statement, 4, latitude)
        sqlite3_bind_double(statement, 5, longitude)
        sqlite3_bind_int64(statement, 6, Int64(population))
        sqlite3_bind_int64(statement, 7, Int64(country + 1))
        defer { sqlite3_reset(statement) }
        return sqlite3_step(statement) == SQLITE_DONE
    }
}
