/// The columns of `select`: what a fetch returns, and where the answer finds it.

import SteleModel
import StelePredicates

/// The columns of objects, and what is fetched for them: the value of each column, then those that
/// embedded relationships need, then `_id`.
struct Columns {
    private(set) var shape: [Column] = []
    private(set) var fetched: [ExpressionDescription] = []

    /// The number of columns with many values.
    private var manys = 0

    init(_ selected: [SelectedColumn], _ inclusion: Inclusion, of entity: Entity) throws {
        for column in selected {
            if let composite = column.composite {
                add(composite, named: column.description.name)
            } else if let transient = column.transient {
                let name = column.description.name
                shape.append(Column(name: name, source: .transient(transient)))
            } else if let property = column.fetched {
                try add(property, named: column.description.name, inclusion)
            } else {
                try add(column, of: entity)
            }
        }
        for branch in inclusion.branches where !has(branch.kind) {
            // All rows have the same columns: properties of the entity itself.
            guard branch.owners.contains(entity.index) else {
                throw Problem(
                    .parameter,
                    "include names \(branch.name), a property of a subentity of \(entity.name), "
                        + "and rows of select have only properties of \(entity.name) itself",
                    hint: "leave select out, or ask for the subentity that has \(branch.name)")
            }
            switch branch.kind {
            case .relationship(let it): add(it, named: it.name)
            case .fetched(let it): shape.append(Column(name: it.name, source: .fetched(it)))
            }
        }
        fetch(.key("_id"))
    }

    /// The names of what is fetched are not names of the model, which a store might confuse.
    private mutating func fetch(_ expression: Expression) {
        fetched.append(ExpressionDescription(name: "#\(fetched.count)", expression: expression))
    }

    /// The columns of grouped or distinct rows, in the order of `select`.
    static func rows(_ selected: [SelectedColumn]) throws -> [Column] {
        try selected.enumerated().map { index, column in
            if let composite = column.composite {
                throw column.excerpt.problem(
                    "\(composite.name) is a composite attribute, and a row of "
                        + "aggregates or of distinct=true holds single values",
                    hint: composite.leaves.first.map { "select its attributes: \($0.name)" })
            }
            if let transient = column.transient {
                throw column.excerpt.problem(
                    "\(transient.name) is transient: stores do not keep it, and a row of "
                        + "aggregates or of distinct=true is made by the store",
                    hint: "leave it out, or ask for the objects themselves")
            }
            if column.type == .encrypted {
                throw column.excerpt.located(.encrypted(column.description.expression))
            }
            if case .collection = column.type {
                throw column.excerpt.problem(
                    "\(column.description.name) has many values, and a row of "
                        + "aggregates or of distinct=true holds single ones",
                    hint: "select one of its aggregates, such as a count")
            }
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
        if let path = column.many { return add(path, named: name) }
        if case .collection = column.type { throw Self.manyValues(column) }
        let place = fetched.count
        fetch(column.description.expression)
        shape.append(
            Column(
                name: name,
                source: column.isEntityName ? .entityName(place) : .value(place, column.kind)))
    }

    private mutating func add(_ path: ManyPath, named name: String) {
        var path = path
        path.number = manys
        manys += 1
        if let first = path.relationships.first, !first.isToMany {
            path.place = fetched.count
            fetch(.key(first.name))
        }
        shape.append(Column(name: name, source: .many(path)))
    }

    /// The attributes of a composite are next to one another in the row.
    private mutating func add(_ composite: Attribute, named name: String) {
        shape.append(
            Column(name: name, source: .composite(CompositeField(composite, from: fetched.count))))
        for leaf in composite.leaves { fetch(.key(leaf.name)) }
    }

    private mutating func add(_ relationship: Relationship, named name: String) {
        if relationship.isToMany {
            shape.append(Column(name: name, source: .toMany(relationship)))
            return
        }
        shape.append(Column(name: name, source: .toOne(fetched.count, relationship)))
        fetch(.key(relationship.name))
    }

    private mutating func add(
        _ property: FetchedProperty, named name: String, _ inclusion: Inclusion
    ) throws {
        guard inclusion.branch(property.index) != nil else {
            throw Problem(
                .parameter,
                "select names \(property.name), a fetched property, which has no single value",
                hint: "add include=\(property.name) for its objects")
        }
        shape.append(Column(name: name, source: .fetched(property)))
    }

    private func has(_ kind: Inclusion.Branch.Kind) -> Bool {
        shape.contains { column in
            switch (column.source, kind) {
            case (.toOne(_, let it), .relationship(let other)): it === other
            case (.toMany(let it), .relationship(let other)): it === other
            case (.fetched(let it), .fetched(let other)): it.index == other.index
            default: false
            }
        }
    }

    private static func manyValues(_ column: SelectedColumn) -> Problem {
        Problem.notBuilt(
            "selecting \(column.description.name), a collection that is no path of relationships,",
            hint: "select a path such as players.name, or one of its aggregates")
    }
}
