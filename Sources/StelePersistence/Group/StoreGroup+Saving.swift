import SteleModel
import SteleSystem

/// Saving to several stores.
extension StoreGroup {
    /// Saves a request and returns when it is on disk in all stores.
    /// - Throws: as `PersistentStore.save(_:)`; `.invalid` also for a link from one store to
    ///   another, and for an object that is assigned to a store without its entity;
    ///   `.incompleteSave` where only some of the stores have the save.
    public func save(_ request: SaveRequest) throws(StoreError) -> SaveResult {
        try saveAndWait(request)
    }

    /// Saves a request without blocking.
    public func save(
        _ request: SaveRequest,
        completion: @escaping @Sendable (Result<SaveResult, StoreError>) -> Void
    ) {
        do throws(StoreError) {
            let job = GroupJob(group: self, parts: try divide(request), request, completion)
            let isTaken = queue.withLock { $0.append(job) }
            if isTaken { queue.signal() } else { completion(.failure(.closed)) }
        } catch {
            completion(.failure(error))
        }
    }

    /// Saves a request that is made while no other save can run, on the caller's thread.
    /// - Throws: what `make` throws; as `save(_:)`; `.busy` where another program saves to one of
    ///   the stores all the time.
    public func save(
        making make: (any StoreReader) throws -> SaveRequest
    ) throws -> SaveResult {
        try turn.withLock { turn in
            let reader = try lastingReader(&turn)
            defer { reader.close() }
            let request = try make(reader)
            return try save(try divide(request), request, &turn)
        }
    }

    /// Deletes the oldest transactions before `number`, up to `limit` in each store.
    ///
    /// All stores are deleted from up to the same transaction, because a history that ends earlier
    /// in one of them has gaps.
    /// - Throws: as `PersistentStore.deleteHistory`; `.busy` as `save(making:)`. Some stores may
    ///   have deleted theirs then.
    public func deleteHistory(before number: Int64, limit: Int) throws(StoreError) -> Int {
        try turn.withLock { turn throws(StoreError) in
            let reader = try lastingReader(&turn)
            defer { reader.close() }
            guard limit > 0, let oldest = try reader.oldestTransaction(), oldest < number else {
                return 0
            }
            let end = oldest.addingReportingOverflow(Int64(limit))
            let first = end.overflow ? number : min(number, end.partialValue)
            state.withLock { $0.firstKept = max($0.firstKept, min(first, turn.last + 1)) }
            var deleted = 0
            for store in stores { deleted += try store.deleteHistory(before: first, limit: limit) }
            return deleted
        }
    }

    // MARK: Parts of a request

    /// Divides a request by store, in the order of the stores. A request without changes is one for
    /// the first store.
    func divide(_ request: SaveRequest) throws(StoreError) -> [GroupPart] {
        let division = GroupDivision(layout, assigned: request.assignedStores, group: self)
        return try division.divide(request)
    }

    // MARK: Commits

    /// Saves the parts of one request.
    func save(
        _ parts: [GroupPart], _ request: SaveRequest, _ turn: inout GroupTurn
    ) throws(StoreError) -> SaveResult {
        if parts.count == 1 {
            let part = prepared(parts[0], turn)
            return finished([try stores[part.place].save(part.request)], request, &turn)
        }
        let number = turn.last + 1
        var results: [SaveResult] = []
        try committing(parts.map(\.place), &turn) { (parted, _) throws(StoreError) in
            results = []
            for (save, part) in zip(parted, parts) {
                results.append(try save.save(prepared(part, number: number)))
            }
        }
        return finished(results, request, &turn)
    }

    /// Saves in parts, as one transaction of the history.
    /// - Throws: what `make` throws; as `save(_:)`; `.busy` where another program changes one of
    ///   the stores meanwhile.
    public func save(inParts make: (any PartedSave) throws -> Void) throws -> SaveResult {
        try turn.withLock { turn in
            let number = turn.last + 1
            var failure: (any Error)?
            var hasRun = false
            do {
                try committing(Array(stores.indices), &turn) {
                    (parted, restart) throws(StoreError) in
                    // If a store repeats its transaction, its parts are rolled back, and those of
                    // the other stores are not.
                    if hasRun { throw restart }
                    hasRun = true
                    do { try make(GroupParts(self, parted, number: number)) } catch {
                        failure = error
                        throw error as? StoreError ?? restart
                    }
                }
            } catch {
                throw failure ?? error
            }
            let isChanged = state.withLock { $0.tokens.contains(number) }
            if isChanged { turn.last = number }
            return SaveResult(token: isChanged ? number : turn.last)
        }
    }

    /// Opens a transaction in each of the stores, has it filled, and commits one after the other,
    /// the last one first.
    /// - Parameter fill: gets the open saves; it may be called again from its start unless it has
    ///   thrown. Its second argument is the error to throw if it cannot be.
    private func committing(
        _ places: [Int], _ turn: inout GroupTurn,
        _ fill: ([any PartedSave], StoreError) throws(StoreError) -> Void
    ) throws(StoreError) {
        var committed: [Int] = []
        var cause: StoreError?
        func open(_ rest: ArraySlice<Int>, _ parted: [any PartedSave]) throws(StoreError) {
            guard let place = rest.first else {
                // A store repeats a save that it has to roll back, and the stores around it have
                // their parts already.
                if let cause { throw cause }
                do throws(StoreError) {
                    return try fill(
                        parted, .busy("a store was changed by another program during the save"))
                } catch {
                    cause = error
                    throw error
                }
            }
            do {
                _ = try stores[place].save(inParts: { save in
                    // A second call cannot undo what another store has committed.
                    if !committed.isEmpty { throw cause ?? StoreError.closed }
                    try open(rest.dropFirst(), parted + [save])
                })
            } catch {
                let own = error as? StoreError ?? .failed("\(error)")
                cause = cause ?? own
                throw own
            }
            committed.append(place)
        }
        state.withLock { $0.parts = [:] }
        defer { publish() }
        do throws(StoreError) { try open(places[...], []) } catch {
            if committed.isEmpty { throw error }
            let (kept, lost) = (committed, places.filter { !committed.contains($0) })
            turn.last += 1
            throw .incompleteSave(
                "the save is in \(names(kept)) and not in \(names(lost)): "
                    + "\(Self.text(of: cause ?? error))")
        }
    }

    /// Makes the commits of a save to several stores known, as one.
    private func publish() {
        let (parts, observer) = state.withLock { state in
            let parts = (state.parts ?? [:]).sorted { $0.key < $1.key }
            state.parts = nil
            for (place, saves) in parts {
                state.tokens[place] = max(state.tokens[place], saves.last?.number ?? 0)
            }
            return (parts.flatMap(\.value), state.observer)
        }
        let saves = HistoryTransaction.joined(parts)
        if !saves.isEmpty { observer?.storeDidCommit(saves) }
    }

    /// The name of a store, for messages.
    private func names(_ places: [Int]) -> String {
        places.sorted().map { place in
            let configuration = stores[place].model.configuration
            return "the \(stores[place].type) store"
                + (configuration.map { " of \($0)" } ?? " \(place + 1)")
        }.joined(separator: ", ")
    }

    private static func text(of error: StoreError) -> String {
        switch error {
        case .failed(let text), .noRoom(let text), .busy(let text), .invalid(let text),
            .moved(let text), .readOnly(let text), .gone(let text), .refused(let text),
            .unavailable(let text), .damaged(let text), .noKeys(let text):
            text
        default: "\(error)"
        }
    }

    // MARK: Numbers

    func prepared(_ part: GroupPart, _ turn: GroupTurn) -> GroupPart {
        GroupPart(place: part.place, request: prepared(part, number: turn.last + 1))
    }

    /// Returns a part's request with the number of the save. A view of the group at a token shows
    /// each store at its own last save before.
    func prepared(_ part: GroupPart, number: Int64) -> SaveRequest {
        var request = part.request
        request.number = number
        request.readToken = min(request.readToken, state.withLock { $0.tokens[part.place] })
        return request
    }

    /// Joins the results of the parts of a request.
    func finished(
        _ results: [SaveResult], _ request: SaveRequest, _ turn: inout GroupTurn
    ) -> SaveResult {
        var whole = SaveResult(token: max(request.readToken, 0))
        for result in results {
            whole.join(result)
            if !result.changes.isEmpty { turn.last = max(turn.last, result.token) }
        }
        return whole
    }
}

extension SaveResult {
    /// Adds the result of another part of the same save.
    fileprivate mutating func join(_ part: SaveResult) {
        permanentKeys.formUnion(part.permanentKeys)
        replacedKeys.formUnion(part.replacedKeys)
        changes += part.changes
        if !part.changes.isEmpty { token = max(token, part.token) }
    }
}

/// A part of a request, for one store.
struct GroupPart: Sendable {
    var place: Int
    var request: SaveRequest
}

/// A save in parts to several stores.
private final class GroupParts: PartedSave {
    private let group: StoreGroup
    private let saves: [any PartedSave]
    private let number: Int64

    init(_ group: StoreGroup, _ saves: [any PartedSave], number: Int64) {
        self.group = group
        self.saves = saves
        self.number = number
    }

    func reader() throws(StoreError) -> any StoreReader {
        var readers: [any StoreReader] = []
        var token: Int64 = 0
        do throws(StoreError) {
            for save in saves {
                let reader = try save.reader()
                readers.append(reader)
                token = max(token, try reader.token)
            }
        } catch {
            for reader in readers { reader.close() }
            throw error
        }
        return GroupReader(readers, token: token, group.layout)
    }

    func save(_ request: SaveRequest) throws(StoreError) -> SaveResult {
        var whole = SaveResult(token: max(request.readToken, 0))
        for part in try group.divide(request) {
            var own = part.request
            own.number = number
            whole.join(try saves[part.place].save(own))
        }
        return whole
    }
}
