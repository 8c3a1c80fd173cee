import SteleFeed
import SteleGraph
import SteleHTTP
import SteleModel
import StelePersistence
import StelePredicates
import SteleRequests

/// Reads that no plan makes: of a plain object with a server, and of the store's state.
extension Service {
    /// Asks the store for an object, and answers with it, or goes on with the road.
    func asked(_ object: ObjectAddress, by request: Request) -> Step {
        let number: Int64?
        do { number = try historyToken(of: request) } catch {
            return proceed(Passage(request, at: store, isTimed: options.serverTiming), at: .brief)
        }
        return .pending { [self] reply in
            guard let number, let replica = coordinator.store.replica else {
                return ask(object, by: request, reply)
            }
            replica.newest(object.id, since: number) { [self] snapshot in
                guard let snapshot else { return ask(object, by: request, reply) }
                answer(object, snapshot, request, reply)
            }
        }
    }

    private func ask(_ object: ObjectAddress, by request: Request, _ reply: Reply) {
        coordinator.store.newest(object.id) { [self] result in
            answer(object, (try? result.get()) ?? nil, request, reply)
        }
    }

    private func answer(
        _ object: ObjectAddress, _ snapshot: Snapshot?, _ request: Request, _ reply: Reply
    ) {
        guard let snapshot,
            let response = plainGet.response(
                of: object, snapshot, coordinator.store.generation, to: request)
        else {
            let passage = Passage(request, at: store, isTimed: options.serverTiming)
            return reply.later(Later(by: .reading) { [self] in proceed(passage, at: .short) })
        }
        reply.answer { [self] in noted(response, to: request, .object) }
    }

    // MARK: Replicas

    /// The field of a request, with what its answer must have, and of the answer to a save.
    static let historyToken = "History-Token"

    /// The transaction that an answer must have, so that a replica that has it may give it. Nil for
    /// the newest state: without the field, without a replica, and for a token of another history.
    /// - Throws: `Problem` for a field that is no token.
    func historyToken(of request: Request) throws -> Int64? {
        let store = coordinator.store
        // A condition is on the newest state.
        guard store.replica != nil, let text = request.headers[Self.historyToken],
            !request.headers.contains("If-Match")
        else { return nil }
        switch ChangeToken.read(text, of: store.historyLine) {
        case .beginning: return 0
        case .number(let number), .within(let number, _): return number
        case .otherGeneration: return nil
        case .garbage:
            throw Problem(
                .header, "\(Self.historyToken) is not a token of a save",
                hint: "send the one that the answer to a save has")
        }
    }

    /// Tells the client of a save what its next reads must have.
    func addHistoryToken(to response: inout Response) {
        let store = coordinator.store
        guard let replica = store.replica, response.status < 300 else { return }
        // The answer may be of a view that has later saves of other nodes.
        let number = max(coordinator.currentToken, replica.newestNumber)
        let token = ChangeToken(number, of: store.historyLine)
        response.headers.append((Self.historyToken, token.text))
    }

    /// Answers whether the store can be read.
    func ready(_ execution: Execution, for rights: Rights) throws -> Response {
        do {
            let reader = try coordinator.store.reader(budget: execution.budget)
            defer { reader.close() }
            _ = try reader.token
            try coordinator.store.checkPresence()
        } catch {
            guard rights.lacksToken, !Self.isLong(error) else { throw error }
            // The path of the store is for clients with a token.
            if case StoreError.gone = error {
                throw Problem(.storeGone, "the store is gone")
            }
            if case StoreError.damaged(let what) = error {
                storeTrouble.noteDamage(what)
                throw Problem(.storeDamaged, "the store is damaged")
            }
            throw Problem(.unavailable, "the store cannot be read")
        }
        return Pages.status("ready")
    }
}

extension Service {
    /// The limit on the planning of a request: at a brief pace what takes about a millisecond, at a
    /// short one some more, else the time of a statement. A worker plans while the client waits.
    func planning(_ request: Request, at pace: Pace) -> PlanningWork {
        let isWanted = { !request.clientHasGone }
        return switch pace {
        case .brief: PlanningWork(steps: options.limits.briefPlanningSteps)
        case .short: PlanningWork(steps: options.limits.shortPlanningSteps, while: isWanted)
        case .unhurried: PlanningWork(while: isWanted)
        }
    }
}
