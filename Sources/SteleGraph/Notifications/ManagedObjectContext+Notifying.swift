/// Telling observers what has changed.

import SteleModel
import StelePersistence

extension ManagedObjectContext {
    /// Tells of what happens in the context, on its thread, until the result is dropped or
    /// cancelled.
    public func observe(
        _ receive: @escaping (ContextNotification) -> Void
    ) -> ContextObservation {
        ContextObservation(self, addObserver(receive))
    }

    /// The most events that wait for who reads them.
    static let mostEvents = 1_000

    /// The same as a stream of identities, for other threads. It ends with the context, when nobody
    /// reads it any more, or after 1,000 events that nobody has read: who sees it end while the
    /// context lives has missed something, and asks for another and what is there.
    public func events() -> AsyncStream<ContextEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: ContextEvent.self, bufferingPolicy: .bufferingOldest(Self.mostEvents))
        var number: Int?
        number = addObserver { [weak self] notification in
            let event: ContextEvent =
                switch notification {
                case .objectsDidChange(let objects): .objectsDidChange(objects.identities)
                case .willSave: .willSave
                case .didSave(let objects): .didSave(objects.identities)
                case .didMergeChanges(let identities): .didMergeChanges(identities)
                }
            if case .enqueued = continuation.yield(event) { return }
            continuation.finish()
            if let number {
                self?.removeObserver(number)
                self?.streams[number] = nil
            }
        }
        if let number { streams[number] = continuation }
        return stream
    }

    private func addObserver(_ receive: @escaping (ContextNotification) -> Void) -> Int {
        observerCount += 1
        observers[observerCount] = receive
        updateJournaling()
        return observerCount
    }

    /// What an observer held may end another's observation when it goes: it outlives the access.
    func removeObserver(_ number: Int) {
        let old = observers.removeValue(forKey: number)
        updateJournaling()
        withExtendedLifetime(old) {}
    }

    /// Tells nobody any longer; as `removeObserver`.
    func removeAllObservers() {
        let old = observers
        observers = [:]
        withExtendedLifetime(old) {}
    }

    func post(_ notification: @autoclosure () -> ContextNotification) {
        if observers.isEmpty { return }
        let notification = notification()
        for (_, receive) in observers.sorted(by: { $0.key < $1.key }) { receive(notification) }
    }

    func post(_ changed: ChangedObjects) {
        if !changed.isEmpty { post(.objectsDidChange(changed)) }
    }

    /// Who is changed by what was written down, each once.
    func changedObjects(in entries: some Sequence<JournalEntry>) -> ChangedObjects {
        var seen: Set<ObjectIdentifier> = []
        var new: Set<ObjectIdentifier> = []
        var (all, inserted, deleted): ([ManagedObject], [ManagedObject], [ManagedObject]) =
            ([], [], [])
        func add(_ object: ManagedObject?) {
            if let object, seen.insert(ObjectIdentifier(object)).inserted { all.append(object) }
        }
        for entry in entries {
            switch entry {
            case .inserted(let object), .restored(let object):
                add(object)
                if new.insert(ObjectIdentifier(object)).inserted { inserted.append(object) }
            case .deleted(let object):
                add(object)
                deleted.append(object)
            default: for object in objects(of: entry) { add(object) }
            }
        }
        var changed = ChangedObjects()
        changed.inserted = inserted.filter { !$0.isDeleted }
        changed.deleted = deleted.filter { $0.isDeleted && !new.contains(ObjectIdentifier($0)) }
        changed.updated = all.filter { !$0.isDeleted && !new.contains(ObjectIdentifier($0)) }
        return changed
    }

    /// The objects that an entry is of: of a link both, as far as they are known.
    func objects(of entry: JournalEntry) -> [ManagedObject] {
        switch entry {
        case .inserted(let object), .restored(let object), .deleted(let object): return [object]
        case .slot(let object, let slot, let old):
            guard case .relationship(let relationship) = object.entity.slots[slot] else {
                return [object]
            }
            var found = [object]
            for case .key(let key) in [old, object.value(slot)] {
                if let other = known(destinationID(relationship, key)) { found.append(other) }
            }
            return found
        case .cut(_, let relationship, let key):
            return known(destinationID(relationship, key)).map { [$0] } ?? []
        case .member(let relationship, let owner, let member, _):
            let place = ToManyID(relationship: relationship.index, owner: owner)
            return [known(ownerID(place)), known(destinationID(relationship, member))]
                .compactMap { $0 }
        case .position(let relationship, let owner, _, _), .order(let relationship, let owner, _):
            let place = ToManyID(relationship: relationship.index, owner: owner)
            return known(ownerID(place)).map { [$0] } ?? []
        }
    }
}
