import SteleModel
import StelePersistence
import StelePredicates

/// Finds the objects whose membership or position in a fetch result may differ from the store's
/// because of unsaved changes.
///
/// An object is affected if its own row or members are changed, or if a path of the predicate or
/// the sort order leads from it to a changed object. Up to the first change on a path, the context
/// and the store have the same links. The paths are therefore followed backwards from all changed
/// objects.
struct AffectedObjects {
    private let context: ManagedObjectContext
    private let request: FetchRequest
    private let model: Model

    init(_ context: ManagedObjectContext, _ request: FetchRequest) {
        self.context = context
        self.request = request
        model = context.model
    }

    /// The keys of the affected objects; nil if any object may be affected.
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
        var found = Set((changes.inserted + changes.touched + changes.deleted).map(\.objectID))
        for (place, state) in context.toManys.states where state.hasChanges {
            found.insert(context.model.ownerID(place))
        }
        return found
    }

    /// The objects that lead to the members over the current links. Changed objects may be omitted.
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
