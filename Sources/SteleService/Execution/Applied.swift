/// What a write has done in its context, kept until its save is known.

import SteleAnswers
import SteleGraph
import SteleModel
import StelePersistence

/// An object that a write made or changed.
struct Written: Sendable {
    private let id: ObjectID
    /// The index of the concrete entity.
    private let entity: Int
    /// What it is where the save does not change it; nil for a new object, which every save does.
    private let unchanged: Snapshot?

    init(_ object: ManagedObject) {
        id = object.id
        entity = object.entity.index
        unchanged = object.isInserted ? nil : object.snapshot
    }

    /// The object as it is stored after that save.
    func stored(after save: SavedObjects) -> Snapshot? {
        save.snapshot(entity: entity, key: key(after: save)) ?? unchanged
    }

    /// The object's key after that save.
    func key(after save: SavedObjects) -> Int64 { save.key(of: id) }
}

/// What a write did, before its save is known.
enum Applied: Sendable {
    /// `isNew` is whether any was made, where an upsert may have found them all.
    case created([Written], isArray: Bool, isNew: Bool, Entity)
    case changed(Written)
    case members([Written])
    case destination(Written?)
    case operations([AppliedOperation])
    /// How many objects of a fetch were changed, or deleted.
    case changedAll(Int)
    case deletedAll(Int)
    case done

    /// What came of it.
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

/// A write that is made and not yet saved.
struct MadeWrite: Sendable {
    /// What is to be saved; nil where nothing changes.
    let request: SaveRequest?
    let applied: Applied
    /// The places of the body's new objects, by their keys.
    let places: [(key: Int64, path: [String])]
    /// What it was made from.
    let token: Int64

    /// What comes of it where nothing changes.
    var unchanged: Outcome { applied.outcome(after: SaveResult(token: token)) }

    /// A refusal of its save, with the places of the body's objects that it is about.
    func placing(_ error: StoreError) -> any Error {
        guard case .constraint(let conflict) = error else { return error }
        return PlacedConflict(conflict: conflict, places: places)
    }
}
