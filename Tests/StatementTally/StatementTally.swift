/// Counts the statements that SQLite runs on one database, whoever's connection it is.

import CSQLite
import Glibc
import SteleSystem

/// A count of statements; made before the connections that it shall count.
///
/// SQLite traces all connections that are opened from then on, and only those to the path are
/// counted, so that other stores of the same process may be in use.
public final class StatementTally: Sendable {
    private struct Counts {
        var byPath: [String: Int] = [:]
        /// By path: the thread that made the tally, the steps of SQLite's machine on it, and the
        /// texts of the statements that took them.
        var threads: [String: pthread_t] = [:]
        var steps: [String: Int] = [:]
        var texts: [String: Set<String>] = [:]
    }

    private static let counts = Mutex(Counts())
    private static let begin: Void = {
        typealias Opened =
            @convention(c) (
                OpaquePointer?, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, OpaquePointer?
            ) -> Int32
        let opened: Opened = { connection, _, _ in
            let mask = UInt32(SQLITE_TRACE_STMT | SQLITE_TRACE_PROFILE)
            sqlite3_trace_v2(connection, mask, StatementTally.note, nil)
            return SQLITE_OK
        }
        sqlite3_auto_extension(unsafeBitCast(opened, to: (@convention(c) () -> Void).self))
    }()

    /// A trigger's statements come with a text for their comment and are counted as well.
    private static let note:
        @convention(c) (
            UInt32, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?
        ) -> Int32 = { event, _, statement, _ in
            guard let statement = statement.map({ OpaquePointer($0) }),
                let path = sqlite3_db_filename(sqlite3_db_handle(statement), "main")
            else { return 0 }
            let name = String(cString: path)
            guard event == UInt32(SQLITE_TRACE_PROFILE) else {
                counts.withLock { counts in
                    if let known = counts.byPath[name] { counts.byPath[name] = known + 1 }
                }
                return 0
            }
            let steps = Int(sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 1))
            let text = sqlite3_sql(statement).map { String(cString: $0) } ?? ""
            let thread = pthread_self()
            counts.withLock { counts in
                guard counts.threads[name] == thread else { return }
                counts.steps[name, default: 0] += steps
                counts.texts[name, default: []].insert(text)
            }
            return 0
        }

    private let path: String

    /// - Parameter path: the database's file, as SQLite names it: absolute, without links.
    public init(path: String) {
        self.path = path
        _ = Self.begin
        let thread = pthread_self()
        Self.counts.withLock {
            $0.byPath[path] = 0
            $0.threads[path] = thread
        }
    }

    deinit {
        Self.counts.withLock {
            $0.byPath[path] = nil
            $0.threads[path] = nil
            $0.steps[path] = nil
            $0.texts[path] = nil
        }
    }

    /// How many statements have begun so far.
    public var count: Int { Self.counts.withLock { $0.byPath[path] ?? 0 } }

    /// How many steps of SQLite's machine the statements took that have ended on the thread that made
    /// the tally. A scan takes some for each row, except for a `COUNT(*)` of a whole table, which is
    /// one step.
    public var steps: Int { Self.counts.withLock { $0.steps[path] ?? 0 } }

    /// The texts of these statements.
    public var texts: Set<String> { Self.counts.withLock { $0.texts[path] ?? [] } }

    /// How many statements begin while the work is done.
    public func statements(_ work: () throws -> Void) rethrows -> Int {
        let before = count
        try work()
        return count - before
    }
}
