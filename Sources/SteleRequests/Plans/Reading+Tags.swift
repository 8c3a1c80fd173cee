// What identifies a plan in cursors and entity tags.

import SteleModel
import StelePredicates

extension Reading {
    /// A hash of what the pages of a list have in common.
    func fingerprint(
        _ entity: Entity, _ source: Source, _ template: FetchTemplate?
    ) -> UInt64 {
        var print = Fingerprint()
        print.add(entity.name)
        if let template { print.add("/fetch/" + template.name) }
        if case .fetched(let owner, let property) = source {
            print.add("\(owner.entity.name)/\(owner.key)/\(property.name)")
        }
        if case .members(let owner, let relationship) = source {
            print.add("\(owner.entity.name)/\(owner.key)/\(relationship.name)")
        }
        for parameter in [
            Parameter.where, .sort, .select, .groupBy, .having, .distinct, .subentities,
        ] {
            print.add(call.query[parameter] ?? "\u{1}")
        }
        for (name, value) in call.query.variables {
            print.add(name)
            print.add(value.key)
        }
        return print.value
    }

    func check(
        _ after: Cursor?, of request: FetchRequest, _ shape: Shape, fingerprint: UInt64
    ) throws {
        guard let after else { return }
        let keys = request.sortDescriptors.count
        guard after.fingerprint == fingerprint,
            after.position.count == shape.positionCount(sortedBy: keys)
        else {
            throw Problem(
                .cursor,
                "the cursor belongs to another query: entity, where, sort, select and variables "
                    + "must be those of its page", hint: "use the Link header as it is")
        }
    }

    /// A hash of what an answer depends on besides the state of the store.
    var tagHash: UInt64 {
        var print = Fingerprint()
        print.add(call.request.path)
        print.add(call.request.query ?? "")
        print.add(call.format.rawValue)
        if let sight = rights.sight { print.add(sight.name) }
        return print.value
    }
}
