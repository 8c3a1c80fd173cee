/// A queue that serves its clients in turn.

/// A queue of queues, one for each client. The client that has waited longest since its last element
/// is next, so a client with many elements keeps others waiting for one of them only.
public struct FairQueue<Element> {
    private var queues: [String: Queue<Element>] = [:]
    /// The clients that have elements, in the order of their turns.
    private var turns = Queue<String>()
    /// How many elements wait.
    public private(set) var count = 0

    /// An empty queue.
    public init() {}

    /// Whether no element waits.
    public var isEmpty: Bool { count == 0 }

    /// How many elements of a client wait.
    public func count(of client: String) -> Int { queues[client]?.count ?? 0 }

    /// Adds an element after the other elements of its client.
    public mutating func append(_ element: Element, of client: String) {
        if queues[client] == nil { turns.append(client) }
        queues[client, default: Queue()].append(element)
        count += 1
    }

    /// Takes the first element of the client whose turn it is; nil where none waits.
    public mutating func popFirst() -> Element? {
        guard let client = turns.popFirst(), let element = queues[client]?.popFirst() else {
            return nil
        }
        count -= 1
        if queues[client]?.isEmpty ?? true { queues[client] = nil } else { turns.append(client) }
        return element
    }

    /// Takes all elements, in their order.
    public mutating func removeAll() -> [Element] {
        var all: [Element] = []
        while let element = popFirst() { all.append(element) }
        return all
    }
}

extension FairQueue: Sendable where Element: Sendable {}
