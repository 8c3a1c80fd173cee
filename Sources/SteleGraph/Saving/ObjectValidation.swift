import SteleModel
import StelePersistence

/// Validates objects by the model's rules and by the methods of subclasses.
final class ObjectValidation: RelationshipPart {
    private let deletion: DeletePropagation
    var relationships: RelationshipMaintenance { deletion.relationships }
    private var hasSubclasses: Bool { loader.coordinator.hasSubclasses }
    /// Whether a save is applying the rules, so that objects need not apply them again.
    private var isValidating = false

    init(_ deletion: DeletePropagation) { self.deletion = deletion }

    /// Validates the changes of a save.
    /// - Throws: `ValidationErrors` with all errors; `StoreError` if members to be counted cannot
    ///   be read.
    func validate(updates: [ManagedObject], links: [ChangedLinks]) throws {
        try collecting { errors in
            // Those that another part of the save deletes are not judged.
            let updates = updates.filter { !changes.deletedElsewhere.contains($0.objectID) }
            var said: [ValidationError] = []
            if hasSubclasses { try askValues(updates, &said) }
            for object in changes.inserted where !object.isDeleted {
                checkValues(of: object, &errors)
                try checkCounts(of: object, &errors)
            }
            for object in updates {
                checkValues(of: object, &errors)
            }
            try validateCounts(links, &errors)
            for object in changes.deleted { try deletion.checkDenials(of: object, &errors) }
            errors += said
            if hasSubclasses { try askObjects(updates, &errors) }
        }
    }

    // MARK: One object

    /// Implements `ManagedObject.validateForInsert`.
    func validateForInsert(_ object: ManagedObject) throws {
        try validateAlone(object) { errors in
            try checkWhole(object, &errors)
            try checkCounts(of: object, &errors)
        }
    }

    /// Implements `ManagedObject.validateForUpdate`. As in a save, only changed to-many
    /// relationships are counted.
    func validateForUpdate(_ object: ManagedObject) throws {
        try validateAlone(object) { errors in
            try checkWhole(object, &errors)
            for relationship in plans[object.entity].boundedToManys {
                guard toManys[relationship, object.objectID.key]?.hasChanges == true else {
                    continue
                }
                try validateCount(relationship, of: object, &errors)
            }
        }
    }

    /// Implements `ManagedObject.validateForDelete`.
    func validateForDelete(_ object: ManagedObject) throws {
        try validateAlone(object) { errors in try deletion.checkDenials(of: object, &errors) }
    }

    /// Implements `ManagedObject.validateValue`.
    func validateValue(_ value: Value, forKey key: String, of object: ManagedObject) throws {
        let slot = try object.slot(forKey: key)
        try validateAlone(object) { errors in
            var type = AttributeType.objectID
            if case .attribute(let it) = object.entity.slots[slot] { type = it.type }
            if !type.holds(value) {
                errors.append(.wrongType(object, slot: slot, value: value, type: type))
            }
            for rule in plans[object.entity].rules where rule.slot == slot {
                rule.check(value, of: object, &errors)
            }
        }
    }

    /// Validates an object outside of a save. In a save the rules are applied separately, so the
    /// call of `super` in an override must not report errors twice.
    private func validateAlone(
        _ object: ManagedObject, _ question: (inout [ValidationError]) throws -> Void
    ) throws {
        if isValidating { return }
        try view.inOneView {
            if object.isFault { try loader.fire(object) }
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
        if plans[object.entity].isSubclassed { try askValues(of: object, &said) }
        checkValues(of: object, &errors)
        errors += said
    }

    private func checkValues(of object: ManagedObject, _ errors: inout [ValidationError]) {
        for (slot, type) in plans[object.entity].types where object.values.indices.contains(slot) {
            let value = object.values[slot]
            if !type.holds(value) {
                errors.append(.wrongType(object, slot: slot, value: value, type: type))
            }
        }
        for rule in plans[object.entity].rules where rule.slot < object.values.count {
            rule.check(object.values[rule.slot], of: object, &errors)
        }
        for rule in plans[object.entity].requiredComposites {
            if let error = rule.failure(of: object) { errors.append(error) }
        }
    }

    private func checkCounts(
        of object: ManagedObject, _ errors: inout [ValidationError]
    ) throws {
        for relationship in plans[object.entity].boundedToManys {
            try validateCount(relationship, of: object, &errors)
        }
    }

    /// Validates the counts of changed to-many relationships, with one query for each relationship.
    private func validateCounts(
        _ links: [ChangedLinks], _ errors: inout [ValidationError]
    ) throws {
        var owners: [Int: [ManagedObject]] = [:]
        for link in links
        where !link.owner.isInserted && !link.owner.isDeleted
            && !changes.deletedElsewhere.contains(link.owner.objectID)
        {
            for relationship in plans[link.owner.entity].boundedToManys
            where link.relationships.contains(relationship.index) {
                owners[relationship.index, default: []].append(link.owner)
            }
        }
        for (index, objects) in owners.sorted(by: { $0.key < $1.key }) {
            let relationship = model.relationships[index]
            try toManys.fire(relationship, owners: objects.map(\.objectID.key))
            for object in objects {
                toManys.expect(relationship, of: object.objectID.key)
                try validateCount(relationship, of: object, &errors)
            }
        }
    }

    /// Validates the count of a relationship.
    private func validateCount(
        _ relationship: Relationship, of object: ManagedObject,
        _ errors: inout [ValidationError]
    ) throws {
        let count = try toManys.state(relationship, of: object.objectID.key).count
        let declared = relationship.declaration
        if relationship.isTooFew(count) {
            errors.append(
                .tooFew(object, relationship, count: count, least: relationship.leastCount))
        }
        if declared.maximumCount > 0, count > declared.maximumCount {
            errors.append(
                .tooMany(object, relationship, count: count, most: declared.maximumCount))
        }
    }

    // MARK: Subclasses

    /// Calls `validateValue` of subclasses, before the model's rules are applied to the resulting
    /// values.
    /// - Throws: the errors of the methods that are not validation errors.
    private func askValues(
        _ updates: [ManagedObject], _ errors: inout [ValidationError]
    ) throws {
        for object in changes.insertedObjects + updates where plans[object.entity].isSubclassed {
            try askValues(of: object, &errors)
        }
    }

    /// Calls `validateForInsert`, `validateForUpdate` and `validateForDelete` of subclasses.
    /// - Throws: the errors of the methods that are not validation errors.
    private func askObjects(
        _ updates: [ManagedObject], _ errors: inout [ValidationError]
    ) throws {
        for object in changes.insertedObjects where plans[object.entity].isSubclassed {
            try ask(&errors) { try object.validateForInsert() }
        }
        for object in updates where plans[object.entity].isSubclassed {
            try ask(&errors) { try object.validateForUpdate() }
        }
        for object in changes.deleted where plans[object.entity].isSubclassed {
            try ask(&errors) { try object.validateForDelete() }
        }
    }

    private func askValues(of object: ManagedObject, _ errors: inout [ValidationError]) throws {
        for (slot, property) in object.entity.slots.enumerated() {
            var value = object.value(slot)
            try ask(&errors) { try object.validateValue(&value, forKey: property.name) }
            if case .attribute = property, value != object.value(slot) {
                object.setSlot(slot, value)
            }
        }
    }

    private func ask(
        _ errors: inout [ValidationError], _ question: () throws -> Void
    ) throws {
        do { try question() } catch let error as ValidationError {
            errors.append(error)
        } catch let several as ValidationErrors {
            errors += several.errors
        }
    }
}
