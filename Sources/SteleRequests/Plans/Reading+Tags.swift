// What cursors and entity tags know a plan by.

import SteleModel
import StelePredicates

extension Reading {
    /// What the pages of one list have in common, and cursors must not mix up.
    package func fingerprint(
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
            print.add(value)
        }
        return print.value
    }

    package func check(
        _ after: Cursor?, _ fingerprint: UInt64, _ request: FetchRequest, _ shape: Shape
    ) throws {
        guard let after else { return }
        guard after.fingerprint == fingerprint,
            after.position.count
                == shape.positionCount(sortedBy: request.sortDescriptors.count)
        else {
            throw Problem(
                .cursor,
                "the cursor is of another query: entity, where, sort, select and variables "
                    + "must be those of its page",
                hint: "follow the Link header as it is")
        }
    }

    /// All that an answer depends on beside the store's state.
    package var tagHash: UInt64 {
        var print = Fingerprint()
        print.add(call.request.path)
        print.add(call.request.query ?? "")
        print.add(call.format.rawValue)
        return print.value
    }
}
