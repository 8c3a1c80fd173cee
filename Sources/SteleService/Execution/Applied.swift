/// What a write has done in its context, kept until its save is known.

import SteleGraph
import SteleModel
import StelePersistence

/// An object that a write made or changed.
enum Written {
    /// In its context.
    case object(ManagedObject)
    /// Without its context, as it was before the save.
    case snapshot(ObjectID, Snapshot)

    init(_ object: ManagedObject) { self = .object(object) }

    private var id: ObjectID {
        switch self {
        case .object(let object): object.id
        case .snapshot(let id, _): id
        }
    }

    private var snapshot: Snapshot {
        switch self {
        case .object(let object): object.snapshot
        case .snapshot(_, let snapshot): snapshot
        }
    }

    /// The same without its context.
    func detached() -> Written { .snapshot(id, snapshot) }

    /// The object as it is stored after that save.
    func stored(after save: SaveResult) -> Snapshot {
        save.snapshots[ObjectID(root: id.root, key: key(after: save))] ?? snapshot
    }

    /// The object's key after that save.
    func key(after save: SaveResult) -> Int64 { save.permanentKeys[id] ?? id.key }
}

/// What a write did, before its save is known.
enum Applied {
    case created([Written], isArray: Bool, Entity)
    case changed(Written)
    case members([Written])
    case destination(Written?)
    case done

    /// The same without its context.
    func detached() -> Applied {
        switch self {
        case .created(let all, let isArray, let entity):
            .created(all.map { $0.detached() }, isArray: isArray, entity)
        case .changed(let one): .changed(one.detached())
        case .members(let all): .members(all.map { $0.detached() })
        case .destination(let one): .destination(one?.detached())
        case .done: .done
        }
    }

    /// What came of it.
    func outcome(after save: SaveResult) throws -> Outcome {
        switch self {
        case .created(let all, let isArray, let entity):
            .created(all.map { $0.stored(after: save) }, isArray: isArray, entity: entity)
        case .changed(let one): .changed(one.stored(after: save))
        case .members(let all): .members(all.map { $0.key(after: save) })
        case .destination(let one): .destination(one?.key(after: save))
        case .done: .done
        }
    }
}
