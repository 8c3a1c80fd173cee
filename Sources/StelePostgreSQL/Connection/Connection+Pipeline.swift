import CPostgreSQL
import SteleModel
import StelePersistence
import SteleSQL

/// A statement that was sent in libpq's pipeline.
struct SentStatement {
    let sql: SQLText
    /// The number of rows that it is expected to change; nil for any number.
    let changing: Int?
    /// Whether a uniqueness constraint may refuse it.
    let isGuarded: Bool
}

/// The writer's statements, of which many are one message to the server.
///
/// The server runs the statements of a pipeline in their order, and after an error none of those
/// that follow until the end of the pipeline. So a COMMIT in a pipeline is not reached where a
/// statement before it has failed.
extension Connection {
    /// The most statements and bytes whose results are not read. Beyond these bytes libpq sends
    /// what it has, and the server, which waits for the rest, would wait without its limits on idle
    /// transactions.
    private static let mostSent = (statements: 512, bytes: 7_500)

    @discardableResult
    func write(
        _ sql: SQLText, _ bindings: [Value], changing count: Int?, isGuarded: Bool
    ) throws(StoreError) -> Bool {
        if defersWrites {
            try send(sql, bindings, changing: count, isGuarded: isGuarded)
            return true
        }
        guard isGuarded else {
            let changed = try execute(sql, bindings)
            return count == nil || changed == count
        }
        return try attempt { () throws(StoreError) in
            try write(sql, bindings, changing: count, isGuarded: false)
        }
    }

    /// Sends a statement. Its result is read with that of the next one that is waited for.
    func send(
        _ sql: SQLText, _ bindings: [Value] = [], changing count: Int? = nil,
        isGuarded: Bool = false
    ) throws(StoreError) {
        let parameters = try Parameters(bindings)
        let name = try prepared(sql, parameters)
        if bytesSent + parameters.size > Self.mostSent.bytes
            || sent.count >= Self.mostSent.statements
        {
            try receive()
        }
        let statement = SentStatement(sql: sql, changing: count, isGuarded: isGuarded)
        try send(statement, name, parameters)
        rowsWritten += 1
    }

    private func send(
        _ statement: SentStatement, _ name: String, _ parameters: Parameters
    ) throws(StoreError) {
        if sent.isEmpty { PQenterPipelineMode(handle) }
        // Also where it cannot be sent, so that what was sent is received.
        sent.append(statement)
        bytesSent += parameters.size
        let isSent = parameters.withAddresses { values, lengths, formats in
            PQsendQueryPrepared(handle, name, Int32(values.count), values, lengths, formats, 1)
        }
        guard isSent == 1 else { throw PostgreSQLFailure.connection(handle, place) }
    }

    /// Whether a statement was sent that must change a number of rows, or that a uniqueness
    /// constraint may refuse.
    var mayConflict: Bool { sent.contains { $0.changing != nil || $0.isGuarded } }

    /// Waits for the results of all statements that were sent.
    /// - Throws: the error of the first that failed.
    func receive() throws(StoreError) {
        guard !sent.isEmpty else { return }
        if let failure = receiveAll().failure { throw later(failure.error) }
    }

    /// Waits for the results of all statements that were sent.
    /// - Parameter count: how many of the last ones belong together.
    /// - Returns: the results of those.
    /// - Throws: the error of the first of them that failed, or of the first before them.
    private func receive(last count: Int) throws(StoreError) -> [Rows] {
        let first = sent.count - count
        let received = receiveAll(keeping: count)
        if let failure = received.failure {
            throw failure.place < first ? later(failure.error) : failure.error
        }
        return received.rows
    }

    /// Notes that a statement failed that was not waited for, and returns the error to throw: one
    /// that nothing takes for that of the present statement.
    private func later(_ error: StoreError) -> StoreError {
        if isLost { return error }
        failedLater = true
        if error.isOfGoneStore { return error }
        return .failed("an earlier statement of the transaction has failed: \(error)")
    }

    /// Runs statements in one round trip, with those that were sent before.
    func query(
        together reads: [(sql: SQLText, bindings: [Value])]
    ) throws(StoreError) -> [Rows] {
        try preparingAgain { () throws(StoreError) in try queryOnce(together: reads) }
    }

    /// Runs statements in one round trip, with those that were sent before, and leaves outdated ones
    /// to the caller.
    func queryOnce(
        together reads: [(sql: SQLText, bindings: [Value])]
    ) throws(StoreError) -> [Rows] {
        var messages: [(name: String, parameters: Parameters)] = []
        // One that is not prepared yet is a round trip, before the first is sent.
        for read in reads {
            let parameters = try Parameters(read.bindings)
            messages.append((try prepared(read.sql, parameters), parameters))
        }
        for (read, message) in zip(reads, messages) {
            try send(
                SentStatement(sql: read.sql, changing: nil, isGuarded: false), message.name,
                message.parameters)
        }
        return try receive(last: reads.count)
    }

    private struct Received {
        /// Those of the last statements, up to the first that failed.
        var rows: [Rows] = []
        /// The first error, and the place of its statement.
        var failure: (error: StoreError, place: Int)?
    }

    private func receiveAll(keeping count: Int = 0) -> Received {
        let statements = sent
        sent = []
        bytesSent = 0
        var received = Received()
        PQpipelineSync(handle)
        for (place, statement) in statements.enumerated() {
            let result = PQgetResult(handle)
            // Null ends the results of a statement.
            while let more = PQgetResult(handle) { PQclear(more) }
            guard received.failure == nil else {
                PQclear(result)
                continue
            }
            do throws(StoreError) {
                let rows = try rows(result, statement.sql.string)
                if let count = statement.changing, rows.changed != count {
                    throw .failed("\(rows.changed) rows of \(count) are as they were read")
                }
                if place >= statements.count - count { received.rows.append(rows) }
            } catch { received.failure = (error, place) }
        }
        // That of the synchronisation.
        PQclear(PQgetResult(handle))
        PQexitPipelineMode(handle)
        if received.failure != nil { takeBackFailed() }
        return received
    }
}
