/// Validation before a save: values, counts, denied deletes.

import SteleModel
import StelePersistence

extension ManagedObjectContext {
    /// The model's rules, and what objects of subclasses say.
    /// - Throws: `ValidationErrors` with all that is found; `StoreError` where members must be
    ///   read to be counted.
    func validate(updates: [ManagedObject], links: [ChangedLinks]) throws {
        try collecting { errors in
            var said: [ValidationError] = []
            if coordinator.hasSubclasses { try askValues(updates, &said) }
            for object in inserted where !object.isDeleted {
                checkValues(of: object, &errors)
                try checkCounts(of: object, &errors)
            }
            for object in updates where !deletedElsewhere.contains(object.id) {
                checkValues(of: object, &errors)
            }
            try validateCounts(links, &errors)
            for object in deleted { try checkDenials(of: object, &errors) }
            errors += said
            if coordinator.hasSubclasses { try askObjects(updates, &errors) }
        }
    }

    // MARK: One object

    /// What `ManagedObject.validateForInsert` finds by itself.
    func validateForInsert(_ object: ManagedObject) throws {
        try validateAlone(object) { errors in
            try checkWhole(object, &errors)
            try checkCounts(of: object, &errors)
        }
    }

    /// What `ManagedObject.validateForUpdate` finds by itself; of to-manys those that have changed
    /// are counted, as in a save.
    func validateForUpdate(_ object: ManagedObject) throws {
        try validateAlone(object) { errors in
            try checkWhole(object, &errors)
            for relationship in plan(object.entity).boundedToManys {
                let place = ToManyID(relationship: relationship.index, owner: object.id.key)
                guard toManys[place]?.hasChanges == true else { continue }
                try validateCount(relationship, of: object, &errors)
            }
        }
    }

    /// What `ManagedObject.validateForDelete` finds by itself.
    func validateForDelete(_ object: ManagedObject) throws {
        try validateAlone(object) { errors in try checkDenials(of: object, &errors) }
    }

    /// What `ManagedObject.validateValue` finds by itself.
    func validateValue(_ value: Value, forKey key: String, of object: ManagedObject) throws {
        let slot = try object.slot(forKey: key)
        try validateAlone(object) { errors in
            var type = AttributeType.objectID
            if case .attribute(let it) = object.entity.slots[slot] { type = it.type }
            if !type.holds(value) { errors.append(.wrongType(object, slot, value, type)) }
            for rule in plan(object.entity).rules where rule.slot == slot {
                rule.check(value, of: object, &errors)
            }
        }
    }

    /// Asks an object outside of a save; in a save all of it has been asked before an override
    /// comes to call `super`, so that nothing is found twice.
    private func validateAlone(
        _ object: ManagedObject, _ question: (inout [ValidationError]) throws -> Void
    ) throws {
        if isValidating { return }
        try inOneView {
            if object.isFault { try fire(object) }
            try collecting(question)
        }
    }

    private func collecting(_ question: (inout [ValidationError]) throws -> Void) throws {
        isValidating = true
        defer { isValidating = false }
        var errors: [ValidationError] = []
        try question(&errors)
        if !errors.isEmpty { throw ValidationErrors(errors) }
    }

    // MARK: Rules

    private func checkWhole(_ object: ManagedObject, _ errors: inout [ValidationError]) throws {
        var said: [ValidationError] = []
        if plan(object.entity).isSubclassed { try askValues(of: object, &said) }
        checkValues(of: object, &errors)
        errors += said
    }

    private func checkValues(of object: ManagedObject, _ errors: inout [ValidationError]) {
        for (slot, type) in plan(object.entity).types
        where object.values.indices.contains(slot) && !type.holds(object.values[slot]) {
            errors.append(.wrongType(object, slot, object.values[slot], type))
        }
        for rule in plan(object.entity).rules where rule.slot < object.values.count {
            rule.check(object.values[rule.slot], of: object, &errors)
        }
        for rule in plan(object.entity).requiredComposites {
            if let error = rule.failure(of: object) { errors.append(error) }
        }
    }

    private func checkCounts(
        of object: ManagedObject, _ errors: inout [ValidationError]
    ) throws {
        for relationship in plan(object.entity).boundedToManys {
            try validateCount(relationship, of: object, &errors)
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
