/// Letting old history go: by the clock, and because a client says so.

import SteleHTTP
import StelePersistence
import SteleRequests

extension ChangeFeed {
    /// Answers `DELETE /changes?before=TOKEN`: what is older than that save goes, the save stays.
    /// - Throws: `Problem` for a token that is none, not of this store, or of no save yet;
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
        case .garbage:
            throw Problem(
                .parameter, "before is no token: \(text.prefix(64))",
                hint: "a token looks like \(renderer.token(newest))")
        }
        // A slip of the pen must not cost all clients their places.
        guard number <= newest else { throw ahead(text, newest: newest, hint: hint) }
        while try keeper.deleteSome(before: number) {}
        return Response(status: 204, headers: [], body: .bytes([]))
    }

    /// The last save's, another program's too.
    private func newestToken() throws(StoreError) -> Int64 {
        let reader = try store.reader()
        defer { reader.close() }
        return try reader.token
    }

    /// Deletes what is too old or too much, on a queue of its own.
    func keepHistory(now: Double) {
        keeping.async { [self] in
            do throws(StoreError) {
                let first = try keeper.firstToKeep(now: now)
                while !inbox.isStopping, try keeper.deleteSome(before: first) {}
            } catch {
                if case .closed = error { return }
                logger.error("old history cannot be deleted: \(error)")
            }
        }
    }
}
