/// Fetches what `include` embeds, with one query for each level.

import SteleGraph
import SteleModel
import StelePersistence
import StelePredicates
import SteleRequests

/// Fetches what is embedded, up to a maximum number of objects.
package struct Embedding {
    let context: ManagedObjectContext
    let limits: Limits
    private var objects = 0

    init(_ context: ManagedObjectContext, limits: Limits) {
        self.context = context
        self.limits = limits
    }

    /// Fetches what is embedded in whole objects.
    mutating func below(_ owners: [Snapshot], _ inclusion: Inclusion) throws -> Embedded {
        var embedded = Embedded()
        for branch in inclusion.branches {
            var keys: [Int64] {
                owners.compactMap { branch.owners.contains($0.entity) ? $0.key : nil }
            }
            switch branch.kind {
            case .fetched(let property):
                try embedded.levels.append(fetched(property, branch.below, owners: keys))
            case .relationship(let relationship) where relationship.isToMany:
                try embedded.levels.append(members(relationship, branch.below, owners: keys))
            case .relationship(let relationship):
                var keys: [Int64] = []
                for owner in owners
                where branch.owners.contains(owner.entity)
                    && owner.values.indices.contains(relationship.slot)
                {
                    if case .key(let key) = owner.values[relationship.slot] { keys.append(key) }
                }
                try embedded.levels.append(
                    destinations(relationship, branch.below, keys: keys.distinct()))
            }
        }
        if embedded.levels.contains(where: { $0.weights != nil }) {
            try check(owners.reduce(-owners.count) { Embedded.sum($0, embedded.weight(with: $1)) })
        }
        return embedded
    }

    /// Fetches the destinations of a to-one relationship, and what is below them.
    mutating func destinations(
        _ relationship: Relationship, _ inclusion: Inclusion, keys: [Int64]
    ) throws -> Embedded.Level {
        let root = context.model.destination(of: relationship).root
        let found = try context.snapshots(root: root, keys: keys)
        let place = try spend(found.count)
        let below = inclusion.isEmpty ? .none : try below(Array(found.values), inclusion)
        return Embedded.Level(
            relationship: relationship.index, content: .destinations(found), below: below,
            slot: relationship.slot, owners: context.model.entities[relationship.owner].subtree,
            place: place)
    }

    /// Fetches the whole objects of rows.
    mutating func objects(of root: Int, _ keys: [Int64]) throws -> Embedded.Level {
        let found = try context.snapshots(root: root, keys: keys)
        let place = try spend(found.count)
        return Embedded.Level(
            relationship: Embedded.rowObjects, content: .destinations(found), below: .none,
            place: place)
    }

    /// Fetches the members of a to-many relationship, and what is below them.
    mutating func members(
        _ relationship: Relationship, _ below: Inclusion, owners: [Int64]
    ) throws -> Embedded.Level {
        let pairs = try context.memberSnapshots(of: relationship, owners: owners.distinct())
        let place = try spend(pairs.count)
        return try level(relationship.index, pairs, limit: nil, below, place)
    }

    /// Fetches the ids of a to-many relationship's members.
    mutating func keys(
        _ relationship: Relationship, owners: [Int64]
    ) throws -> Embedded.Level {
        let keys = try context.memberKeys(of: relationship, owners: owners)
        let place = try spend(keys.values.reduce(0) { $0 + $1.count })
        return Embedded.Level(
            relationship: relationship.index, content: .keys(keys), below: .none, place: place)
    }

    /// Counts the objects of a level that is written once more.
    mutating func spend(_ level: Embedded.Level) throws {
        switch level.content {
        case .destinations(let found): objects += found.count
        case .members(let all): objects += all.values.reduce(0) { $0 + $1.count }
        case .keys(let all): objects += all.values.reduce(0) { $0 + $1.count }
        }
        try check(objects)
    }

    /// Fetches the objects that a fetched property gives for each owner, and what is below them.
    /// One statement joins the owners to the objects.
    mutating func fetched(
        _ property: FetchedProperty, _ below: Inclusion, owners: [Int64]
    ) throws -> Embedded.Level {
        var request = property.request(for: owners.distinct())
        // One more than allowed tells that there are too many.
        request.fetchLimit = limits.includedObjects - objects + 1
        let pairs = owners.isEmpty ? [] : try fetched(request)
        let place = try spend(pairs.count)
        return try level(property.index, pairs, limit: property.limit, below, place)
    }

    private func fetched(
        _ request: FetchRequest
    ) throws -> [(owner: Int64, member: Snapshot)] {
        guard context.parent != nil, let source = request.source else {
            return try context.reader().fetchedSnapshots(request)
        }
        // Unsaved objects are found for one owner after the other.
        return try source.keys.flatMap { owner in
            var its = request
            its.source = FetchSource(entity: source.entity, keys: [owner])
            its.isChecked = true
            return try context.snapshots(its).map { (owner: owner, member: $0) }
        }
    }

    private mutating func level(
        _ index: Int, _ pairs: [(owner: Int64, member: Snapshot)], limit: Int?,
        _ inclusion: Inclusion, _ place: EmbeddedPlace
    ) throws -> Embedded.Level {
        var members: [Int64: [Snapshot]] = [:]
        for pair in pairs where limit.map({ members[pair.owner]?.count ?? 0 < $0 }) ?? true {
            members[pair.owner, default: []].append(pair.member)
        }
        var below = Embedded.none
        if !inclusion.isEmpty {
            var distinct: [Int64: Snapshot] = [:]
            for all in members.values { for member in all { distinct[member.key] = member } }
            below = try self.below(Array(distinct.values), inclusion)
        }
        return Embedded.Level(
            relationship: index, content: .members(members), below: below, place: place)
    }

    /// Counts what a level writes for rows with these destinations or owners. An object is written
    /// once for each path that leads to it, so a few objects can make an answer without end.
    func check(_ level: Embedded.Level, _ keys: some Sequence<Int64>) throws {
        guard level.weights != nil else { return }
        try check(keys.reduce(0) { Embedded.sum($0, level.weight(of: $1)) })
    }

    /// Counts objects that have been read.
    private mutating func spend(_ count: Int) throws -> EmbeddedPlace {
        objects += count
        try check(objects)
        return try EmbeddedPlace.take(count, of: limits.includedObjectsInAll)
    }

    private func check(_ objects: Int) throws {
        guard objects <= limits.includedObjects else {
            throw Problem(
                .parameter,
                "include and select would write more than \(limits.includedObjects) objects of "
                    + "relationships",
                hint: "ask for fewer rows, or for the relationship by its own route")
        }
    }
}

extension [Int64] {
    /// The different keys. Sorting is faster than hashing.
    func distinct() -> [Int64] {
        var distinct: [Int64] = []
        distinct.reserveCapacity(count)
        for key in sorted() where key != distinct.last { distinct.append(key) }
        return distinct
    }
}
