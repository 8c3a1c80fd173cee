// The results of writes, without what is not visible to their sender.

import SteleAnswers
import SteleGraph
import SteleModel
import StelePersistence
import SteleRequests

extension Execution {
    /// The result of a write, without what is not visible. Objects are read again, because a relationship
    /// of theirs may lead to what is not seen. One that the write has taken out of sight is left
    /// out.
    func seen(_ outcome: Outcome, of plan: WritePlan) throws -> Outcome {
        try reading { context in
            switch outcome {
            case .created(let all, let isArray, let isNew, let entity):
                let left = try all.compactMap { try seen($0, context) }
                if left.isEmpty, !all.isEmpty, !isArray { return .done }
                return .created(left, isArray: isArray, isNew: isNew, entity: entity)
            case .changed(let one): return try seen(one, context).map(Outcome.changed) ?? .done
            case .operations(let all): return .operations(try all.map { try seen($0, context) })
            case .again(let response, let all, let isArray):
                return .again(response, try all.map { try seen($0, context) }, isArray: isArray)
            case .members(let keys):
                guard let relationship = plan.deed.relationship else { return .members([]) }
                let root = model.destination(of: relationship).root
                let found = try context.snapshots(root: root, keys: keys)
                return .members(keys.filter { found[$0] != nil })
            case .destination(let key):
                guard let key, let relationship = plan.deed.relationship else { return outcome }
                let root = model.destination(of: relationship).root
                let isSeen = try context.snapshot(ObjectID(root: root, key: key)) != nil
                return .destination(isSeen ? key : nil)
            default: return outcome
            }
        }
    }

    private func seen(_ one: Snapshot, _ context: ManagedObjectContext) throws -> Snapshot? {
        let root = model.entities[one.entity].root
        return try context.snapshot(ObjectID(root: root, key: one.key))
    }

    private func seen(
        _ operation: OperationOutcome, _ context: ManagedObjectContext
    ) throws -> OperationOutcome {
        guard case .object(let snapshot?) = operation else { return operation }
        return .object(try seen(snapshot, context))
    }

    /// The error of a write without what the sender does not see: a conflict of unique values does
    /// not name an object that is not seen, and a rule of the database not what it is about.
    func without(hidden error: any Error) throws -> any Error {
        switch error {
        case let placed as Placed<ConstraintConflict>:
            return Placed(try without(hidden: placed.cause), places: placed.places)
        case let placed as Placed<ValidationErrors>:
            return Placed(try without(hidden: placed.cause), places: placed.places)
        case StoreError.constraint(let conflict):
            return StoreError.constraint(try without(hidden: conflict))
        case StoreError.refused where rights.sight != nil:
            // Its text may name columns and values that the role does not see.
            return StoreError.refused("a rule of the store's database refuses it")
        default: return error
        }
    }

    /// Errors of objects that are not seen, and values that lead to them or count them, are told
    /// without their keys and numbers.
    private func without(hidden errors: ValidationErrors) throws -> ValidationErrors {
        guard let sight = rights.sight else { return errors }
        var left = errors
        try reading { context in
            for place in errors.errors.indices {
                let error = errors.errors[place]
                let id = ObjectID(root: error.entity.root, key: error.key)
                let isSeen = try error.key <= 0 || context.snapshot(id) != nil
                var leads = false
                if let name = error.property,
                    case .relationship(let it) = error.entity.property(named: name)
                {
                    leads = sight.rule(of: model.destination(of: it)) != nil
                }
                if isSeen && !leads { continue }
                let what = "\(error.name): objects that are not seen do not allow it"
                left.errors[place].message = what
                left.errors[place].detail = what
                left.errors[place].value = .null
                left.errors[place].limit = .null
                if !isSeen {
                    left.errors[place].key = 0
                    left.errors[place].property = nil
                }
            }
        }
        return left
    }

    private func without(hidden conflict: ConstraintConflict) throws -> ConstraintConflict {
        guard let holder = conflict.holder, !holder.isNew else { return conflict }
        let root = model.entities[holder.entity].root
        let isSeen = try reading {
            try $0.snapshot(ObjectID(root: root, key: holder.key)) != nil
        }
        if isSeen { return conflict }
        var conflict = conflict
        conflict.holder = nil
        return conflict
    }
}

extension WritePlan.Deed {
    /// The relationship whose members or destination are written; nil for other writes.
    fileprivate var relationship: Relationship? {
        switch self {
        case .setMembers(_, let it), .addMembers(_, let it, _), .removeMember(_, let it, _),
            .setToOne(_, let it), .clearToOne(_, let it):
            it
        default: nil
        }
    }
}
