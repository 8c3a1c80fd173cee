/// Stores of players for measuring the object graph, by contexts and by hand.

import CSQLite
import SteleGraph
import SteleModel
import StelePersistence
import StelePredicates
import SteleSQLite

/// A store of a League with twenty teams, and what is done with it through contexts.
final class GraphStage {
    static let teams = 20

    let path: String
    let store: SQLiteStore
    let coordinator: PersistentStoreCoordinator
    let player: Entity
    let team: Entity
    let name: Attribute
    let number: Attribute
    let toTeam: Relationship
    private(set) var teams: [ObjectID] = []

    struct Missing: Error {}

    /// - Parameter rowCacheBytes: 0 where each reading shall be seen.
    init(_ path: String, _ model: Model, rowCacheBytes: Int = 1 << 20) throws {
        self.path = path
        store = try SQLiteStore.open(path: path, model: model)
        coordinator = PersistentStoreCoordinator(store: store, rowCacheBytes: rowCacheBytes)
        guard let player = model.entity(named: "Player"), let team = model.entity(named: "Team"),
            let teamName = team.attribute(named: "name"),
            let name = player.attribute(named: "name"),
            let number = player.attribute(named: "number"),
            let toTeam = player.relationship(named: "team")
        else { throw Missing() }
        (self.player, self.team, self.name, self.number) = (player, team, name, number)
        self.toTeam = toTeam
        let context = ManagedObjectContext(coordinator, name: "benchmark")
        let made = try (1...Self.teams).map { index in
            let object = try context.insert(team)
            object.setValue(.string("Team \(index)"), for: teamName)
            return object
        }
        try context.save()
        teams = made.map(\.objectID)
    }

    deinit { store.close() }

    /// Inserts so many players, each with a team, in one context, and saves.
    /// - Parameter teams: how many of the teams get them, in turns.
    func insert(_ count: Int, into teams: Int = GraphStage.teams) throws {
        let context = ManagedObjectContext(coordinator, name: "benchmark")
        try fill(context, count, into: teams)
        try context.save()
    }

    /// Inserts without saving.
    func fill(
        _ context: ManagedObjectContext, _ count: Int, into teams: Int = GraphStage.teams
    ) throws {
        let all = try self.teams.prefix(teams).map { id in
            guard let team = try context.existingObject(with: id) else { throw Missing() }
            return team
        }
        for index in 0..<count {
            let object = try context.insert(player)
            object.setValue(.string("Player \(index)"), for: name)
            object.setValue(.int(Int64(index % 99 + 1)), for: number)
            try object.setToOne(toTeam, all[index % all.count])
        }
    }

    /// All players, in a context's order.
    func players(_ context: ManagedObjectContext) throws -> [ManagedObject] {
        try context.fetch(FetchRequest(entity: player))
    }
}

/// The same rows by hand: one prepared statement in one transaction, on a file that the library has
/// made, with its tables, its indexes and the writer's settings. No history, no checks.
final class GraphFloor {
    private var handle: OpaquePointer?
    private var insertion: OpaquePointer?

    /// - Parameter path: a store of teams that nobody has open.
    init(_ path: String) {
        sqlite3_open(path, &handle)
        run(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0; "
                + "PRAGMA cache_size = -16384; PRAGMA mmap_size = 1073741824")
        let code = sqlite3_prepare_v2(
            handle,
            "INSERT INTO ZPLAYER (Z_PK, Z_ENT, Z_OPT, ZGOALS, ZNUMBER, ZTEAM, ZNAME) "
                + "VALUES (?, 1, 1, 0, ?, ?, ?)", -1, &insertion, nil)
        precondition(code == SQLITE_OK, String(cString: sqlite3_errmsg(handle)))
    }

    deinit {
        sqlite3_finalize(insertion)
        sqlite3_close_v2(handle)
    }

    private func run(_ sql: String) { sqlite3_exec(handle, sql, nil, nil, nil) }

    func insert(_ count: Int) {
        run("BEGIN IMMEDIATE")
        for index in 0..<count {
            let name = "Player \(index)"
            sqlite3_bind_int64(insertion, 1, Int64(index + 1))
            sqlite3_bind_int64(insertion, 2, Int64(index % 99 + 1))
            sqlite3_bind_int64(insertion, 3, Int64(index % GraphStage.teams + 1))
            _ = name.withCString { stele_bind_text(insertion, 4, $0, Int64(name.utf8.count)) }
            let code = sqlite3_step(insertion)
            precondition(code == SQLITE_DONE, String(cString: sqlite3_errmsg(handle)))
            sqlite3_reset(insertion)
        }
        run("COMMIT")
    }
}
