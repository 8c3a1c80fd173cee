/// What came of a save.

import SteleModel

/// What a save has made of its request.
public struct SaveResult: Sendable {
    /// The number of the save's transaction; the read token where nothing was left to change.
    public var token: Int64
    /// The permanent keys of new objects, by their negative ones.
    public var permanentKeys: PermanentKeys
    /// Of new objects that a merge policy has brought together with others: the others' keys, by
    /// their negative ones.
    public var replacedKeys = PermanentKeys()
    /// What was changed, as the history tells it, each with the object as it is now.
    public var changes: [HistoryChange]

    public init(
        token: Int64, permanentKeys: PermanentKeys = PermanentKeys(), changes: [HistoryChange] = []
    ) {
        self.token = token
        self.permanentKeys = permanentKeys
        self.changes = changes
    }
}

/// What came of a save, to look objects up in.
public struct SavedObjects: Sendable {
    private struct Name: Hashable {
        var entity: Int
        var key: Int64
    }

    private let result: SaveResult
    /// The places in `changes`; empty where there are few.
    private var places: [Name: Int] = [:]
    /// Up to how many changes are looked through.
    private static let few = 8

    public init(_ result: SaveResult) {
        self.result = result
        if result.changes.count <= Self.few { return }
        places.reserveCapacity(result.changes.count)
        for (place, change) in result.changes.enumerated() {
            places[Name(entity: change.entity, key: change.key)] = place
        }
    }

    /// The object's key after the save, whether or not it was new.
    public func key(of id: ObjectID) -> Int64 { result.permanentKeys[id] ?? id.key }

    /// A changed object as it is now; nil for one that the save did not change, or deleted.
    /// - Parameters:
    ///   - entity: the index of its concrete entity.
    ///   - key: its key after the save.
    public func snapshot(entity: Int, key: Int64) -> Snapshot? {
        let place =
            places.isEmpty
            ? result.changes.lastIndex { $0.key == key && $0.entity == entity }
            : places[Name(entity: entity, key: key)]
        return place.flatMap { result.changes[$0].snapshotAfter }
    }
}

extension HistoryChange {
    /// The object after the save; nil for a delete, and where it is not known.
    public var snapshotAfter: Snapshot? { kind == .delete ? nil : snapshot }
}
