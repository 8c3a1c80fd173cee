import StelePersistence
import SteleSystem

/// Whether an open store's files were found to be damaged. Once they are, nothing is written: a
/// further commit could make the damage worse, or be lost with it. A file beside the store keeps it
/// from being opened again before it is mended (`DamageMark`).
final class StoreDamage: Sendable {
    /// The store; nil where nothing is left beside it.
    private let store: String?
    /// What was found first, and whether a mark is left.
    private let found = Mutex<(first: String?, isMarked: Bool)>((nil, false))
    /// Whether `found` has a text, without its lock.
    private let isThere = Atomic<Bool>(false)

    /// - Parameter store: the path of a store that is written.
    init(_ store: String? = nil) { self.store = store }

    /// Whether damage was found.
    var isKnown: Bool { isThere.load(ordering: .acquiring) }

    /// - Throws: `StoreError.damaged`, with what was found first.
    func check() throws(StoreError) {
        guard isKnown, let text = found.withLock({ $0.first }) else { return }
        throw .damaged(text)
    }

    /// Remembers damage. The first that lasts leaves the mark.
    /// - Parameter isLasting: whether the next opening would not mend it.
    /// - Returns: the error for it.
    @discardableResult
    func note(_ text: String, isLasting: Bool = true) -> StoreError {
        let leavesMark = found.withLock { found in
            if found.first == nil { found.first = text }
            defer { if isLasting { found.isMarked = true } }
            return isLasting && !found.isMarked
        }
        if leavesMark, let store { DamageMark.leave(beside: store, text) }
        isThere.store(true, ordering: .releasing)
        return .damaged(text)
    }

    /// Remembers the damage that an error of the open store tells of.
    /// - Returns: the error to throw in its place.
    func noting(_ error: StoreError) -> StoreError {
        switch error {
        case .damaged(let text): note(text)
        // It was a database when it was opened.
        case .incompatible(_, let text) where SQLiteFailure.saysNotADatabase(text): note(text)
        default: error
        }
    }

    /// Runs what reads or writes the store, and remembers the damage that it meets.
    func noting<R>(_ body: () throws(StoreError) -> R) throws(StoreError) -> R {
        do { return try body() } catch { throw noting(error) }
    }
}
