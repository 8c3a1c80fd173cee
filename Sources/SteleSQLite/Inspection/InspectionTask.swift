import StelePersistence
import SteleSQL
import SteleSystem

/// A part of an inspection that has a thread and a connection of its own: the rows are read
/// meanwhile.
final class InspectionTask<Result: Sendable>: Sendable {
    typealias Body = @Sendable (Connection) throws(StoreError) -> Result

    private let path: String
    private let uris: [String]
    private let body: Body
    private let found = Monitor<Swift.Result<Result, StoreError>?>(nil)
    private let thread: SystemThread?

    /// Starts it.
    /// - Parameter files: they stay as they are until `result` returns.
    init(_ files: InspectedFiles, _ body: @escaping Body) {
        (path, uris, self.body) = (files.path, files.uris, body)
        thread = SystemThread(name: "stele-inspect") { [path, uris, found] in
            let result = Self.run(body, path, uris)
            found.withLock { $0 = result }
        }
    }

    /// Waits for its end.
    /// - Throws: the error of the body, or that the files cannot be opened.
    func result() throws(StoreError) -> Result {
        thread?.join()
        // Where the system has no thread left, it is done now.
        let result = found.withLock { $0 } ?? Self.run(body, path, uris)
        return try result.get()
    }

    private static func run(
        _ body: Body, _ path: String, _ uris: [String]
    ) -> Swift.Result<Result, StoreError> {
        do throws(StoreError) {
            let connection = try Connection(uri: uris[0], of: path)
            for history in uris.dropFirst() { try connection.attachHistory(history) }
            return .success(try body(connection))
        } catch {
            return .failure(error)
        }
    }
}
