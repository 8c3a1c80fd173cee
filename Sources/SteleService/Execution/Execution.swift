/// Executes plans, each in a context of its own, on the caller's thread.

import SteleAnswers
import SteleGraph
import SteleModel
import StelePersistence
import StelePredicates
import SteleRequests

/// What all plans of a service are executed with.
struct Execution: Sendable {
    let coordinator: PersistentStoreCoordinator
    let forms: BodyForms
    let limits: Limits
    /// The places of answers that keep a reader while the client takes them.
    let streams: Places
    /// The budget for reading of one plan; beyond it, reading throws `StoreError.overBudget`.
    var budget: ReadBudget?
    /// A transaction with which a read may be answered by a replica; nil for the newest state.
    var since: Int64?
    /// What the sender may do.
    var rights = Rights()
    /// Whether the client still waits for what is read; nil where that is not asked.
    var isWanted: (@Sendable () -> Bool)?
    /// The editing context that plans are executed in; nil for the store.
    var editing: EditingContext?

    var model: Model { coordinator.model }

    /// Runs `body` in a context that is closed at the end: a new one, or a child of the editing
    /// context, which reads the unsaved data there.
    func reading<R>(_ body: (ManagedObjectContext) throws -> R) throws -> R {
        if let editing {
            let child = ManagedObjectContext(parent: editing.graph)
            defer { child.close() }
            // All that one request reads is the same state of the store.
            return try editing.graph.inOneView { try body(child) }
        }
        let context = ManagedObjectContext(
            coordinator, budget: budget, since: since, sight: rights.sight, isWanted: isWanted)
        defer { context.close() }
        return try body(context)
    }

    /// Counts the objects of a list, unless the client has the current count.
    func count(
        _ plan: CountPlan, _ terms: Terms, _ context: ManagedObjectContext
    ) throws -> Outcome {
        let tag = try listTag(plan.isVolatile ? nil : plan.tagHash, of: plan.source, context)
        if let unchanged = try terms.unchanged(tag) { return unchanged }
        let request = try restricted(plan.request, to: plan.source, context)
        return .count(try context.count(request), tag: tag)
    }

    /// Whether an answer may change although the store does not: it calls such a function, or shows
    /// what a class computes.
    func isVolatile(_ plan: ListPlan) -> Bool {
        plan.isVolatile || computes(plan.request.entity, plan.shape)
    }

    /// Whether rows show transient values that a class computes.
    func computes(_ entity: Entity, _ shape: Shape) -> Bool {
        guard coordinator.computesTransients else { return false }
        if !shape.inclusion.isEmpty { return true }
        return switch shape {
        case .objects: entity.subtree.contains(where: coordinator.computesTransients)
        case .columns(let columns, _), .rows(let columns, _):
            columns.contains { if case .transient = $0.source { true } else { false } }
        }
    }

    /// The tag of a list; nil for an answer that may change although the store does not.
    /// - Throws: `Problem`, 404, if the owner of the list does not exist.
    func listTag(
        _ hash: UInt64?, of source: Source, _ context: ManagedObjectContext
    ) throws -> String? {
        switch source {
        case .entity: break
        case .members(let owner, _), .fetched(let owner, _): _ = try existing(owner, context)
        }
        guard let hash else { return nil }
        return EntityTags.list(
            generation: try context.cacheGeneration(), token: try context.token(),
            hash: hash)
    }

    /// The request for the source of a list, whose owner exists.
    func restricted(
        _ request: FetchRequest, to source: Source, _ context: ManagedObjectContext
    ) throws -> FetchRequest {
        guard case .members(let owner, let relationship) = source else { return request }
        let membership: Predicate
        if let inverse = model.inverse(of: relationship), !inverse.isToMany {
            membership = .comparison(
                Comparison(.key(inverse.name), .equal, .constant(.key(owner.key))))
        } else {
            let keys = try context.memberKeys(of: relationship, owners: [owner.key])[owner.key]
            membership = keys.map { .isOne(of: $0) } ?? .constant(false)
        }
        return request.and(membership)
    }

    /// The snapshot of an object.
    /// - Throws: `Problem`, 404, if it does not exist.
    func existing(_ owner: ObjectAddress, _ context: ManagedObjectContext) throws -> Snapshot {
        guard let snapshot = try context.snapshot(owner.id),
            owner.entity.isKind(snapshot.entity)
        else { throw Self.missing(owner) }
        return snapshot
    }

    /// The error for an object that does not exist.
    static func missing(_ object: ObjectAddress) -> Problem {
        Problem(.object, "there is no \(object.entity.name) \(TemporaryID.text(object.key))")
    }
}

extension ManagedObjectContext {
    /// The object at an address.
    /// - Throws: `Problem`, 404, if it does not exist.
    func object(at address: ObjectAddress) throws -> ManagedObject {
        if let object = try object(entity: address.entity, key: address.key) { return object }
        throw Execution.missing(address)
    }
}

extension Terms {
    /// The answer to a client that has the current state; nil for any other client.
    /// - Parameters:
    ///   - version: the version of the object in the answer; nil for a list.
    ///   - isComputed: whether the answer shows what a class computes, which may change although the
    ///     version does not, so that no client is known to have it.
    /// - Throws: `Problem`, 412, if `If-Match` names another state.
    func unchanged(
        _ tag: String?, version: Int64? = nil, isComputed: Bool = false
    ) throws -> Outcome? {
        try checkMatch(tag, version: version)
        if isComputed { return nil }
        return known(tag).map { .notModified(tag: $0) }
    }

    /// Checks `If-Match`. For an object only the version is compared.
    private func checkMatch(_ tag: String?, version: Int64?) throws {
        guard case .tags(let tags)? = ifMatch else { return }
        let holds = tags.contains { given in
            if given.isWeak { return false }
            if let version { return EntityTags.version(of: given.opaque) == version }
            return given.opaque == tag
        }
        if holds { return }
        if EntityTags.areWeak(tags) {
            throw Problem(
                .precondition, EntityTags.weakDetail,
                hint: "\(EntityTags.weakHint), or read it without If-Match")
        }
        throw Problem(
            .precondition, "If-Match names another state than the current one",
            hint: "read it again without If-Match")
    }

    /// The tag as `If-None-Match` names it; nil if it does not. It ends with `;gz` if the client
    /// has the gzip variant, because a 304 must name that variant (RFC 9111, 4.3.4).
    private func known(_ tag: String?) -> String? {
        guard let tag else { return nil }
        for given in ifNoneMatch {
            if given.opaque == tag { return given.isPacked ? tag + ";gz" : tag }
            if given.opaque == "*", !given.isQuoted { return tag }
        }
        return nil
    }
}
