import CSQLite
import Glibc
import StelePersistence
import SteleModel
import SteleSQL

/// The triggers by which Core Data computes derived attributes in its stores.
///
/// They call functions that Core Data registers on its connections, and write derived values while a
/// statement of a save runs. Stele computes derived attributes itself, after the rows and links of a
/// save, because the history and the caches need the values before and after. So a connection that
/// writes has the functions, which do nothing, and the triggers' own updates change no column. The
/// triggers stay in the file for Core Data, and all other triggers run.
enum DerivedTriggers {
    /// How the triggers' names begin.
    private static let prefix = "Z_DA_"
    /// How the functions' names begin.
    private static let function = Array("NSCoreData".utf8)

    private static let triggers = SQLText(
        "SELECT sql FROM sqlite_master WHERE type = 'trigger' AND sql IS NOT NULL "
            + "AND (name LIKE 'Z\\_DA\\_%' ESCAPE '\\' OR sql LIKE '%NSCoreData%')")

    /// Prepares a connection that writes. A store without such triggers needs nothing.
    static func silence(on connection: Connection) throws(StoreError) {
        let rows = try connection.rows(triggers, [], [.text])
        if rows.isEmpty { return }
        for row in rows {
            guard case .string(let sql) = row[0] else { continue }
            for name in functions(in: sql) { register(name, on: connection.handle) }
        }
        sqlite3_set_authorizer(
            connection.handle,
            { _, action, _, _, _, trigger in
                guard action == SQLITE_UPDATE, let trigger,
                    strncmp(trigger, DerivedTriggers.prefix, 5) == 0
                else { return SQLITE_OK }
                // SQLite then leaves the column as it is.
                return SQLITE_IGNORE
            }, nil)
    }

    /// The names of Core Data's functions that a statement calls.
    static func functions(in sql: String) -> Set<String> {
        let bytes = Array(sql.utf8)
        var found = Set<String>()
        var place = 0
        while place + function.count <= bytes.count {
            guard bytes[place..<place + function.count].elementsEqual(function) else {
                place += 1
                continue
            }
            let name = bytes[place...].prefix { byte in
                byte == UInt8(ascii: "_") || (0x30...0x39).contains(byte)
                    || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
            }
            place += name.count
            let next = bytes[place...].first { $0 != UInt8(ascii: " ") }
            if next == UInt8(ascii: "("), name.count <= 255 {
                found.insert(String(decoding: name, as: UTF8.self))
            }
        }
        return found
    }

    private static func register(_ name: String, on handle: OpaquePointer) {
        let code = sqlite3_create_function_v2(
            handle, name, -1, SQLITE_UTF8 | SQLITE_INNOCUOUS, nil,
            { context, _, _ in sqlite3_result_null(context) }, nil, nil, nil)
        precondition(code == SQLITE_OK, "SQLite accepts the name and the argument count")
    }
}
