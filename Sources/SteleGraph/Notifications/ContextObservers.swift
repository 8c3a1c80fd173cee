import SteleModel
import StelePersistence

/// The observers of a context: closures and streams.
final class ContextObservers {
    /// The maximum number of pending events in a stream.
    static let mostEvents = 1_000

    private var observers: [Int: (ContextNotification) -> Void] = [:]
    private var streams: [Int: AsyncStream<ContextEvent>.Continuation] = [:]
    private var lastNumber = 0

    deinit { removeAll() }

    var count: Int { observers.count }

    /// Adds an observer.
    /// - Returns: the number for removing the observer.
    func add(_ receive: @escaping (ContextNotification) -> Void) -> Int {
        lastNumber += 1
        observers[lastNumber] = receive
        return lastNumber
    }

    /// Creates a stream of events for other threads.
    /// - Parameter end: called with the observer's number if its stream overflows.
    func addStream(_ end: @escaping (Int) -> Void) -> AsyncStream<ContextEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: ContextEvent.self, bufferingPolicy: .bufferingOldest(Self.mostEvents))
        let number = lastNumber + 1
        streams[number] = continuation
        _ = add { notification in
            if case .enqueued = continuation.yield(ContextEvent(notification)) { return }
            continuation.finish()
            end(number)
        }
        return stream
    }

    /// Removes an observer. The closure is kept alive until the access ends, because releasing it
    /// may end another observation.
    func remove(_ number: Int) {
        streams[number] = nil
        let old = observers.removeValue(forKey: number)
        withExtendedLifetime(old) {}
    }

    /// Finishes all streams and removes all observers.
    func removeAll() {
        for stream in streams.values { stream.finish() }
        streams = [:]
        let old = observers
        observers = [:]
        withExtendedLifetime(old) {}
    }

    /// Calls all observers in the order in which they were added.
    func post(_ notification: ContextNotification) {
        for (_, receive) in observers.sorted(by: { $0.key < $1.key }) { receive(notification) }
    }
}

extension ContextEvent {
    fileprivate init(_ notification: ContextNotification) {
        self =
            switch notification {
            case .objectsDidChange(let objects): .objectsDidChange(objects.identities)
            case .willSave: .willSave
            case .didSave(let objects): .didSave(objects.identities)
            case .didMergeChanges(let identities): .didMergeChanges(identities)
            }
    }
}
