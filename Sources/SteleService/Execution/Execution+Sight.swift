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
