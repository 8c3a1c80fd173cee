/// A first-in, first-out queue.

/// A queue in an array. Appending and taking the first element take constant time on average.
public struct Queue<Element> {
    /// Nil where an element was taken; those are all before `first`.
    @usableFromInline var elements: [Element?] = []
    @usableFromInline var first = 0

    /// An empty queue.
    @inlinable
    public init() {}

    /// How many elements wait.
    @inlinable
    public var count: Int { elements.count - first }

    /// Whether no element waits.
    @inlinable
    public var isEmpty: Bool { first == elements.count }

    /// The element that is taken next.
    @inlinable
    public var peek: Element? { isEmpty ? nil : elements[first] }

    /// Adds an element at the end.
    @inlinable
    public mutating func append(_ element: Element) { elements.append(element) }

    /// Takes the first element; nil where there is none.
    @inlinable
    public mutating func popFirst() -> Element? {
        if isEmpty { return nil }
        let element = elements[first]
        elements[first] = nil
        first += 1
        // A move of the rest is paid for by as many elements that were taken.
        if isEmpty || (first >= 32 && first >= count) {
            elements.removeFirst(first)
            first = 0
        }
        return element
    }

    /// Takes all elements.
    @inlinable
    @discardableResult
    public mutating func removeAll() -> [Element] {
        defer { self = Queue() }
        return elements[first...].compactMap { $0 }
    }

    /// Releases the memory of an empty queue that has room for more elements than that.
    @inlinable
    public mutating func shrink(to capacity: Int) {
        if isEmpty, elements.capacity > capacity { self = Queue() }
    }
}

extension Queue: Sendable where Element: Sendable {}
