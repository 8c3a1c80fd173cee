/// Whose place in a fetch's result unsaved changes may have changed.

import SteleModel
import StelePersistence
import StelePredicates

/// Finds the objects of a fetch that are changed, or that a path leads from to one that is.
///
/// An object's result differs from the store's only where its own row or members are changed, or
/// where a path of the predicate or the order leads, as links are now, to an object of which that
/// holds: up to the first change on the way both follow the same links. So the paths are walked
/// back from all changed objects.
struct AffectedObjects {
    private let context: ManagedObjectContext
    private let request: FetchRequest
    private let model: Model

    init(_ context: ManagedObjectContext, _ request: FetchRequest) {
        self.context = context
        self.request = request
        model = context.model
    }

    /// Their keys; nil where any object may be one.
    func keys() throws -> Set<Int64>? {
        let paths = RelationshipPaths(request, model)
        if paths.isUnbounded { return nil }
        let changed = changedObjects()
        var found = keys(in: changed, of: request.entity)
        for path in paths.paths {
            var reached: Set<Int64> = []
            for index in path.reversed() {
                let relationship = model.relationships[index]
                reached.formUnion(keys(in: changed, of: model.destination(of: relationship)))
                reached = try owners(relationship, of: reached)
            }
            found.formUnion(reached)
        }
        return found
    }

    private func keys(in objects: Set<ObjectID>, of entity: Entity) -> Set<Int64> {
        Set(objects.lazy.filter { $0.root == entity.root }.map(\.key))
    }

    private func changedObjects() -> Set<ObjectID> {
        let changes = context.changes
        var found = Set((changes.inserted + changes.touched + changes.deleted).map(\.id))
        for (place, state) in context.toManys.states where state.hasChanges {
            found.insert(context.model.ownerID(place))
        }
        return found
    }

    /// The objects that lead to those, as links are now; changed ones need not be among them.
    private func owners(
        _ relationship: Relationship, of members: Set<Int64>
    ) throws -> Set<Int64> {
        if members.isEmpty { return [] }
        guard let inverse = model.inverse(of: relationship) else {
            let saved = members.filter { $0 > 0 || context.parent != nil }.sorted()
            if saved.isEmpty { return [] }
            let request = relationship.request(leadingTo: saved, in: model)
            return Set(try context.snapshots(request).map(\.key))
        }
        if inverse.isToMany {
            try context.toManys.fire(inverse, owners: members.sorted())
            var found: Set<Int64> = []
            for key in members {
                found.formUnion(context.toManys[inverse, key]?.members(ordered: false) ?? [])
            }
            return found
        }
        var objects = Array(
            try context.loader.destinations(relationship, members.sorted()).values)
        objects += members.compactMap { context.loader.known(relationship, $0) }
            .filter(\.isDeleted)
        return Set(objects.compactMap { $0.key(in: inverse) })
    }
}
