import SteleModel

/// How the table of a destination root is made.
struct TableMigration {
    /// The way from the source's table.
    enum Way {
        /// The entities are new, and the table is empty.
        case created
        /// The source's table is altered. Its rows are written at most once.
        case altered
        /// The rows are copied into a new table.
        case copied
    }

    /// The table of the destination.
    let table: SQLTable
    /// The table of the source with the rows; nil where the entities are new.
    let old: SQLTable?
    /// The entities of the rows.
    let rows: [(source: Entity, destination: Entity)]
    /// The Z_ENT of these entities, before and afterwards.
    private let numbers: [(source: Int, destination: Int)]
    /// The origins of the table's columns, in their order. No two are the same column.
    let origins: [ColumnOrigin]
    /// Whether the old table has objects of other entities, which do not go into this one.
    let losesRows: Bool
    /// Whether the old table may become this one.
    private let mayAlter: Bool
    /// Whether other programs have added what a copy would not have.
    private let isExtended: Bool

    /// - Parameters:
    ///   - mayAlter: whether the source's table may become this one.
    ///   - foreign: what other programs have added.
    init(
        _ table: SQLTable, _ map: MigrationMap, mayAlter: Bool, keeping foreign: ForeignSchema,
        time: Double
    ) {
        self.table = table
        self.mayAlter = mayAlter
        rows = map.rows(of: table.root)
        numbers = rows.map {
            (
                map.source.number(of: $0.source.index),
                map.destination.number(of: $0.destination.index)
            )
        }
        guard let root = rows.first?.source.root, let old = map.source.tables[root] else {
            self.old = nil
            isExtended = false
            origins = table.columns.map { _ in .empty }
            losesRows = false
            return
        }
        self.old = old
        isExtended = foreign.extends(old.name)
        let finder = ColumnOrigins(map: map, table: old, rows: rows, time: time)
        var taken = Set<String>()
        origins = table.columns.map { column in
            let origin = finder.origin(of: column)
            switch origin {
            case .column(let name), .changed(let name, _):
                return taken.insert(name).inserted ? origin : .expression(origin.sql)
            case .empty, .expression: return origin
            }
        }
        let kept = Set(rows.map { $0.source.index })
        losesRows = map.source.model.family(of: map.source.model.entities[root]).contains {
            !$0.isAbstract && !kept.contains($0.index)
        }
    }

    /// A table that altering would write more than once is copied, unless other programs have added
    /// what a copy would not have.
    var way: Way {
        old == nil ? .created : mayAlter && (rewrites <= 1 || isExtended) ? .altered : .copied
    }

    /// The number of times that altering the table writes all its rows.
    private var rewrites: Int {
        dropped.count + (isComputed ? 1 : 0) + (isRenumbered ? 1 : 0)
            + (changed.contains { $0.numbers.writes != nil } ? 1 : 0)
    }

    /// The number of times that all rows are written.
    var passes: Int {
        switch way {
        case .created: 0
        case .altered: rewrites
        case .copied: 1
        }
    }

    /// The columns of the source's table that have a successor, by name.
    var carried: [String: String] {
        var names: [String: String] = [:]
        for (column, origin) in zip(table.columns, origins) {
            switch origin {
            case .column(let name), .changed(let name, _): names[name] = column.name
            case .empty, .expression: break
            }
        }
        return names
    }

    /// Those whose values stay as they are.
    var unchanged: [String: String] {
        let changed = Set(changed.map(\.name))
        return carried.filter { !changed.contains($0.key) }
    }

    /// A column that gets another numeric type.
    struct ChangedColumn {
        /// The name in the source's table.
        let name: String
        /// The declared type before.
        let before: String
        /// The declared type afterwards.
        let type: String
        let numbers: NumericColumn
    }

    /// The columns of the source's table that get another numeric type.
    var changed: [ChangedColumn] {
        zip(table.columns, origins).compactMap { column, origin in
            guard case .changed(let name, let numbers) = origin,
                let before = old?.columns.first(where: { $0.name == name })
            else { return nil }
            return ChangedColumn(
                name: name, before: before.type, type: column.type, numbers: numbers)
        }
    }

    /// The columns that the source's table has and this one does not.
    var dropped: [String] {
        let carried = carried
        return (old?.columns ?? []).map(\.name).filter { carried[$0] == nil }
    }

    /// Whether rows get another Z_ENT.
    var isRenumbered: Bool { numbers.contains { $0.source != $0.destination } }

    /// Whether columns get values that their rows did not have.
    var isComputed: Bool {
        origins.contains { if case .expression = $0 { true } else { false } }
    }

    /// The Z_ENT of a row of the source's table afterwards, as SQL.
    var number: String {
        guard isRenumbered else { return "Z_ENT" }
        let cases = numbers.map { "WHEN \($0.source) THEN \($0.destination)" }
        return "CASE Z_ENT \(cases.joined(separator: " ")) END"
    }

    /// The condition on a row of the source's table that it goes into this one.
    var condition: String {
        // The + keeps SQLite from the index on entities: rows are taken in the order of their keys.
        "+Z_ENT IN " + MigrationMap.list(numbers.map(\.source))
    }
}

/// How a join table of the destination is made.
struct JoinMigration {
    /// The table, seen from the relationship that names it.
    let table: JoinTable
    let relationship: Relationship
    /// The table of the source that is renamed; nil for a new one.
    let old: JoinTable?

    /// - Parameter taken: the names of the source's tables that have become others.
    init(
        _ table: JoinTable, _ relationship: Relationship, _ map: MigrationMap,
        taken: inout Set<String>
    ) {
        self.table = table
        self.relationship = relationship
        let origins = map.origins(of: relationship)
        guard origins.count == 1, origins[0].isWhole,
            case .join(let old)? = map.source.toManys[origins[0].relationship.index],
            old.isOwningSide, old.isReflexive == table.isReflexive,
            (old.orderColumn == nil) == (table.orderColumn == nil),
            (old.inverseOrderColumn == nil) == (table.inverseOrderColumn == nil),
            taken.insert(old.name).inserted
        else {
            self.old = nil
            return
        }
        self.old = old
    }

    /// The columns of a renamed table, each with its new name.
    var columns: [(from: String, to: String)] {
        guard let old else { return [] }
        let pairs: [(String?, String?)] = [
            (old.ownerColumn, table.ownerColumn), (old.memberColumn, table.memberColumn),
            (old.orderColumn, table.orderColumn),
            (old.inverseOrderColumn, table.inverseOrderColumn),
        ]
        return pairs.compactMap { pair -> (from: String, to: String)? in
            guard let from = pair.0, let to = pair.1 else { return nil }
            return (from, to)
        }
    }

    /// Inserts the links of the source into a new table of some name; nil where there are none.
    func filling(_ name: String, _ map: MigrationMap) -> String? {
        guard let links = map.links(of: relationship) else { return nil }
        let dialect = map.destination.dialect
        var select = links.select
        if table.isReflexive {
            select =
                "SELECT o, m, fo, fi FROM (\(select)) s UNION "
                + "SELECT m, o, fi, fo FROM (\(select)) s"
        }
        var columns = [table.ownerColumn, table.memberColumn]
        var values = ["o", "m"]
        if let order = table.orderColumn {
            columns.append(order)
            values.append(Self.key("fo", of: "o", then: "m"))
        }
        if let order = table.inverseOrderColumn {
            columns.append(order)
            values.append(Self.key("fi", of: "m", then: "o"))
        }
        return "\(dialect.insertMissing) \(name) (\(columns.joined(separator: ", "))) "
            + "SELECT \(values.joined(separator: ", ")) FROM (\(select)) s"
            + dialect.insertMissingEnd
    }

    /// An order key: the present one, or one by the keys of the members.
    private static func key(_ order: String, of owner: String, then member: String) -> String {
        "COALESCE(\(order), \(OrderKeys.sql(of: owner, by: "\(order), \(member)")))"
    }
}

extension OrderKeys {
    /// The order keys of new members as SQL: the first is 2048, steps are 1024.
    static func sql(of owner: String, by order: String) -> String {
        "\(first - step) + \(step) * ROW_NUMBER() OVER (PARTITION BY \(owner) ORDER BY \(order))"
    }
}
