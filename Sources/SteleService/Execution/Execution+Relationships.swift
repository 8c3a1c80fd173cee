// Writes through a relationship's route.

import SteleGraph
import SteleJSON
import SteleModel
import StelePersistence
import SteleRequests

extension Execution {
    /// Makes the changes of a write to a relationship of an object.
    func relate(
        _ object: ManagedObject, _ relationship: Relationship, _ plan: WritePlan,
        by writer: ObjectWriter
    ) throws -> Applied {
        writer.touched.insert(object.objectID)
        switch plan.deed {
        case .addMembers(_, _, let place):
            try checkList(plan, writer)
            let members = try members(plan, relationship, writer)
            let index = try place.map {
                try writer.storedPlace($0, of: members, in: relationship, of: object)
            }
            try object.addMembers(relationship, members, at: index)
        case .removeMember(let owner, _, let key):
            let entity = model.destination(of: relationship)
            guard try object.hasMember(relationship, key: key),
                let member = try writer.object(entity: entity, key: key)
            else {
                try plan.preconditions?.check(.none, nil, writer)
                throw Self.notAMember(key, owner, relationship)
            }
            try plan.preconditions?.check(.object(member), nil, writer)
            try object.removeMember(relationship, member)
            return .done
        case .setToOne, .clearToOne:
            try plan.preconditions?.check(
                .destination(try writer.destination(relationship, of: object)), nil, writer)
            if case .clearToOne = plan.deed {
                try writer.clear(relationship, of: object)
                return .done
            }
            let destination = try destination(plan, relationship, writer)
            if let destination {
                try object.setToOne(relationship, destination)
            } else {
                try writer.clear(relationship, of: object)
            }
            try writer.resolveLinks()
            return .destination(destination.map(Written.init))
        default:
            try checkList(plan, writer)
            try writer.setMembers(
                relationship, of: object, members(plan, relationship, writer))
        }
        try writer.resolveLinks()
        return try .members(object.members(relationship).map(Written.init))
    }

    /// The members that a body names: an array, or for POST also a single id or object.
    private func members(
        _ plan: WritePlan, _ relationship: Relationship, _ writer: ObjectWriter
    ) throws -> [ManagedObject] {
        guard let root = plan.body?.root else { return [] }
        if root.kind == .array { return try writer.members(root, relationship, depth: 0) }
        if case .setMembers = plan.deed {
            throw Problem(
                .body,
                "\(relationship.name) is to-many: PUT needs the array of all its ids, not "
                    + root.kindName)
        }
        return [try writer.member(root, relationship)]
    }

    /// The destination that a body names; nil for null.
    private func destination(
        _ plan: WritePlan, _ relationship: Relationship, _ writer: ObjectWriter
    ) throws -> ManagedObject? {
        guard let root = plan.body?.root, root.kind != .null else { return nil }
        return try writer.member(root, relationship)
    }
}
