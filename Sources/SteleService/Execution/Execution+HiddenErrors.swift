// The errors of writes, without what is not visible to their sender.

import SteleAnswers
import SteleGraph
import SteleModel
import StelePersistence
import SteleRequests

extension Execution {
    /// The error of a write without what its sender does not see: neither objects nor links to them,
    /// nor how many there are. Its order does not depend on them either.
    func without(hidden error: any Error) throws -> any Error {
        guard let sight = rights.sight else { return error }
        switch error {
        case let placed as Placed<ConstraintConflict>:
            return Placed(try without(hidden: placed.cause, sight), places: placed.places)
        case let placed as Placed<ValidationErrors>:
            return Placed(try without(hidden: placed.cause, sight), places: placed.places)
        case let errors as ValidationErrors:
            return try without(hidden: errors, sight)
        case StoreError.constraint(let conflict):
            return StoreError.constraint(try without(hidden: conflict, sight))
        case StoreError.conflicts(let conflicts):
            return StoreError.conflicts(try without(hidden: conflicts, sight))
        case StoreError.refused:
            // Its text may name columns and values that the role does not see.
            return StoreError.refused("a rule of the store's database refuses it")
        default: return error
        }
    }

    /// What a role sees of the store as it is, to judge the objects of an error.
    private struct Seen {
        let model: Model
        let sight: Sight
        let context: ManagedObjectContext

        /// Whether an object is seen. New objects are.
        func object(_ entity: Entity, _ key: Int64) throws -> Bool {
            if key <= 0 || sight.rule(of: model.entities[entity.root]) == nil { return true }
            return try context.snapshot(ObjectID(root: entity.root, key: key)) != nil
        }

        /// The values of properties as a read shows them: without the keys of what is not seen.
        func values(_ values: [Value], of properties: [Property?]) throws -> [Value] {
            var shown = values
            for (index, property) in properties.enumerated() where values.indices.contains(index) {
                guard case .key(let key) = values[index], case .relationship(let it)? = property
                else { continue }
                if try !object(model.destination(of: it), key) { shown[index] = .null }
            }
            return shown
        }
    }

    private func seeing<Result>(
        _ sight: Sight, _ body: (Seen) throws -> Result
    ) throws -> Result {
        try reading { try body(Seen(model: model, sight: sight, context: $0)) }
    }

    /// Errors of objects that are not seen are one for each code and root entity, which does not tell
    /// how many they are. Of a relationship that may lead to such objects, the errors tell no values
    /// and numbers.
    private func without(
        hidden errors: ValidationErrors, _ sight: Sight
    ) throws -> ValidationErrors {
        var seen: [ValidationError] = []
        var others: [ValidationError] = []
        try seeing(sight) { see in
            for var error in errors.errors {
                let isSeen = try see.object(error.entity, error.key)
                if isSeen && !leadsToHidden(error, sight) {
                    seen.append(error)
                    continue
                }
                let what = "\(error.name): objects that are not seen do not allow it"
                (error.message, error.detail) = (what, what)
                (error.value, error.limit) = (.null, .null)
                if isSeen {
                    seen.append(error)
                } else {
                    error.entity = model.entities[error.entity.root]
                    (error.key, error.property) = (0, nil)
                    others.append(error)
                }
            }
        }
        // Delete rules reach stored objects in an order that depends on all links.
        let stored = Dictionary(grouping: seen.filter { $0.key > 0 }) {
            [Int64($0.entity.index), $0.key]
        }
        let ordered = stored.sorted { $0.key.lexicographicallyPrecedes($1.key) }.flatMap(\.value)
        others.sort { ($0.entity.index, $0.code) < ($1.entity.index, $1.code) }
        var told: Set<ValidationError> = []
        let all = seen.filter { $0.key <= 0 } + ordered + others
        return ValidationErrors(all.filter { told.insert($0).inserted })
    }

    private func leadsToHidden(_ error: ValidationError, _ sight: Sight) -> Bool {
        guard let name = error.property,
            case .relationship(let it) = error.entity.property(named: name)
        else { return false }
        return sight.rule(of: model.destination(of: it)) != nil
    }

    private func without(
        hidden conflict: ConstraintConflict, _ sight: Sight
    ) throws -> ConstraintConflict {
        var conflict = conflict
        try seeing(sight) { see in
            let entity = model.entities[conflict.entity]
            if try !see.object(entity, conflict.key) {
                conflict.entity = model.entities[conflict.entity].root
                conflict.key = 0
                conflict.values = conflict.values.map { _ in .null }
            }
            conflict.values = try see.values(
                conflict.values, of: conflict.constraint.map { entity.property(named: $0) })
            if let holder = conflict.holder, !holder.isNew,
                try !see.object(model.entities[holder.entity], holder.key)
            {
                conflict.holder = nil
            }
        }
        return conflict
    }

    private func without(
        hidden conflicts: [MergeConflict], _ sight: Sight
    ) throws -> [MergeConflict] {
        try seeing(sight) { see in
            try conflicts.compactMap { conflict in
                let entity = model.entities[conflict.entity]
                guard try see.object(entity, conflict.key) else { return nil }
                var conflict = conflict
                conflict.values = try see.values(conflict.values, of: entity.slots)
                if var stored = conflict.persisted {
                    stored.values = try see.values(stored.values, of: entity.slots)
                    conflict.persisted = stored
                }
                return conflict
            }
        }
    }
}
