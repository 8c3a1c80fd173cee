import StelePersistence
import SteleSQL
import SteleSystem

/// `PRAGMA quick_check` of a store's files, on a thread and a connection of its own: the rows are
/// read meanwhile.
final class QuickCheck: Sendable {
    /// The most messages of a file.
    private static let mostMessages = 100

    private let path: String
    private let uris: [String]
    private let found = Monitor<[String]?>(nil)
    private let thread: SystemThread?

    /// Starts the check.
    /// - Parameter files: they stay as they are until `differences` returns.
    init(_ files: InspectedFiles) {
        (path, uris) = (files.path, files.uris)
        thread = SystemThread(name: "stele-check") { [path, uris, found] in
            let differences = Self.differences(path, uris)
            found.withLock { $0 = differences }
        }
    }

    /// Waits for the end of the check.
    /// - Returns: a sentence for each message of SQLite.
    func differences() -> [String] {
        thread?.join()
        // Where the system has no thread left, it is done now.
        return found.withLock { $0 } ?? Self.differences(path, uris)
    }

    private static func differences(_ path: String, _ uris: [String]) -> [String] {
        do throws(StoreError) {
            let connection = try Connection(uri: uris[0], of: path)
            for history in uris.dropFirst() { try connection.attachHistory(history) }
            return ["main", "history"].prefix(uris.count).flatMap { check($0, connection) }
        } catch {
            return ["quick_check: \(error.sentence)"]
        }
    }

    private static func check(_ database: String, _ connection: Connection) -> [String] {
        let check = SQLText("PRAGMA \(database).quick_check(\(mostMessages))")
        do throws(StoreError) {
            return try connection.rows(check, [], [.text]).compactMap { row in
                guard case .string(let text) = row[0], text != "ok" else { return nil }
                return "quick_check: " + text.replacing("\n", with: "; ")
            }
        } catch {
            return ["quick_check: \(error.sentence)"]
        }
    }
}
