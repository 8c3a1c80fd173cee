import SteleModel
import StelePredicates

/// The contents of one view, shared by its objects.
final class InMemoryView {
    let contents: InMemoryContents
    init(_ contents: InMemoryContents) { self.contents = contents }
}

/// A row as predicates see it, with access to related rows.
struct InMemoryObject: EvaluatedObject {
    let view: InMemoryView
    let row: Snapshot

    private var model: Model { view.contents.model }

    var entityIndex: Int { row.entity }
    var key: Int64 { row.key }
    var version: Int64 { row.version }

    func value(of attribute: Attribute) -> Value {
        guard model.entities[attribute.owner].isKind(row.entity),
            row.values.indices.contains(attribute.slot)
        else { return .null }
        return row.values[attribute.slot]
    }

    func toOne(_ relationship: Relationship) -> InMemoryObject? {
        guard model.entities[relationship.owner].isKind(row.entity),
            row.values.indices.contains(relationship.slot),
            case .key(let key) = row.values[relationship.slot]
        else { return nil }
        return object(relationship, key)
    }

    func toMany(_ relationship: Relationship) -> [InMemoryObject] {
        view.contents.members(of: relationship, owner: row.key)
            .compactMap { object(relationship, $0) }
    }

    private func object(_ relationship: Relationship, _ key: Int64) -> InMemoryObject? {
        let id = ObjectID(root: model.destination(of: relationship).root, key: key)
        return view.contents.row(id).map { InMemoryObject(view: view, row: $0) }
    }
}
