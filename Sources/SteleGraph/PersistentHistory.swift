import FoundationEssentials
import SteleModel
import StelePersistence

/// A save in the history (NSPersistentHistoryTransaction).
public struct PersistentHistoryTransaction: Sendable {
    /// The number of the save, which is the token to ask for what follows it (`token`,
    /// `transactionNumber`).
    public let token: Int64
    /// The time of the save (`timestamp`).
    public let timestamp: Date
    /// The author of the context that saved (`author`).
    public let author: String?
    /// The name of the context that saved (`contextName`).
    public let contextName: String?
    /// The changed objects, in the order of the save (`changes`).
    public let changes: [PersistentHistoryChange]
}

/// The change of one object in a save (NSPersistentHistoryChange).
public struct PersistentHistoryChange: Sendable {
    /// Whether the object was inserted, updated or deleted (`changeType`).
    public let changeType: ObjectChange.Kind
    /// The object's ID (`changedObjectID`).
    public let changedObjectID: ObjectID
    /// The name of the object's entity.
    public let entityName: String
    /// The names of the properties that an update changed (`updatedProperties`); nil for an insert
    /// and a delete, and where another program kept none.
    public let updatedProperties: Set<String>?
}

extension PersistentStoreCoordinator {
    /// The saves after a token, the oldest first (NSPersistentHistoryChangeRequest.fetchHistory).
    /// - Parameters:
    ///   - token: that of the last known save; 0 for all.
    ///   - limit: the most saves to return, at least 1; nil for all.
    /// - Throws: `StoreError.expired` if saves after the token have been deleted from the history
    ///   (NSPersistentHistoryTokenExpiredError), and other errors of reading.
    public func history(
        after token: Int64 = 0, limit: Int? = nil
    ) throws(StoreError) -> [PersistentHistoryTransaction] {
        let reader = try store.reader()
        defer { reader.close() }
        if token > 0, try reader.lacksHistory(after: token) { throw .expired(after: token) }
        return try reader.history(after: token, limit: max(limit ?? .max, 1), values: false)
            .map { PersistentHistoryTransaction($0, model) }
    }
}

extension PersistentHistoryTransaction {
    init(_ save: HistoryTransaction, _ model: Model) {
        token = save.number
        timestamp = Date(timeIntervalSinceReferenceDate: save.timestamp)
        author = save.author
        contextName = save.contextName
        changes = save.changes.compactMap { change in
            guard model.entities.indices.contains(change.entity) else { return nil }
            let entity = model.entities[change.entity]
            return PersistentHistoryChange(
                changeType: change.kind,
                changedObjectID: ObjectID(root: entity.root, key: change.key),
                entityName: entity.name,
                updatedProperties: change.kind == .update
                    ? change.before.map { Set($0.map { $0.name(in: entity, model) }) } : nil)
        }
    }
}

extension BeforeValue {
    /// The name of the property.
    fileprivate func name(in entity: Entity, _ model: Model) -> String {
        switch self {
        case .slot(let slot, _): entity.slots[slot].name
        case .members(let relationship, _, _): model.relationships[relationship].name
        }
    }
}
