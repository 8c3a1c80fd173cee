/// Runs plans: each in a context of its own, on the caller's thread.

import SteleAnswers
import SteleGraph
import SteleModel
import StelePersistence
import StelePredicates
import SteleRequests

/// What all plans of one service run with.
struct Execution: Sendable {
    let coordinator: PersistentStoreCoordinator
    let forms: BodyForms
    let limits: Limits
    /// Who may keep a reader while a client takes a long answer.
    let streams: StreamPlaces
    /// What one plan's reading may cost; beyond, it throws `StoreError.overBudget`.
    var budget: ReadBudget?
    /// The editing context that plans are executed in; nil for the store.
    var editing: EditingContext?

    var model: Model { coordinator.model }

    /// Runs a reading plan in a context that is closed at the end: one of its own, or a child of
    /// the editing context, which reads what is unsaved there.
    func reading<R>(_ body: (ManagedObjectContext) throws -> R) throws -> R {
        if let editing {
            let child = ManagedObjectContext(parent: editing.graph)
            defer { child.close() }
            // All that one request reads is one state of the store.
            return try editing.graph.inOneView { try body(child) }
        }
        let context = ManagedObjectContext(coordinator, budget: budget)
        defer { context.close() }
        return try body(context)
    }

    /// A count, at most once a state of the store and client.
    func count(_ plan: CountPlan, _ terms: Terms) throws -> Outcome {
        try reading { try count(plan, terms, in: $0) }
    }

    func count(
        _ plan: CountPlan, _ terms: Terms, in context: ManagedObjectContext
    ) throws -> Outcome {
        let tag = try listTag(plan.isVolatile ? nil : plan.tagHash, context)
        try terms.checkRead(tag)
        if let known = terms.known(tag) { return .notModified(tag: known) }
        let request = try restricted(plan.request, to: plan.source, context)
        guard let request else { return .count(0, tag: tag) }
        return .count(try context.count(request), tag: tag)
    }

    /// A list's tag; nil for an answer that is never the same.
    func listTag(_ hash: UInt64?, _ context: ManagedObjectContext) throws -> String? {
        guard let hash else { return nil }
        return EntityTags.list(
            generation: try context.cacheGeneration(), token: try context.token(),
            hash: hash)
    }

    /// The request for a list's source; nil where the source is empty.
    /// - Throws: `Problem`, 404, where the relationship's owner does not exist.
    func restricted(
        _ request: FetchRequest, to source: Source, _ context: ManagedObjectContext
    ) throws -> FetchRequest? {
        let (owner, relationship): (Owner, Relationship)
        switch source {
        case .entity: return request
        case .fetched(let owner, _):
            _ = try existing(owner, context)
            return request
        case .members(let it, let through): (owner, relationship) = (it, through)
        }
        _ = try existing(owner, context)
        var request = request
        let membership: Predicate
        if let inverse = model.inverse(of: relationship), !inverse.isToMany {
            membership = .comparison(
                Comparison(.key(inverse.name), .equal, .constant(.key(owner.key))))
        } else {
            let keys = try context.memberKeys(of: relationship, owners: [owner.key])[owner.key]
            guard let keys, !keys.isEmpty else { return nil }
            membership = .comparison(
                Comparison(.key("_id"), .in, .aggregate(keys.map { .constant(.int($0)) })))
        }
        request.predicate = request.predicate.map { .and([membership, $0]) } ?? membership
        request.isChecked = true
        return request
    }

    /// An owner's snapshot.
    /// - Throws: `Problem`, 404, where there is none of its entity.
    func existing(_ owner: Owner, _ context: ManagedObjectContext) throws -> Snapshot {
        guard let snapshot = try context.snapshot(owner.id),
            owner.entity.isKind(snapshot.entity)
        else { throw Self.missing(owner.entity, owner.key) }
        return snapshot
    }

    static func missing(_ entity: Entity, _ key: Int64) -> Problem {
        Problem(.object, "there is no \(entity.name) \(TemporaryID.text(key))")
    }
}

extension Terms {
    /// Holds a reader to what it names by `If-Match`, of which a version alone is compared.
    /// - Parameter version: the version of the object that the answer is of; nil for a list.
    /// - Throws: `Problem`, 412.
    func checkRead(_ tag: String?, version: Int64? = nil) throws {
        guard case .tags(let tags)? = ifMatch else { return }
        let holds = tags.contains { given in
            if let version { return EntityTags.version(of: given.opaque) == version }
            return given.opaque == tag
        }
        if holds { return }
        throw Problem(
            .precondition, "If-Match names another state than the one that is there now",
            hint: "read it anew, without If-Match")
    }

    /// The tag as `If-None-Match` names it: with the ending of the gzip variant where that is what
    /// the client holds, for a 304 must name the very variant (RFC 9111, 4.3.4). Nil where it does
    /// not name the tag.
    func known(_ tag: String?) -> String? {
        guard let tag else { return nil }
        for given in ifNoneMatch {
            if given.opaque == tag { return given.isPacked ? tag + ";gz" : tag }
            if given.opaque == "*", !given.isQuoted { return tag }
        }
        return nil
    }
}
