// What is done to the tables that nodes follow, and what the nodes say.

import Glibc
import SteleGraph
import SteleModel
import StelePersistence
import StelePostgreSQL
import SteleSystem
import TestSupport

/// What is done to a table that nodes follow, or to their store.
struct TableFault: Sendable {
    /// The SQL, in which TABLES stands for the schema of the table, STORE for that of the store, and
    /// AWAY for another one.
    let change: String
    /// What takes it back; nil where nothing does.
    let back: String?
    /// A part of what nodes say.
    let says: String

    /// Does it.
    /// - Parameter store: the schema of the store.
    func apply(to shop: FollowedShop, _ store: String) throws { try run(change, shop, store) }

    /// Takes it back, where that can be done.
    func takeBack(in shop: FollowedShop, _ store: String) throws {
        if let back { try run(back, shop, store) }
    }

    private func run(_ text: String, _ shop: FollowedShop, _ store: String) throws {
        try shop.sql(
            text.replacing("AWAY", with: shop.tables + "away")
                .replacing("TABLES", with: shop.tables).replacing("STORE", with: store))
    }

    static let creation =
        "CREATE TABLE item (id int PRIMARY KEY, name text, size int); "
        + "INSERT INTO item VALUES (1, 'one', 1);"

    /// What is done to the table.
    static let all = [
        TableFault(
            change: "DROP TABLE item; \(creation)", back: nil,
            says: "was renamed, dropped or made again"),
        TableFault(
            change: "CREATE TABLE fresh (LIKE item INCLUDING ALL); "
                + "BEGIN; ALTER TABLE item RENAME TO old; ALTER TABLE fresh RENAME TO item; COMMIT",
            back: "ALTER TABLE item RENAME TO fresh; ALTER TABLE old RENAME TO item; "
                + "DROP TABLE fresh", says: "was renamed, dropped or made again"),
        TableFault(
            change: "ALTER TABLE item RENAME TO old", back: "ALTER TABLE old RENAME TO item",
            says: "was renamed, dropped or made again"),
        TableFault(
            change: "CREATE SCHEMA AWAY; ALTER TABLE item SET SCHEMA AWAY",
            back: "ALTER TABLE AWAY.item SET SCHEMA TABLES; DROP SCHEMA AWAY",
            says: "was renamed, dropped or made again"),
        TableFault(
            change: "ALTER TABLE item DISABLE TRIGGER USER",
            back: "ALTER TABLE item ENABLE TRIGGER USER", says: "triggers"),
        TableFault(
            change: "ALTER TABLE item RENAME size TO extent",
            back: "ALTER TABLE item RENAME extent TO size", says: "not as the model has them"),
        TableFault(
            change: "ALTER TABLE item ALTER size TYPE bigint",
            back: "ALTER TABLE item ALTER size TYPE int", says: "not as the model has them"),
        TableFault(
            change: "DROP TABLE item", back: nil, says: "was renamed, dropped or made again"),
    ]

    /// What is done to the store.
    static let ofStore = [
        TableFault(
            change: "ALTER SCHEMA STORE RENAME TO AWAY", back: "ALTER SCHEMA AWAY RENAME TO STORE",
            says: "does not exist any more"),
        TableFault(
            change: "CREATE SCHEMA AWAY; ALTER TABLE STORE.zitem SET SCHEMA AWAY",
            back: "ALTER TABLE AWAY.zitem SET SCHEMA STORE; DROP SCHEMA AWAY",
            says: "made again"),
        TableFault(
            change: "ALTER TABLE STORE.zitem RENAME TO zold",
            back: "ALTER TABLE STORE.zold RENAME TO zitem", says: "made again"),
        TableFault(
            change: "CREATE TABLE STORE.znew (LIKE STORE.zitem INCLUDING ALL); "
                + "INSERT INTO STORE.znew SELECT * FROM STORE.zitem; "
                + "BEGIN; ALTER TABLE STORE.zitem RENAME TO zold; "
                + "ALTER TABLE STORE.znew RENAME TO zitem; COMMIT",
            back: "BEGIN; ALTER TABLE STORE.zitem RENAME TO znew; "
                + "ALTER TABLE STORE.zold RENAME TO zitem; COMMIT; DROP TABLE STORE.znew",
            says: "made again"),
        TableFault(
            change: "ALTER TABLE STORE.zitem ALTER zname TYPE varchar(200)",
            back: "ALTER TABLE STORE.zitem ALTER zname TYPE text COLLATE \"C\"", says: ""),
        TableFault(
            change: "ALTER TABLE STORE.stele_commit ALTER zcount TYPE numeric(20)",
            back: "ALTER TABLE STORE.stele_commit ALTER zcount TYPE bigint", says: ""),
        TableFault(
            change: "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' "
                + "AND objid = ('STORE'::regnamespace::oid::bigint + 2147483648)::bit(32)::bigint::oid",
            back: "SELECT 1", says: ""),
        TableFault(change: "DROP SCHEMA STORE CASCADE", back: nil, says: "does not exist any more"),
    ]
}

extension FollowsTables {
    /// Saves an item; the refusal, or nothing.
    func add(_ id: Int64, _ name: String, to node: PostgreSQLStore, _ shop: FollowedShop) -> String
    {
        refusal {
            try save(node) { context in
                let item = try context.insert(shop.model.named("Item"))
                item["id"] = .int(id)
                item["name"] = .string(name)
            }
        }
    }

    /// Waits for what a node says of its presence.
    func told(_ node: PostgreSQLStore, isWell: Bool) -> String {
        let end = MonotonicClock.deadline(in: 20)
        var said = ""
        while MonotonicClock.now < end {
            said = refusal { try node.checkPresence() }
            if said.isEmpty == isWell { break }
            usleep(20_000)
        }
        return said
    }
}
