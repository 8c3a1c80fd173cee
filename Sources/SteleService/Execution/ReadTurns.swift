/// How many lists are worked out at once.

import Dispatch
import Glibc
import SteleHTTP

/// Takes turns among requests that read many rows: as many at once as the cores can use, the rest
/// wait, and who has left in the meantime is passed over. More at once would end no sooner, and
/// would leave work behind that nobody waits for.
struct ReadTurns: Sendable {
    /// The longest wait; after that a list is worked out beside the others, so that a few slow
    /// ones cannot hold up all.
    private static let patience = DispatchTimeInterval.seconds(3)

    private let places: DispatchSemaphore

    init() {
        let cores = Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        places = DispatchSemaphore(value: max(4, 2 * cores))
    }

    /// Runs a reading plan in its turn.
    /// - Throws: `Problem`, 503, where the client has gone while it waited; or what `body` throws.
    func run<R>(for request: Request, _ body: () throws -> R) throws -> R {
        if places.wait(timeout: .now()) == .success {
            defer { places.signal() }
            return try body()
        }
        let inTurn = places.wait(timeout: .now() + Self.patience) == .success
        defer { if inTurn { places.signal() } }
        if request.clientHasGone { throw Problem(.busy, "the client has gone") }
        return try body()
    }
}
