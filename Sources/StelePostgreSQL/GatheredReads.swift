import SteleModel
import StelePersistence
import SteleSystem

/// Reads of single objects, outside any view. Those that wait at the same time are one statement,
/// as saves that wait are one commit.
final class GatheredReads: Sendable {
    /// Takes an object, nil where it does not exist.
    typealias Completion = @Sendable (Result<Snapshot?, StoreError>) -> Void

    /// Reads objects of a family by their keys, and returns them with the last transaction of their
    /// state.
    typealias Read =
        @Sendable (
            _ root: Int, [Int64]
        ) throws(StoreError) -> (rows: [Snapshot], number: Int64)

    private struct Wish: Sendable {
        let id: ObjectID
        let since: Int64
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
    init(_ read: @escaping Read) {
        let state = state
        thread = SystemThread(name: "stele-get") { Self.run(state, read) }
    }

    /// Reads an object, and calls the closure on the thread.
    /// - Parameter number: a transaction that the state must have; otherwise the result is `.moved`.
    func read(_ id: ObjectID, since number: Int64 = 0, completion: @escaping Completion) {
        let isOpen = state.withLock { state in
            if !state.isClosed, thread != nil {
                state.wishes.append(Wish(id: id, since: number, completion: completion))
            }
            return !state.isClosed && thread != nil
        }
        if isOpen { state.signal() } else { completion(.failure(.closed)) }
    }

    private static func run(_ state: Monitor<State>, _ read: Read) {
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

    private static func answer(_ wishes: [Wish], _ root: Int, _ read: Read) {
        do throws(StoreError) {
            var found: [Int64: Snapshot] = [:]
            let (rows, number) = try read(root, wishes.map(\.id.key))
            for row in rows { found[row.key] = row }
            for wish in wishes {
                wish.completion(
                    number >= wish.since
                        ? .success(found[wish.id.key])
                        : .failure(.moved("the state is older than what was asked for")))
            }
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
