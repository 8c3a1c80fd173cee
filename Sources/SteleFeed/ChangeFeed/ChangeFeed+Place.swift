/// Where in the history a call begins.

import StelePersistence
import SteleRequests

extension ChangeFeed {
    /// The meaning of a call's token.
    package enum Place {
        /// The call begins there.
        case at(HistoryPosition)
        /// The transactions after it are not available, or it is not a token; `now` is the last
        /// transaction.
        case expired(Problem, now: Int64)
    }

    /// The call's place.
    /// - Throws: `StoreError` when the store cannot be read.
    package func place(_ call: ChangesCall) throws(StoreError) -> Place {
        let reader = try store.reader()
        defer { reader.close() }
        let newest = try reader.token
        guard let (text, name) = call.start else { return .at(HistoryPosition(after: newest)) }
        let reading = ChangeToken.read(text, of: renderer.line)
        switch reading {
        case .beginning:
            let before = try reader.oldestTransaction().map { $0 - 1 } ?? newest
            return .at(HistoryPosition(after: before))
        case .number(let number):
            return try place(HistoryPosition(after: number), text, newest: newest, reader)
        case .within(let number, let change):
            let position = HistoryPosition(after: number, change: change)
            return try place(position, text, newest: newest, reader)
        case .otherGeneration:
            return .expired(foreign(text, newest: newest, hint: wayOut(newest)), now: newest)
        case .garbage:
            let detail = "\(name) is not a token: \(text.prefix(64))"
            let hint = "a token looks like \(renderer.token(newest)); since=0 is the oldest kept"
            // A browser repeats the token that it was sent, so a stream reports all bad tokens
            // alike.
            let kind = call.isStream ? ErrorCode.expiredToken : .parameter
            return .expired(Problem(kind, detail, hint: hint), now: newest)
        }
    }

    private func place(
        _ position: HistoryPosition, _ text: String, newest: Int64, _ reader: any StoreReader
    ) throws(StoreError) -> Place {
        if position.save > newest {
            return .expired(ahead(text, newest: newest, hint: wayOut(newest)), now: newest)
        }
        // The transaction with which the call begins.
        let oldestNeeded = position.change == nil ? position.save + 1 : position.save
        if oldestNeeded > newest { return .at(position) }
        let oldest = try reader.oldestTransaction()
        if let oldest, oldest <= oldestNeeded { return .at(position) }
        let kept = oldest.map { "the oldest kept is \(renderer.token($0))" } ?? "nothing is kept"
        let detail = "what came after \(text) was purged; \(kept)"
        return .expired(Problem(.expiredToken, detail, hint: wayOut(newest)), now: newest)
    }

    /// The last transaction of a call with `until`.
    /// - Throws: `Problem` for a token that is none, or of another history; `StoreError`.
    func number(until text: String) throws -> Int64 {
        let reader = try store.reader()
        defer { reader.close() }
        let newest = try reader.token
        let hint = "until=\(renderer.token(newest)) ends with the newest save"
        switch ChangeToken.read(text, of: renderer.line) {
        case .beginning: return 0
        case .number(let number):
            guard number <= newest else { throw ahead(text, newest: newest, hint: hint) }
            return number
        case .otherGeneration: throw foreign(text, newest: newest, hint: hint)
        case .within, .garbage:
            throw Problem(
                .parameter, "until is not the token of a save: \(text.prefix(64))", hint: hint)
        }
    }

    /// For a token of a future save: invented, or of the store before an older copy was restored.
    func ahead(_ text: String, newest: Int64, hint: String) -> Problem {
        Problem(
            .expiredToken, "the history ends at \(renderer.token(newest)), before \(text)",
            hint: hint)
    }

    /// For a token of another generation.
    func foreign(_ text: String, newest: Int64, hint: String) -> Problem {
        let detail =
            "\(text) is of another store, or of this one before it was restored or migrated; "
            + "the last token of this one is \(renderer.token(newest))"
        return Problem(.expiredToken, detail, hint: hint)
    }

    private func wayOut(_ newest: Int64) -> String {
        "read the data anew, then go on with since=\(renderer.token(newest)); "
            + "since=0 begins with the oldest kept"
    }
}
