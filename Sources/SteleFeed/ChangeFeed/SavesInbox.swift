/// Passing saves and other news to a thread that follows the saves.

import StelePersistence
import SteleSystem

/// The inbox of the feed's thread and of the live queries' thread. It is bounded: saves that do not
/// fit are read from the history instead (`SavesToTell`).
package final class SavesInbox<Letters: Sendable>: Sendable {
    /// What has come since the thread looked last.
    package struct Mail: Sendable {
        package var told = SavesToTell()
        /// Whether another program has changed the store.
        var isChangedElsewhere = false
        package var letters: Letters
        var isStopping = false
    }

    private struct State: Sendable {
        var mail: Mail
        /// Whether the thread follows anything. Where it does not, saves are not kept and do not
        /// wake it.
        var isWatched = false
        var hasLetters = false
        /// Whether the thread is to look.
        var isRung = false
    }

    private let noLetters: Letters
    private let state: Monitor<State>

    /// - Parameter noLetters: the letters of an empty inbox.
    init(_ noLetters: Letters) {
        self.noLetters = noLetters
        state = Monitor(State(mail: Mail(letters: noLetters)))
    }

    package func put(_ saves: [HistoryTransaction]) {
        if saves.isEmpty { return }
        change { state in
            state.mail.told.add(saves, isKept: state.isWatched)
            return state.isWatched
        }
    }

    func putChangedElsewhere() {
        change { state in
            state.mail.isChangedElsewhere = true
            return state.isWatched
        }
    }

    /// Adds to the letters.
    /// - Returns: false where the thread is stopping; nothing is added then.
    @discardableResult
    package func put(_ letter: (inout Letters) -> Void) -> Bool {
        change { state in
            if state.mail.isStopping { return false }
            letter(&state.mail.letters)
            state.hasLetters = true
            state.isWatched = true
            return true
        }
    }

    package func stop() {
        change { state in
            state.mail.isStopping = true
            return true
        }
    }

    /// Changes the state, and wakes the thread where the closure returns true.
    @discardableResult
    private func change(_ body: (inout State) -> Bool) -> Bool {
        let rings = state.withLock { state in
            let rings = body(&state)
            state.isRung = state.isRung || rings
            return rings
        }
        if rings { state.signal() }
        return rings
    }

    var isStopping: Bool { state.withLock { $0.mail.isStopping } }

    /// Takes what has come.
    /// - Parameter isWatched: whether the thread follows anything so far; with letters it may from
    ///   here on.
    package func take(isWatched: Bool) -> Mail {
        state.withLock { state in
            let mail = state.mail
            state.mail = Mail(
                told: mail.told.emptied, letters: noLetters, isStopping: mail.isStopping)
            state.isWatched = isWatched || state.hasLetters
            state.hasLetters = false
            state.isRung = false
            return mail
        }
    }

    /// Waits until there is something to take, or until that moment of `MonotonicClock`; nil waits
    /// without end.
    func wait(until deadline: UInt64?) {
        state.withLock(when: { $0.isRung }, until: deadline) { _, _ in }
    }
}
