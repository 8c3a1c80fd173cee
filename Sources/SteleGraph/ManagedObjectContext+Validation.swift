/// Validation before a save: values, counts, denied deletes.

import SteleModel
import StelePersistence

extension ManagedObjectContext {
    /// - Throws: `ValidationErrors` with all that is found; `StoreError` where members must be
    ///   read to be counted.
    func validate(updates: [ManagedObject], links: [ChangedLinks]) throws {
        var errors: [ValidationError] = []
        for object in inserted where !object.isDeleted {
            validateValues(of: object, &errors)
            for relationship in plan(object.entity).boundedToManys {
                try validateCount(relationship, of: object, &errors)
            }
        }
        for object in updates where !deletedElsewhere.contains(object.id) {
            validateValues(of: object, &errors)
        }
        try validateCounts(links, &errors)
        errors += try deniedDeletes()
        if coordinator.hasSubclasses { try askObjects(updates, &errors) }
        if !errors.isEmpty { throw ValidationErrors(errors) }
    }

    private func validateValues(of object: ManagedObject, _ errors: inout [ValidationError]) {
        for (slot, type) in plan(object.entity).types
        where object.values.indices.contains(slot) && !type.holds(object.values[slot]) {
            errors.append(.wrongType(object, slot, type))
        }
        for rule in plan(object.entity).rules where rule.slot < object.values.count {
            rule.check(object.values[rule.slot], of: object, &errors)
        }
        for rule in plan(object.entity).requiredComposites {
            if let error = rule.failure(of: object) { errors.append(error) }
        }
    }

    /// The bounded to-manys that changed; one query a relationship.
    private func validateCounts(
        _ links: [ChangedLinks], _ errors: inout [ValidationError]
    ) throws {
        var owners: [Int: [ManagedObject]] = [:]
        for link in links
        where !link.owner.isInserted && !link.owner.isDeleted
            && !deletedElsewhere.contains(link.owner.id)
        {
            for relationship in plan(link.owner.entity).boundedToManys
            where link.relationships.contains(relationship.index) {
                owners[relationship.index, default: []].append(link.owner)
            }
        }
        for (index, objects) in owners.sorted(by: { $0.key < $1.key }) {
            let relationship = model.relationships[index]
            try fire(relationship, owners: objects.map(\.id.key))
            for object in objects {
                let place = ToManyID(relationship: index, owner: object.id.key)
                toManys[place]?.isExpected = true
                try validateCount(relationship, of: object, &errors)
            }
        }
    }

    /// An optional to-many may be empty, whatever its least count.
    private func validateCount(
        _ relationship: Relationship, of object: ManagedObject,
        _ errors: inout [ValidationError]
    ) throws {
        let count = try state(relationship, of: object.id.key).count
        let declared = relationship.declaration
        let least = max(declared.minimumCount, relationship.isOptional ? 0 : 1)
        if count < least, !(count == 0 && relationship.isOptional) {
            errors.append(.tooFew(object, relationship, count: count, least: least))
        }
        if declared.maximumCount > 0, count > declared.maximumCount {
            errors.append(
                .tooMany(object, relationship, count: count, most: declared.maximumCount))
        }
    }
}
