// Writes through a relationship's route.

import SteleGraph
import SteleJSON
import SteleModel
import StelePersistence
import SteleRequests

extension Execution {
    func relate(_ plan: WritePlan, _ writer: ObjectWriter) throws -> Applied {
        let context = writer.context
        switch plan.deed {
        case .setMembers(let owner, let relationship):
            let object = try target(owner, plan, writer, isShown: false)
            try checkList(plan, writer)
            let members = try members(plan, relationship, writer)
            try object.setMembers(relationship, members)
            try writer.resolveLinks()
            return try .members(object.members(relationship).map(Written.init))
        case .addMembers(let owner, let relationship, let place):
            let object = try target(owner, plan, writer, isShown: false)
            try checkList(plan, writer)
            for (offset, member) in try members(plan, relationship, writer).enumerated() {
                try object.addMember(relationship, member, at: place.map { $0 + offset })
            }
            try writer.resolveLinks()
            return try .members(object.members(relationship).map(Written.init))
        case .removeMember(let owner, let relationship, let key):
            let object = try target(owner, plan, writer, isShown: false)
            let entity = model.destination(of: relationship)
            guard try object.hasMember(relationship, key: key),
                let member = try context.object(entity: entity, key: key)
            else {
                try plan.preconditions?.check(.none, nil, writer)
                throw Self.notAMember(key, owner, relationship)
            }
            try plan.preconditions?.check(.object(member), nil, writer)
            try object.removeMember(relationship, member)
            return .done
        case .setToOne(let owner, let relationship):
            let object = try target(owner, plan, writer, isShown: false)
            try plan.preconditions?.check(
                .destination(try object.toOne(relationship)), nil, writer)
            let destination = try destination(plan, relationship, writer)
            try object.setToOne(relationship, destination)
            try writer.resolveLinks()
            return .destination(destination.map(Written.init))
        case .clearToOne(let owner, let relationship):
            let object = try target(owner, plan, writer, isShown: false)
            try plan.preconditions?.check(
                .destination(try object.toOne(relationship)), nil, writer)
            try object.setToOne(relationship, nil)
            return .done
        default: return .done
        }
    }

    /// The members that a body names: an array, or for POST also one id or object alone.
    private func members(
        _ plan: WritePlan, _ relationship: Relationship, _ writer: ObjectWriter
    ) throws -> [ManagedObject] {
        guard let root = plan.body?.root else { return [] }
        if root.kind == .array { return try writer.members(root, relationship, depth: 0) }
        if case .setMembers = plan.deed {
            throw Problem(
                .body,
                "\(relationship.name) is to-many: PUT takes the array of all its ids, and "
                    + "\(root.kindName) stands there")
        }
        return [try writer.member(root, relationship)]
    }

    private func destination(
        _ plan: WritePlan, _ relationship: Relationship, _ writer: ObjectWriter
    ) throws -> ManagedObject? {
        guard let root = plan.body?.root, root.kind != .null else { return nil }
        return try writer.member(root, relationship)
    }
}
