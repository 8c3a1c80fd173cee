/// Saving one part of an import, and keeping what later parts need of it.

import SteleGraph
import SteleModel
import StelePersistence

extension ImportRun {
    /// Saves the changes of a batch as one part.
    func save(_ context: ManagedObjectContext, _ batch: Batch) throws {
        var keys = PermanentKeys()
        var tooFew: [ValidationError] = []
        do {
            if var request = try request(context, &tooFew) {
                request.keep(batch.kept, in: plan.model)
                keys = try save.save(request).permanentKeys
                forgetNames(in: request, batch)
            }
        } catch let errors as ValidationErrors {
            throw refusal(errors, batch)
        } catch StoreError.constraint(let conflict) {
            throw try duplicate(conflict, batch)
        } catch StoreError.refused(let rule) {
            throw refusal(rule, batch)
        }
        func key(of object: ManagedObject) -> Int64 {
            batch.kept[object.objectID] ?? keys[object.objectID] ?? object.objectID.key
        }
        keepLacking(tooFew, batch) { batch.kept[$0] ?? keys[$0] ?? $0.key }
        keepIDs(batch, key)
        for (entity, objects) in batch.named {
            for (name, object) in objects { directory.note(name, of: entity, key: object.map(key)) }
        }
        for (line, made) in zip(batch.lines, batch.made) where plan.hasLinkedKeys {
            if let made { try keepNames(of: line, made, key: key(of: made.object)) }
        }
        for late in batch.late {
            guard let late else { continue }
            let owner = ObjectID(root: late.owner.objectID.root, key: key(of: late.owner))
            if plan.options.onConflict == .update {
                deferredPlaces[LinkID(owner, late.reference.relationship)] = deferred.count
            }
            deferred.append(
                Deferred(
                    owner: owner, reference: late.reference, place: late.place,
                    former: Set(late.former.map(key))))
        }
    }

    /// Keeps the relationships with too few members, which are checked at the end.
    private func keepLacking(
        _ errors: [ValidationError], _ batch: Batch, _ key: (ObjectID) -> Int64
    ) {
        if errors.isEmpty { return }
        let places = batch.places
        for error in errors {
            let id = ObjectID(root: error.entity.root, key: error.key)
            guard let it = error.property.flatMap(error.entity.relationship(named:)) else {
                continue
            }
            let link = LinkID(ObjectID(root: id.root, key: key(id)), it)
            lackingMembers[link] =
                places[id] ?? lackingMembers[link] ?? LinePlace(file: plan.files.count, number: 0)
        }
    }

    /// The request of a part.
    /// - Parameter tooFew: the relationships with too few members, which later parts may add.
    private func request(
        _ context: ManagedObjectContext, _ tooFew: inout [ValidationError]
    ) throws -> SaveRequest? {
        do { return try context.saveRequest() } catch let errors as ValidationErrors {
            let lacks = ValidationError.Kind.relationshipLacksMinimumCount.rawValue
            let others = errors.errors.filter { $0.code != lacks }
            if !others.isEmpty { throw ValidationErrors(others) }
            tooFew = errors.errors
            return try context.unvalidatedSaveRequest()
        }
    }

    /// Checks the relationships that had too few members when they were saved.
    /// - Throws: `ImportError` for the first record whose object still has too few.
    func checkMembers() throws {
        let lacking = lackingMembers.sorted {
            ($0.value.file, $0.value.number) < ($1.value.file, $1.value.number)
        }
        try inContext { context in
            for start in stride(from: 0, to: lacking.count, by: plan.recordsPerBatch) {
                let part = lacking[start..<min(start + plan.recordsPerBatch, lacking.count)]
                var counts: [LinkID: Int] = [:]
                for (index, owners) in Dictionary(grouping: part, by: \.key.relationship) {
                    let keys = owners.map(\.key.owner.key)
                    let relationship = plan.model.relationships[index]
                    for (key, members) in try context.memberKeys(of: relationship, owners: keys) {
                        let owner = ObjectID(
                            root: plan.model.entities[relationship.owner].root, key: key)
                        counts[LinkID(owner, relationship)] = members.count
                    }
                }
                for (link, place) in part {
                    try checkCount(counts[link] ?? 0, link, place)
                }
            }
        }
    }

    private func checkCount(_ count: Int, _ link: LinkID, _ place: LinePlace) throws {
        let relationship = plan.model.relationships[link.relationship]
        if !relationship.isTooFew(count) { return }
        let owner = plan.model.entities[relationship.owner]
        let error = ImportError(
            "\(relationship.name) of \(owner.name) has too few members: \(count), and the model "
                + "asks for at least \(relationship.leastCount)")
        // A link may have been made without a line of the object.
        throw plan.files.indices.contains(place.file)
            ? plan.placed(error, place)
            : ImportError("\(ObjectID.name(owner.name, link.owner.key)): \(error.message)")
    }

    /// Forgets the names of entities of which a stored object has changed a part of its name.
    private func forgetNames(in request: SaveRequest, _ batch: Batch) {
        for index in request.changes.indices where request.changes[index].kind == .update {
            let change = request.changes[index]
            let entity = plan.model.entities[change.entity]
            for slot in change.changedSlots {
                let keyed = plan.entitiesKeyed(by: slot, of: entity)
                if keyed.isEmpty { continue }
                // A promised link makes a name that is known already.
                if case .relationship(let it) = entity.slots[slot],
                    change.before?.values[slot].isNull == true,
                    batch.promised.contains(
                        LinkID(ObjectID(root: entity.root, key: change.key), it))
                {
                    continue
                }
                for entity in keyed { directory.forget(entity) }
            }
        }
    }

    private func keepIDs(_ batch: Batch, _ key: (ManagedObject) -> Int64) {
        for (identity, object) in batch.identified {
            identities.note(identity.key, root: identity.root, key: key(object))
        }
        if plan.options.givesNewIDs { return }
        var given: [Int: ClosedRange<Int64>] = [:]
        for (line, made) in zip(batch.lines, batch.made) {
            guard let made, made.isNew, line.id == nil else { continue }
            let (key, root) = (key(made.object), line.entity.root)
            let range = given[root] ?? key...key
            given[root] = min(range.lowerBound, key)...max(range.upperBound, key)
        }
        for (root, keys) in given { identities.noteGiven(keys, root: root) }
    }

    /// Keeps the names that contain links. Those of the line may not be complete in the store yet,
    /// and a link may have been made from its other end.
    private func keepNames(of line: ImportLine, _ made: Batch.Made, key: Int64) throws {
        for (index, naming) in plan.namings(of: line.entity).enumerated() where naming.key.hasLinks
        {
            let given = line.name(by: index)
            let present = try naming.key.name(of: made.object)
            if given == present { continue }
            for entity in naming.entities {
                if let given { directory.promise(given, of: entity, key: key) }
                if let present, made.isNew { directory.note(present, of: entity, key: key) }
            }
        }
    }
}
