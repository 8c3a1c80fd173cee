/// Deleting old history: by its age and size, and on request.

import SteleHTTP
import StelePersistence
import SteleRequests

extension ChangeFeed {
    /// Answers `DELETE /changes?before=TOKEN`: deletes the saves before that one.
    /// - Throws: `Problem` for a malformed token, one of another store, or one of a future save;
    ///   `StoreError`.
    package func delete(_ query: Query) throws -> Response {
        guard let text = query[.before] else {
            throw Problem(
                .parameter, "DELETE /changes takes before, the token of the first save to keep",
                hint: "DELETE /changes?before=\(renderer.token(currentToken()))")
        }
        let newest = try newestToken()
        let hint = "DELETE /changes?before=\(renderer.token(newest)) keeps that save alone"
        let number: Int64
        switch ChangeToken.read(text, of: renderer.line) {
        case .beginning: number = 0
        case .number(let it): number = it
        case .otherGeneration: throw foreign(text, newest: newest, hint: hint)
        case .within, .garbage:
            throw Problem(
                .parameter, "before is not the token of a save: \(text.prefix(64))",
                hint: "a token looks like \(renderer.token(newest))")
        }
        // A mistyped token must not delete the whole history.
        guard number <= newest else { throw ahead(text, newest: newest, hint: hint) }
        while try deleteSome(before: number) {}
        return Response(status: 204, headers: [], body: .bytes([]))
    }

    /// The last save's number, also where another program made it.
    private func newestToken() throws(StoreError) -> Int64 {
        let reader = try store.reader()
        defer { reader.close() }
        return try reader.token
    }

    /// Deletes saves beyond the bounds of age and size, on a queue of its own.
    func keepHistory(now: Double) {
        if store.isReadOnly { return }
        keeping.async { [self] in
            do throws(StoreError) {
                let first = try firstToKeep(now: now)
                while !inbox.isStopping, try deleteSome(before: first) {}
            } catch {
                if case .closed = error { return }
                logger.error("old history cannot be deleted: \(error)")
            }
        }
    }

    private func firstToKeep(now: Double) throws(StoreError) -> Int64 {
        let reader = try store.reader()
        defer { reader.close() }
        return try reader.firstTransactionToKeep(
            since: options.historySeconds.map { now - $0 }, bytes: options.historyBytes)
    }

    /// Deletes a batch of transactions before that one. Each batch is a commit, which saves wait
    /// for.
    /// - Returns: whether there are more.
    private func deleteSome(before number: Int64) throws(StoreError) -> Bool {
        let batch = 500
        return try store.deleteHistory(before: number, limit: batch) > 0
    }
}
