/// Counts the statements that SQLite runs on one database, whoever's connection it is.

import CSQLite
import SteleSystem

/// A count of statements; made before the connections that it shall count.
///
/// SQLite traces all connections that are opened from then on, and only those to the path are
/// counted, so that other stores of the same process may be in use.
public final class StatementTally: Sendable {
    private struct Counts {
        var byPath: [String: Int] = [:]
    }

    private static let counts = Mutex(Counts())
    private static let begin: Void = {
        typealias Opened =
            @convention(c) (
                OpaquePointer?, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, OpaquePointer?
            ) -> Int32
        let opened: Opened = { connection, _, _ in
            sqlite3_trace_v2(connection, UInt32(SQLITE_TRACE_STMT), StatementTally.note, nil)
            return SQLITE_OK
        }
        sqlite3_auto_extension(unsafeBitCast(opened, to: (@convention(c) () -> Void).self))
    }()

    /// A trigger's statements come with a text for their comment and are counted as well.
    private static let note:
        @convention(c) (
            UInt32, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?
        ) -> Int32 = { _, _, statement, _ in
            guard let statement,
                let path = sqlite3_db_filename(sqlite3_db_handle(OpaquePointer(statement)), "main")
            else { return 0 }
            let name = String(cString: path)
            counts.withLock { counts in
                if let known = counts.byPath[name] { counts.byPath[name] = known + 1 }
            }
            return 0
        }

    private let path: String

    /// - Parameter path: the database's file, as SQLite names it: absolute, without links.
    public init(path: String) {
        self.path = path
        _ = Self.begin
        Self.counts.withLock { $0.byPath[path] = 0 }
    }

    deinit { Self.counts.withLock { $0.byPath[path] = nil } }

    /// How many statements have begun so far.
    public var count: Int { Self.counts.withLock { $0.byPath[path] ?? 0 } }

    /// How many statements begin while the work is done.
    public func statements(_ work: () throws -> Void) rethrows -> Int {
        let before = count
        try work()
        return count - before
    }
}
