/// Saving one part of an import, and keeping what later parts need of it.

import SteleGraph
import SteleModel
import StelePersistence

extension ImportRun {
    /// Saves the changes of a batch as one part.
    func save(_ context: ManagedObjectContext, _ batch: Batch) throws {
        var keys = PermanentKeys()
        do {
            if var request = try context.saveRequest() {
                request.keep(batch.kept, in: plan.model)
                keys = try save.save(request).permanentKeys
                forgetNames(in: request, batch)
            }
        } catch let errors as ValidationErrors {
            throw refusal(errors, batch)
        } catch StoreError.constraint(let conflict) {
            throw try duplicate(conflict, batch)
        }
        func key(of object: ManagedObject) -> Int64 {
            batch.kept[object.id] ?? keys[object.id] ?? object.id.key
        }
        keepIDs(batch, key)
        for (entity, objects) in batch.named {
            for (name, object) in objects { directory.note(name, of: entity, key: object.map(key)) }
        }
        for (line, made) in zip(batch.lines, batch.made) {
            if let made { try keepNames(of: line, made, key: key(of: made.object)) }
        }
        for late in batch.late {
            guard let late else { continue }
            let owner = ObjectID(root: late.owner.id.root, key: key(of: late.owner))
            if plan.options.onConflict == .update {
                let relationship = late.reference.relationship.index
                deferredPlaces[LinkID(owner: owner, relationship: relationship)] = deferred.count
            }
            deferred.append(
                Deferred(
                    owner: owner, reference: late.reference, place: late.place,
                    former: Set(late.former.map(key))))
        }
    }

    /// Forgets the names of entities of which a stored object has changed a part of its name.
    private func forgetNames(in request: SaveRequest, _ batch: Batch) {
        for change in request.changes where change.kind == .update {
            let entity = plan.model.entities[change.entity]
            for slot in change.changedSlots {
                let keyed = plan.entitiesKeyed(by: slot, of: entity)
                if keyed.isEmpty { continue }
                // A promised link makes a name that is known already.
                if case .relationship(let it) = entity.slots[slot],
                    change.before?.values[slot].isNull == true,
                    batch.promised.contains(
                        LinkID(
                            owner: ObjectID(root: entity.root, key: change.key),
                            relationship: it.index))
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
