import SteleMigration
import SteleModel
import StelePredicates

/// Where a column of a migrated table gets its values.
enum ColumnOrigin: Hashable {
    /// NULL in all rows.
    case empty
    /// A column of the same rows in the source's table.
    case column(String)
    /// A column of the same rows whose numbers become those of another type.
    case changed(String, NumericColumn)
    /// An SQL expression over a row of the source's table.
    case expression(String)

    /// The origin as an SQL expression.
    var sql: String {
        switch self {
        case .empty: "NULL"
        case .column(let name): name
        case .changed(_, let numbers): numbers.value
        case .expression(let sql): sql
        }
    }
}

/// Finds the origins of the columns of one table.
struct ColumnOrigins {
    let map: MigrationMap
    /// The table of the source that has the rows.
    let table: SQLTable
    /// The entities of the rows.
    let rows: [(source: Entity, destination: Entity)]
    /// The value of a new attribute that is derived by `now()`.
    let time: Double

    /// Returns the origin of a column for all rows.
    func origin(of column: SQLTable.Column) -> ColumnOrigin {
        let origins = rows.map { origin(of: column, in: $0.destination) }
        let distinct = Set(origins).subtracting([.empty])
        guard let only = distinct.first else { return .empty }
        if distinct.count == 1 {
            let fits = zip(rows, origins).allSatisfy { row, origin in
                if origin == only { return true }
                // A column that an entity did not use is NULL in its rows.
                switch only {
                case .column(let name), .changed(let name, _): return !uses(row.source, name)
                case .empty, .expression: return false
                }
            }
            if fits { return only }
        }
        let cases = zip(rows, origins).filter { $1 != .empty }.map { row, origin in
            "WHEN \(map.source.number(of: row.source.index)) THEN \(origin.sql)"
        }
        return .expression("CASE Z_ENT \(cases.joined(separator: " ")) END")
    }

    /// Whether rows of an entity of the source may have a value in a column.
    private func uses(_ entity: Entity, _ name: String) -> Bool {
        let entities = map.source.model.entities
        switch table.columns.first(where: { $0.name == name })?.role {
        case .slot(let owner, _), .destinationEntity(let owner, _):
            return entities[owner].isKind(entity.index)
        case .order(let index), .owner(let index):
            let destination = map.source.model.relationships[index].destination
            return entities[destination].isKind(entity.index)
        case nil: return false
        }
    }

    private func origin(of column: SQLTable.Column, in entity: Entity) -> ColumnOrigin {
        let model = map.destination.model
        switch column.role {
        case .slot(let owner, let slot):
            guard model.entities[owner].isKind(entity.index) else { return .empty }
            switch entity.slots[slot] {
            case .attribute(let it): return origin(of: it, in: entity)
            case .relationship(let it): return origin(of: it, in: entity)
            case .fetchedProperty, .transientRelationship: return .empty
            }
        case .destinationEntity(let owner, let slot):
            guard model.entities[owner].isKind(entity.index),
                case .relationship(let it) = entity.slots[slot], let old = toOne(it, in: entity),
                let name = map.source.entityColumn(of: old.slot, in: old.owner)
            else { return .empty }
            return .column(name)
        case .owner(let index):
            let it = model.relationships[index]
            guard model.destination(of: it).isKind(entity.index) else { return .empty }
            if let columns = map.columns(of: it, in: table) { return .column(columns.owner) }
            return map.links(of: it).map { link("o", of: $0, where: "m") } ?? .empty
        case .order(let index):
            let it = model.relationships[index]
            guard model.destination(of: it).isKind(entity.index) else { return .empty }
            if let columns = map.columns(of: it, in: table) {
                return columns.order.map { .column($0) } ?? .empty
            }
            guard let links = map.links(of: it), links.isOrdered else { return .empty }
            return link("fo", of: links, where: "m")
        }
    }

    private func origin(of attribute: Attribute, in entity: Entity) -> ColumnOrigin {
        if let old = map.source(of: attribute, in: entity),
            let name = map.source.column(of: old.slot, in: old.owner)
        {
            if let change = NumericChange(from: old.type, to: attribute.type),
                NumericColumn(same: change, name) == nil
            {
                let dialect = map.destination.dialect
                let numbers = dialect.numbers(change, name)
                return .changed(name, dialect.isTyped ? numbers : numbers.ofObjects(name))
            }
            let isMarked = attribute.hasMarker && !old.hasMarker
            guard isMarked else { return .column(name) }
            let dialect = map.destination.dialect
            let marker = dialect.data("0\(ExternalMarker.inline)")
            return .expression(dialect.concatenation(marker, name))
        }
        if attribute.isDerived { return now(attribute, in: entity) }
        let value = attribute.declaration.defaultValue
        return value.isNull
            ? .empty : .expression(map.destination.dialect.literal(of: value, in: attribute))
    }

    /// The origin of a new derived attribute: the time of the migration for `now()`. All others are
    /// computed at the end.
    private func now(_ attribute: Attribute, in entity: Entity) -> ColumnOrigin {
        guard let derivation = try? Derivation(attribute, of: entity, in: map.destination.model),
            case .now = derivation.source
        else { return .empty }
        let value =
            attribute.type.isNumeric
            ? PredicateCalls.number(.double(time), as: attribute.type) : .date(time)
        return value.map {
            .expression(map.destination.dialect.literal(of: $0, in: attribute))
        } ?? .empty
    }

    private func origin(of relationship: Relationship, in entity: Entity) -> ColumnOrigin {
        if let old = toOne(relationship, in: entity) {
            return map.source.column(of: old.slot, in: old.owner).map { .column($0) } ?? .empty
        }
        guard map.origins(of: relationship).isEmpty,
            let inverse = map.destination.model.inverse(of: relationship)
        else { return .empty }
        if inverse.isToMany, let columns = map.columns(of: inverse, in: table) {
            return .column(columns.owner)
        }
        return map.links(of: relationship).map { link("m", of: $0, where: "o") } ?? .empty
    }

    /// Returns the to-one relationship of the source that a relationship of an entity was.
    private func toOne(_ relationship: Relationship, in entity: Entity) -> Relationship? {
        guard let old = map.source(of: relationship, in: entity), !old.isToMany else { return nil }
        return map.origins(of: relationship).contains { $0.relationship === old } ? old : nil
    }

    /// The other end of a link of the row.
    private func link(
        _ wanted: String, of links: MigrationMap.Links, where own: String
    ) -> ColumnOrigin {
        .expression(
            "(SELECT l.\(wanted) FROM (\(links.select)) l WHERE l.\(own) = \(table.name).Z_PK "
                + "LIMIT 1)")
    }
}

extension SQLDialect {
    /// Returns the literal of an attribute's value, as its column stores it.
    func literal(of value: Value, in attribute: Attribute) -> String {
        if attribute.hasMarker, case .data(let bytes) = value {
            return literal(of: .data([ExternalMarker.inline] + bytes))
        }
        return literal(of: value)
    }

    private func literal(of value: Value) -> String {
        switch value {
        case .null: "NULL"
        case .bool(let it): it ? "1" : "0"
        case .int(let it), .key(let it): "\(it)"
        case .double(let it), .date(let it): "\(it)"
        case .decimal(let it) where hasExactDecimals: it.description
        case .decimal(let it):
            switch DecimalColumn(it) {
            case .integer(let it): "\(it)"
            case .real(let it): "\(it)"
            case .digits(let it): literal(of: it)
            }
        case .string(let it): text(it, literal(of: Array(it.utf8)))
        case .data(let it): literal(of: it)
        case .external(let it): literal(of: ExternalMarker.bytes(it))
        case .uuid(let it): literal(of: withUnsafeBytes(of: it.uuid) { Array($0) })
        }
    }

    private func literal(of bytes: [UInt8]) -> String {
        let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
        return data(digits.joined())
    }
}
