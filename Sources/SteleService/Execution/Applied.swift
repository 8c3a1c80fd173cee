/// The effect of a write in its context, until its save is known.

import SteleAnswers
import SteleGraph
import SteleModel
import StelePersistence

/// An object that a write made or changed.
struct Written: Sendable {
    private let id: ObjectID
    /// The index of the concrete entity.
    private let entity: Int
    /// The object if the save does not change it; nil for a new object, which every save changes.
    private let unchanged: Snapshot?

    init(_ object: ManagedObject) {
        id = object.objectID
        entity = object.entity.index
        unchanged = object.isInserted ? nil : object.snapshot
    }

    func stored(after save: SavedObjects) -> Snapshot? {
        save.snapshot(entity: entity, key: key(after: save)) ?? unchanged
    }

    func key(after save: SavedObjects) -> Int64 { save.key(of: id) }
}

/// The effect of a write, before its save is known.
enum Applied: Sendable {
    /// `isNew` is false if an upsert made no object.
    case created([Written], isArray: Bool, isNew: Bool, Entity)
    case changed(Written)
    case members([Written])
    case destination(Written?)
    case operations([AppliedOperation])
    /// The number of objects of a fetch that were changed or deleted.
    case changedAll(Int)
    case deletedAll(Int)
    case done

    func outcome(after result: SaveResult) -> Outcome {
        let save = SavedObjects(result)
        return switch self {
        case .created(let all, let isArray, let isNew, let entity):
            .created(
                all.compactMap { $0.stored(after: save) }, isArray: isArray, isNew: isNew,
                entity: entity)
        case .changed(let one): one.stored(after: save).map(Outcome.changed) ?? .done
        case .members(let all): .members(all.map { $0.key(after: save) })
        case .destination(let one): .destination(one?.key(after: save))
        case .operations(let all): .operations(all.map { $0.outcome(after: save) })
        case .changedAll(let count): .updatedAll(count)
        case .deletedAll(let count): .deletedAll(count)
        case .done: .done
        }
    }
}

/// A write whose changes are made and not yet saved.
struct MadeWrite: Sendable {
    /// The save; nil if nothing changes.
    let request: SaveRequest?
    let applied: Applied
    /// The places of the body's new objects, by their keys.
    let places: [(key: Int64, path: [String])]
    /// The token of the data that it was made from; 0 for new objects that were made from none.
    let token: Int64

    var unchanged: Outcome { applied.outcome(after: SaveResult(token: token)) }

    /// An error of its save, with the places of the body's objects.
    func placing(_ error: StoreError) -> any Error {
        guard case .constraint(let conflict) = error else { return error }
        return Placed(conflict, places: places)
    }
}
