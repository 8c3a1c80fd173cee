/// What the log tells of a store that cannot be written.

import Logging
import SteleRequests
import SteleSystem
import Synchronization

/// Logs that requests are refused, because the disk is full, the store's file is gone or its
/// database is out of reach: when it begins, once a minute while it lasts, and when a save succeeds
/// again. That the store is damaged is logged once, because nothing but a new start ends it.
final class StoreTrouble: Sendable {
    private struct State {
        var refused = 0
        var lastLine: UInt64 = 0
    }

    private let logger: Logger
    private let state = Mutex(State())
    /// Whether `state` counts refused saves, without its lock.
    private let isThere = Atomic<Bool>(false)
    private let isDamageLogged = Atomic<Bool>(false)
    private static let pause: UInt64 = 60_000_000_000

    init(_ logger: Logger) { self.logger = logger }

    /// A request of the store was refused.
    func note(_ problem: Problem) {
        let code = problem.kind.text
        if code == ErrorCode.storeDamaged.text { return noteDamage(problem.detail) }
        let codes = [ErrorCode.noRoom, .storeGone, .storeUnavailable].map(\.text)
        guard codes.contains(code) else { return }
        let now = MonotonicClock.now
        let refused = state.withLock { state -> Int? in
            state.refused += 1
            isThere.store(true, ordering: .relaxed)
            guard state.refused == 1 || now &- state.lastLine >= Self.pause else { return nil }
            state.lastLine = now
            return state.refused
        }
        guard let refused else { return }
        logger.error(
            code == ErrorCode.storeUnavailable.text ? "requests are refused" : "saves are refused",
            metadata: [
                "code": "\(code)", "error": "\(problem.detail)", "requests": "\(refused)",
            ])
    }

    /// The store is damaged.
    func noteDamage(_ what: String) {
        guard !isDamageLogged.exchange(true, ordering: .relaxed) else { return }
        logger.critical(
            "the store is damaged",
            metadata: ["code": "\(ErrorCode.storeDamaged.text)", "error": "\(what)"])
    }

    /// A save has succeeded.
    func end() {
        guard isThere.load(ordering: .relaxed) else { return }
        let refused = state.withLock { state in
            defer { state = State() }
            isThere.store(false, ordering: .relaxed)
            return state.refused
        }
        if refused > 0 {
            logger.notice("saves succeed again", metadata: ["requests": "\(refused)"])
        }
    }
}
