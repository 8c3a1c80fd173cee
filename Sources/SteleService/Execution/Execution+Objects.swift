// Single objects: by id, across a to-one relationship, and as members of a to-many one.

import SteleAnswers
import SteleGraph
import SteleModel
import StelePersistence
import StelePredicates
import SteleRequests

extension Execution {
    /// Reads a single object.
    func object(
        _ plan: ObjectPlan, _ terms: Terms, _ context: ManagedObjectContext
    ) throws -> Outcome {
        guard let snapshot = try snapshot(of: plan.target, context) else {
            return try nothing(plan, terms, context)
        }
        let tag = try tag(of: snapshot, plan, context)
        let isComputed = computes(plan.entity, plan.shape)
        let unchanged = try terms.unchanged(
            tag, version: snapshot.version, isComputed: isComputed)
        if let unchanged { return unchanged }
        var rows = FetchedRows.objects([snapshot])
        if case .columns = plan.shape {
            var request = FetchRequest(entity: plan.entity)
            request.predicate = .comparison(
                Comparison(.key("_id"), .equal, .constant(.key(snapshot.key))))
            request.propertiesToFetch = plan.columns
            request.isChecked = true
            rows = .values(try context.currentRows(request))
            guard rows.count == 1 else {
                throw Self.missing(ObjectAddress(plan.entity, key: snapshot.key))
            }
        }
        return .object(
            ListOutcome(
                rows: rows, entity: plan.entity, shape: plan.shape,
                embedded: try Embedding.embedded(in: rows, plan.shape, context, limits: limits),
                tag: tag))
    }

    /// The outcome of a to-one relationship without a destination.
    private func nothing(
        _ plan: ObjectPlan, _ terms: Terms, _ context: ManagedObjectContext
    ) throws -> Outcome {
        if plan.isVolatile { return .null(tag: nil) }
        let tag = EntityTags.destination(
            version: 0, key: 0, generation: try context.cacheGeneration(),
            token: try context.token(), hash: plan.tagHash)
        if let unchanged = try terms.unchanged(tag) { return unchanged }
        return .null(tag: tag)
    }

    /// The object; nil for a to-one relationship without a destination.
    /// - Throws: `Problem`, 404, if the object, the owner or the member does not exist.
    private func snapshot(
        of target: ObjectPlan.Target, _ context: ManagedObjectContext
    ) throws -> Snapshot? {
        switch target {
        case .object(let owner): return try existing(owner, context)
        case .toOne(let owner, let relationship):
            let values = try existing(owner, context).values
            guard values.indices.contains(relationship.slot),
                case .key(let key) = values[relationship.slot]
            else { return nil }
            let root = model.destination(of: relationship).root
            return try context.snapshot(ObjectID(root: root, key: key))
        case .member(let owner, let relationship, let key):
            _ = try existing(owner, context)
            let keys = try context.memberKeys(of: relationship, owners: [owner.key])[owner.key]
            guard keys?.contains(key) ?? false else {
                throw Self.notAMember(key, owner, relationship)
            }
            let root = model.destination(of: relationship).root
            return try context.snapshot(ObjectID(root: root, key: key))
        }
    }

    static func notAMember(_ key: Int64, _ owner: ObjectAddress, _ relationship: Relationship)
        -> Problem
    {
        Problem(
            .member,
            "\(TemporaryID.text(key)) is not in \(relationship.name) of \(owner.entity.name) "
                + TemporaryID.text(owner.key))
    }

    private func tag(
        of snapshot: Snapshot, _ plan: ObjectPlan, _ context: ManagedObjectContext
    ) throws -> String? {
        if plan.isVolatile { return nil }
        let generation = try context.cacheGeneration()
        // What a relationship leads to may be seen or not without another version of the object.
        if plan.shape.isPlain, case .object = plan.target, rights.sight == nil,
            !forms.hasDerived(snapshot.entity)
        {
            return EntityTags.plain(version: snapshot.version, generation: generation)
        }
        if case .toOne = plan.target {
            return EntityTags.destination(
                version: snapshot.version, key: snapshot.key, generation: generation,
                token: try context.token(), hash: plan.tagHash)
        }
        return EntityTags.object(
            version: snapshot.version, generation: generation, token: try context.token(),
            hash: plan.tagHash)
    }
}
