import SteleGraph
import SteleHTTP
import SteleModel
import StelePersistence
import SteleRequests

/// Reads that no plan makes: of a plain object with a server, and of the store's state.
extension Service {
    /// Asks the store for an object, and answers with it, or goes on with the road.
    func asked(_ object: ObjectAddress, by request: Request) -> Step {
        .pending { [self] reply in
            coordinator.store.newest(object.id) { [self] result in
                guard let snapshot = (try? result.get()) ?? nil,
                    let response = plainGet.response(
                        of: object, snapshot, coordinator.store.generation, to: request)
                else {
                    let passage = Passage(request, at: store, isTimed: options.serverTiming)
                    return reply.later(
                        Later(by: .reading) { [self] in proceed(passage, at: .short) })
                }
                reply.answer { [self] in noted(response, to: request, .object) }
            }
        }
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
            throw Problem(.unavailable, "the store cannot be read")
        }
        return Pages.status("ready")
    }
}
