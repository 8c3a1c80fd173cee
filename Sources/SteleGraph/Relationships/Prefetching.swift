import SteleModel
import StelePersistence
import StelePredicates

/// Prefetches the objects on relationship paths, with one query for each relationship of each path.
struct Prefetching: RelationshipPart {
    let relationships: RelationshipMaintenance

    init(_ relationships: RelationshipMaintenance) { self.relationships = relationships }

    /// Implements `ManagedObjectContext.prefetch(_:for:)`.
    func prefetch(_ paths: [String], for objects: [ManagedObject]) throws {
        var groups: [Int: [ManagedObject]] = [:]
        for object in objects { groups[object.entity.index, default: []].append(object) }
        try loader.view.inOneView {
            for path in paths {
                for (entity, objects) in groups.sorted(by: { $0.key < $1.key }) {
                    let steps = try KeyPathResolution.relationships(
                        path, from: model.entities[entity], in: model)
                    try prefetch(steps, for: objects)
                }
            }
        }
    }

    private func prefetch(_ steps: [Relationship], for objects: [ManagedObject]) throws {
        var reached = objects
        for relationship in steps {
            try loader.fire(reached)
            var seen = Set<Int64>()
            let owners = reached.filter { !$0.isDeleted && seen.insert($0.objectID.key).inserted }
            reached =
                relationship.isToMany
                ? try prefetchMembers(relationship, of: owners)
                : try prefetchDestinations(relationship, of: owners)
        }
    }

    private func prefetchDestinations(
        _ relationship: Relationship, of owners: [ManagedObject]
    ) throws -> [ManagedObject] {
        let keys = Set(owners.compactMap { $0.key(in: relationship) })
        return Array(try loader.destinations(relationship, keys.sorted()).values)
    }

    /// Reads the members and their values with one query.
    private func prefetchMembers(
        _ relationship: Relationship, of owners: [ManagedObject]
    ) throws -> [ManagedObject] {
        let places = owners.map { ToManyID(relationship, $0.objectID.key) }
        let unread = places.filter { !toManys.isNew($0) && toManys[$0]?.isFault ?? true }.map(
            \.owner)
        let root = model.destination(of: relationship).root
        var members: [Int64: [Int64]] = [:]
        var reached: [ManagedObject] = []
        for (owner, snapshot) in try loader.memberSnapshots(of: relationship, owners: unread) {
            members[owner, default: []].append(snapshot.key)
            loader.keep(snapshot, root: root)
            reached.append(loader.object(from: snapshot))
        }
        for owner in unread { toManys.takeStored(members[owner] ?? [], relationship, of: owner) }
        let keys = places.flatMap { toManys[$0]?.members(ordered: false) ?? [] }
        reached += try loader.destinations(relationship, Set(keys).sorted()).values
        return reached
    }
}
