import SteleModel

/// The result of a save.
public struct SaveResult: Sendable {
    /// The number of the save's transaction, or the request's read token where nothing changed.
    public var token: Int64
    /// The permanent keys of new objects.
    public var permanentKeys: PermanentKeys
    /// The keys of existing objects that a merge policy has put in the place of new ones.
    public var replacedKeys = PermanentKeys()
    /// The changes as the history has them, each with a snapshot after the save.
    public var changes: [HistoryChange]

    /// Creates a result.
    public init(
        token: Int64, permanentKeys: PermanentKeys = PermanentKeys(), changes: [HistoryChange] = []
    ) {
        self.token = token
        self.permanentKeys = permanentKeys
        self.changes = changes
    }
}

/// The result of a save, for looking objects up.
package struct SavedObjects: Sendable {
    private struct Name: Hashable {
        var entity: Int
        var key: Int64
    }

    private let result: SaveResult
    /// The indexes in `changes`; empty where the changes are few.
    private var places: [Name: Int] = [:]
    /// Up to this number of changes a linear search is faster.
    private static let few = 8

    package init(_ result: SaveResult) {
        self.result = result
        if result.changes.count <= Self.few { return }
        places.reserveCapacity(result.changes.count)
        for (place, change) in result.changes.enumerated() {
            places[Name(entity: change.entity, key: change.key)] = place
        }
    }

    /// Returns the object's key after the save.
    package func key(of id: ObjectID) -> Int64 { result.permanentKeys[id] ?? id.key }

    /// Returns a changed object after the save; nil where the save did not change it or deleted it.
    /// - Parameters:
    ///   - entity: the index of the concrete entity.
    ///   - key: the key after the save.
    package func snapshot(entity: Int, key: Int64) -> Snapshot? {
        let place =
            places.isEmpty
            ? result.changes.lastIndex { $0.key == key && $0.entity == entity }
            : places[Name(entity: entity, key: key)]
        return place.flatMap { result.changes[$0].snapshotAfter }
    }
}
