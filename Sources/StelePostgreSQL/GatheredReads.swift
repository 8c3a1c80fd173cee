import SteleModel
import StelePersistence
import SteleSystem

/// Reads of single objects, outside any view. Those that wait at the same time are one statement,
/// as saves that wait are one commit.
final class GatheredReads: Sendable {
    /// Takes an object, nil where it does not exist.
    typealias Completion = @Sendable (Result<Snapshot?, StoreError>) -> Void

    private struct Wish: Sendable {
        let id: ObjectID
        let completion: Completion
    }

    private struct State {
        var wishes: [Wish] = []
        var isClosed = false
    }

    private let state = Monitor(State())
    private let thread: SystemThread?

    /// The most objects of a statement.
    private static let most = 256

    /// Starts the thread. While a statement is under way, the next reads gather.
    /// - Parameter read: reads objects of a family by their keys.
    init(_ read: @escaping @Sendable (_ root: Int, [Int64]) throws(StoreError) -> [Snapshot]) {
        let state = state
        thread = SystemThread(name: "stele-get") { Self.run(state, read) }
    }

    /// Reads an object, and calls the closure on the thread.
    func read(_ id: ObjectID, completion: @escaping Completion) {
        let isOpen = state.withLock { state in
            if !state.isClosed { state.wishes.append(Wish(id: id, completion: completion)) }
            return !state.isClosed
        }
        if isOpen { state.signal() } else { completion(.failure(.closed)) }
    }

    private static func run(
        _ state: Monitor<State>, _ read: (Int, [Int64]) throws(StoreError) -> [Snapshot]
    ) {
        while true {
            let wishes = state.withLock(when: { !$0.wishes.isEmpty || $0.isClosed }) { state, _ in
                let taken = state.wishes.prefix(most)
                state.wishes.removeFirst(taken.count)
                return taken
            }
            if wishes.isEmpty { return }
            for (root, wishes) in Dictionary(grouping: wishes, by: \.id.root) {
                answer(wishes, root, read)
            }
        }
    }

    private static func answer(
        _ wishes: [Wish], _ root: Int, _ read: (Int, [Int64]) throws(StoreError) -> [Snapshot]
    ) {
        do throws(StoreError) {
            var found: [Int64: Snapshot] = [:]
            for row in try read(root, wishes.map(\.id.key)) { found[row.key] = row }
            for wish in wishes { wish.completion(.success(found[wish.id.key])) }
        } catch {
            for wish in wishes { wish.completion(.failure(error)) }
        }
    }

    /// Ends the thread when it has answered what is waiting.
    func close() {
        state.withLock { $0.isClosed = true }
        state.signal()
        thread?.join()
    }
}
