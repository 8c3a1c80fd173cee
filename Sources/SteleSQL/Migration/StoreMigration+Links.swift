import SteleMigration
import SteleModel
import StelePersistence

/// The links, in the tables of the destination.
extension StoreMigration {
    /// Checks that no link is lost where an object can have one end only: of a new to-one whose
    /// inverse was there, and of a to-many without an inverse, whose links are in the members' rows.
    func checkSingleEnds() throws(StoreError) {
        let model = map.destination.model
        for relationship in model.relationships {
            let origins = map.origins(of: relationship)
            let ends: (own: String, other: String)
            if !relationship.isToMany, origins.isEmpty, relationship.inverse != nil {
                ends = ("o", "m")
            } else if relationship.isToMany, relationship.inverse == nil,
                origins.contains(where: {
                    !$0.relationship.isToMany || $0.relationship.inverse != nil
                })
            {
                ends = ("m", "o")
            } else {
                continue
            }
            guard let links = map.links(of: relationship) else { continue }
            let count = try work.count(
                "SELECT COUNT(*) FROM (SELECT 1 FROM (\(links.select)) l GROUP BY l.\(ends.own) "
                    + "HAVING COUNT(DISTINCT l.\(ends.other)) > 1) s")
            guard count > 0 else { continue }
            let owner = model.entities[relationship.owner].name
            let error = MigrationError.severalLinks(
                "\(owner).\(relationship.name)", count: Int(count))
            throw .incompatible(code: error.code.rawValue, error.description)
        }
    }

    /// A column with the keys of other objects.
    private struct KeyColumn {
        let table: String
        let name: String
        /// The columns that are NULL where this one is.
        let dependents: [String]
        /// The entity of the other objects.
        let target: Entity
    }

    private func migration(of entity: Int) -> TableMigration? {
        let root = map.destination.model.entities[entity].root
        return tables.first { $0.table.root == root }
    }

    /// Whether objects of an entity may be in a table.
    private func hasRows(_ entity: Int) -> Bool { migration(of: entity)?.old != nil }

    /// Removes links to objects that are no longer there, or no longer of the relationship's
    /// destination.
    func cutLinks() throws(StoreError) {
        for relationship in map.destination.model.relationships {
            if let column = keyColumn(relationship) {
                try cut(column)
            } else if case .join(let join)? = map.destination.toManys[relationship.index],
                join.isOwningSide,
                map.losesMembers(relationship) || map.losesOwners(relationship)
            {
                let ends = [
                    (join.ownerColumn, map.destination.model.entities[relationship.owner]),
                    (join.memberColumn, map.destination.model.destination(of: relationship)),
                ]
                let conditions = ends.map { "NOT \(exists($1, "\(join.name).\($0)"))" }
                try work.run(
                    "DELETE FROM \(join.name) WHERE \(conditions.joined(separator: " OR "))")
            }
        }
    }

    /// Whether links are cut, in any table.
    var cutsLinks: Bool {
        map.destination.model.relationships.contains {
            keyColumn($0) != nil || map.losesMembers($0) || map.losesOwners($0)
        }
    }

    /// Returns the column of a to-one relationship, or of the owners of a to-many one, where some
    /// keys may be of objects that are no longer there.
    private func keyColumn(_ it: Relationship) -> KeyColumn? {
        let schema = map.destination
        if !it.isToMany {
            guard hasRows(it.owner), map.losesMembers(it),
                let name = schema.column(of: it.slot, in: it.owner)
            else { return nil }
            let order = it.inverse.flatMap { schema.toManys[$0]?.links.order }
            return KeyColumn(
                table: schema.table(of: it.owner).name, name: name,
                dependents: [schema.entityColumn(of: it.slot, in: it.owner), order]
                    .compactMap { $0 },
                target: schema.model.destination(of: it))
        }
        guard case .column(let table, let owner, let order, false)? = schema.toManys[it.index],
            hasRows(it.destination), map.losesOwners(it)
        else { return nil }
        return KeyColumn(
            table: table, name: owner, dependents: [order].compactMap { $0 },
            target: schema.model.entities[it.owner])
    }

    private func cut(_ column: KeyColumn) throws(StoreError) {
        let nulls = ([column.name] + column.dependents).map { "\($0) = NULL" }
        try work.run(
            "UPDATE \(column.table) SET \(nulls.joined(separator: ", ")) "
                + "WHERE \(column.name) IS NOT NULL "
                + "AND NOT \(exists(column.target, "\(column.table).\(column.name)"))")
    }

    /// The condition that an object of an entity has a key.
    private func exists(_ entity: Entity, _ key: String) -> String {
        let schema = map.destination
        let numbers = entity.subtree.map { schema.number(of: $0) }
        return "EXISTS (SELECT 1 FROM \(schema.table(of: entity.index).name) e "
            + "WHERE e.Z_PK = \(key) AND e.Z_ENT IN \(MigrationMap.list(numbers)))"
    }

    /// Writes the concrete entities of to-one destinations, where their numbers have changed or are
    /// new.
    func fillEntityColumns() throws(StoreError) {
        let schema = map.destination
        for it in schema.model.relationships where !it.isToMany {
            guard hasRows(it.owner), let links = map.links(of: it),
                let key = schema.column(of: it.slot, in: it.owner),
                let column = schema.entityColumn(of: it.slot, in: it.owner),
                let table = migration(of: it.owner)
            else { continue }
            let place = table.table.columns.firstIndex { $0.name == column }
            var isCarried = false
            if let place, case .column = table.origins[place] { isCarried = true }
            let isRenumbered = links.ends.contains { map.renumbers($0.member) }
            if isCarried, !isRenumbered { continue }
            let target = schema.table(of: it.destination).name
            try work.run(
                "UPDATE \(table.table.name) SET \(column) = (SELECT e.Z_ENT FROM \(target) e "
                    + "WHERE e.Z_PK = \(table.table.name).\(key)) WHERE \(key) IS NOT NULL")
        }
    }

    /// Writes order keys of relationships that have become ordered, by the members' keys.
    func fillOrderKeys() throws(StoreError) {
        for it in map.destination.model.relationships {
            guard
                case .column(let table, let owner, let order?, _)? = map.destination.toManys[
                    it.index],
                hasRows(it.destination), map.links(of: it) != nil,
                try work.count(
                    "SELECT COUNT(*) FROM (SELECT 1 FROM \(table) WHERE \(owner) IS NOT NULL "
                        + "AND \(order) IS NULL LIMIT 1) s") > 0
            else { continue }
            let key = OrderKeys.sql(of: owner, by: "\(order) IS NULL, \(order), Z_PK")
            try work.run(
                "UPDATE \(table) SET \(order) = k.f FROM (SELECT Z_PK AS p, \(key) AS f "
                    + "FROM \(table) WHERE \(owner) IS NOT NULL) k WHERE k.p = \(table).Z_PK")
        }
    }
}
