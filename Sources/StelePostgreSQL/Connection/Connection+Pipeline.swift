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

    func send(
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
    /// - Returns: that of the last one.
    /// - Throws: its error, or that of the first before it that failed.
    func receiveLast() throws(StoreError) -> Rows {
        let place = sent.count - 1
        let received = receiveAll()
        if let failure = received.failure {
            throw failure.place < place ? later(failure.error) : failure.error
        }
        guard let last = received.last else {
            throw PostgreSQLFailure.connection(handle, self.place)
        }
        return last
    }

    /// Notes that a statement failed that was not waited for, and returns the error to throw: one
    /// that nothing takes for that of the present statement.
    private func later(_ error: StoreError) -> StoreError {
        if isLost { return error }
        failedLater = true
        return .failed("an earlier statement of the transaction has failed: \(error)")
    }

    /// Runs statements in one round trip.
    func rows(together reads: [SQLRead]) throws(StoreError) -> [[[Value]]] {
        try receive()
        var messages: [(name: String, parameters: Parameters)] = []
        for read in reads {
            let parameters = try Parameters(read.bindings)
            messages.append((try prepared(read.sql, parameters), parameters))
        }
        PQenterPipelineMode(handle)
        for (name, parameters) in messages {
            _ = parameters.withAddresses { values, lengths, formats in
                PQsendQueryPrepared(handle, name, Int32(values.count), values, lengths, formats, 1)
            }
        }
        PQpipelineSync(handle)
        let results = reads.map { _ in
            let result = PQgetResult(handle)
            // Null ends the results of a statement.
            while let more = PQgetResult(handle) { PQclear(more) }
            return result
        }
        PQclear(PQgetResult(handle))
        PQexitPipelineMode(handle)
        var found: [[[Value]]] = []
        for (place, read) in reads.enumerated() {
            do throws(StoreError) {
                let rows = try rows(results[place], read.sql.string)
                found.append(rows.values(read.kinds))
            } catch {
                for result in results[(place + 1)...] { PQclear(result) }
                throw error
            }
        }
        return found
    }

    private struct Received {
        var last: Rows?
        /// The first error, and the place of its statement.
        var failure: (error: StoreError, place: Int)?
    }

    private func receiveAll() -> Received {
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
                received.last = rows
            } catch { received.failure = (error, place) }
        }
        // That of the synchronisation.
        PQclear(PQgetResult(handle))
        PQexitPipelineMode(handle)
        return received
    }
}
