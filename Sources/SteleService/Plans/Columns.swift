/// The columns of `select`: what a fetch must bring and where the answer finds it.

import SteleModel
import StelePredicates

/// Columns of objects, and what is fetched for them: each column's value, then those that embedded
/// relationships need, then `_id`.
struct Columns {
    private(set) var shape: [Column] = []
    private(set) var fetched: [ExpressionDescription] = []

    init(_ selected: [SelectedColumn], _ inclusion: Inclusion, of entity: Entity) throws {
        for column in selected { try add(column, of: entity) }
        for branch in inclusion.branches where !has(branch.relationship) {
            add(branch.relationship, named: branch.relationship.name)
        }
        fetched.append(ExpressionDescription(name: "_id", expression: .key("_id")))
    }

    /// The columns of grouped rows, each where `select` has it.
    static func rows(_ selected: [SelectedColumn]) throws -> [Column] {
        try selected.enumerated().map { index, column in
            if case .collection = column.type { throw manyValues(column) }
            return Column(
                name: column.description.name,
                source: column.isEntityName ? .entityName(index) : .value(index, column.kind))
        }
    }

    private mutating func add(_ column: SelectedColumn, of entity: Entity) throws {
        let name = column.description.name
        if let relationship = column.relationship(of: entity) {
            return add(relationship, named: name)
        }
        if case .collection = column.type { throw Self.manyValues(column) }
        let place = fetched.count
        fetched.append(column.description)
        shape.append(
            Column(
                name: name,
                source: column.isEntityName ? .entityName(place) : .value(place, column.kind)))
    }

    private mutating func add(_ relationship: Relationship, named name: String) {
        if relationship.isToMany {
            shape.append(Column(name: name, source: .toMany(relationship)))
            return
        }
        shape.append(Column(name: name, source: .toOne(fetched.count, relationship)))
        fetched.append(ExpressionDescription(name: name, expression: .key(relationship.name)))
    }

    private func has(_ relationship: Relationship) -> Bool {
        shape.contains { column in
            switch column.source {
            case .toOne(_, let it), .toMany(let it): it === relationship
            case .value, .entityName: false
            }
        }
    }

    private static func manyValues(_ column: SelectedColumn) -> Problem {
        Problem.notBuilt(
            "selecting \(column.description.name), a path over a to-many relationship,",
            instead: "the relationship itself, with include for its objects, is")
    }
}
