import SteleModel
import StelePersistence
import SteleSQL

/// Which tables and columns of another program the entities of a model have, by their user info
/// (`TableKey`) and the database's catalog.
///
/// The store has its own tables as for every model, with the objects of these tables. It follows
/// what other programs write to them (`IncomingChanges`), and a save is written to them in its own
/// transaction (`OutgoingChanges`).
struct TableLinks: Sendable {
    /// An attribute and its column.
    struct Column: Sendable {
        let slot: Int
        let source: CatalogColumn
        let form: ColumnForm
        /// The column of the store's table.
        let stored: String
    }

    /// A to-one relationship and its foreign key.
    struct Reference: Sendable {
        let relationship: Relationship
        let key: ForeignKey
        /// The column of the store's table.
        let stored: String
        /// Whether rows of the destination may be inserted after those that refer to them.
        var isLate = false
    }

    /// An entity and its table.
    struct Table: Sendable {
        let entity: Entity
        /// Z_ENT.
        let number: Int
        /// The store's table.
        let stored: String
        /// The columns of the store's table, after the first three.
        let storedColumns: [String]
        let source: CatalogTable
        /// The columns of the key.
        let key: [CatalogColumn]
        var columns: [Column] = []
        var references: [Reference] = []

        /// The table with the key of each object: Z_PK, and K1, K2, … with that of its row.
        var rows: String { "stele_row_\(number)" }
        /// The table of the keys that were written to.
        var news: String { "stele_news_\(number)" }
        /// The temporary table with the rows of these keys.
        var stage: String { "stele_stage_\(number)" }
        /// K1, K2, ….
        var keyNames: [String] { key.indices.map { "k\($0 + 1)" } }
    }

    /// A many-to-many relationship, seen from the one that names the store's join table, and the
    /// join table of the other program.
    struct Join: Sendable {
        let relationship: Relationship
        let stored: JoinTable
        let source: TableName
        let owner: ForeignKey
        let member: ForeignKey

        var news: String { "stele_news_\(stored.name.lowercased())" }
        var stage: String { "stele_stage_\(stored.name.lowercased())" }
        /// The columns of the owner's key and of the member's key in these tables.
        var ownerNames: [String] { owner.columns.indices.map { "o\($0 + 1)" } }
        var memberNames: [String] { member.columns.indices.map { "m\($0 + 1)" } }
    }

    /// The columns that refer to the rows of a table.
    struct ForeignKey: Sendable {
        let columns: [CatalogColumn]
        /// The index of the other table in `tables`.
        let destination: Int
        /// The columns there, in the same order.
        let referenced: [String]
    }

    /// The tables, each after those that it refers to where that is possible.
    private(set) var tables: [Table] = []
    private(set) var joins: [Join] = []
    private var byEntity: [Int: Int] = [:]
    /// What the tables were when they were read; nil without one.
    private(set) var sources: FollowedSources?

    /// Whether the model has no table of another program.
    var isEmpty: Bool { tables.isEmpty }

    /// Returns the table of an entity; nil for an entity without one.
    func table(of entity: Int) -> Table? { byEntity[entity].map { tables[$0] } }

    /// The joins that an entity's relationships have.
    func joins(of entity: Int) -> [Join] {
        joins.filter { tables[$0.owner.destination].entity.index == entity }
            + joins.filter { tables[$0.member.destination].entity.index == entity }
    }

    /// Reads the tables that a model's user info names.
    /// - Throws: `StoreError.incompatible` (134080) where a table or column does not exist or does
    ///   not fit; the errors of statements.
    init(_ schema: SQLSchema, _ connection: Connection) throws(StoreError) {
        let model = schema.model
        var named: [(entity: Entity, name: TableName)] = []
        for entity in model.storedEntities {
            guard let text = entity.declaration.userInfo.value(TableKey.table) else { continue }
            guard let name = TableName(text) else {
                throw Self.misfit(
                    "\(TableKey.table) of \(entity.name) is \"\(text)\": write schema.name")
            }
            guard entity.parent == nil, !entity.hasSubentities else {
                throw Self.misfit(
                    "\(entity.name) has the table \(name), and a parent or subentities: an entity "
                        + "with a table of another program has neither")
            }
            if let other = named.first(where: { $0.name == name }) {
                throw Self.misfit(
                    "\(other.entity.name) and \(entity.name) have the same table \(name)")
            }
            named.append((entity, name))
        }
        guard !named.isEmpty else { return }
        let joinNames = model.relationships.compactMap { it in
            it.declaration.userInfo.value(TableKey.table).flatMap(TableName.init(_:))
        }
        let catalog = try CatalogTable.read(named.map(\.name) + joinNames, connection)
        var found: [Table] = []
        for (entity, name) in named {
            guard let source = catalog[name] else {
                throw Self.misfit(
                    "\(connection.place) has no table \(name), which \(entity.name) has, or its "
                        + "user may not read it")
            }
            guard !source.key.isEmpty else {
                throw Self.misfit(
                    "the table \(name) of \(entity.name) has neither a primary key nor a unique "
                        + "constraint over columns that are NOT NULL")
            }
            let stored = schema.table(of: entity.index)
            found.append(
                Table(
                    entity: entity, number: schema.number(of: entity.index), stored: stored.name,
                    storedColumns: stored.columns.map(\.name), source: source,
                    key: source.key.compactMap(source.column(named:))))
        }
        tables = Self.ordered(found, model)
        for (place, table) in tables.enumerated() { byEntity[table.entity.index] = place }
        for place in tables.indices { try link(place, schema) }
        try linkJoins(schema, catalog)
        var columns: [TableName: Set<String>] = [:]
        for table in tables {
            columns[table.source.name, default: []].formUnion(
                (table.sources + table.key).map(\.name))
        }
        for join in joins {
            columns[join.source, default: []].formUnion(
                (join.owner.columns + join.member.columns).map(\.name))
        }
        sources = try FollowedSources(
            sourceNames.compactMap { name in
                catalog[name].map { ($0, columns[name] ?? []) }
            }, connection)
    }

    /// Whether the links of a to-many relationship are in a table of another program.
    func isLinked(_ it: Relationship, _ model: Model) -> Bool {
        joins.contains { $0.relationship.index == it.index || $0.relationship.inverse == it.index }
            || model.inverse(of: it).map { inverse in
                tables.contains { table in
                    table.references.contains { $0.relationship.index == inverse.index }
                }
            } ?? false
    }

    /// Whether a model names a table of another program.
    static func names(tablesIn model: Model) -> Bool {
        model.storedEntities.contains { $0.declaration.userInfo.value(TableKey.table) != nil }
    }

    /// Returns the error where tables are not as the model has them any more; any other as it is.
    func misfit(of error: StoreError, _ connection: Connection) -> StoreError {
        // It tells already what is to be done.
        if case .unavailable = error { return error }
        guard connection.lastState.hasPrefix("42") else {
            switch error {
            case .busy, .unavailable, .gone, .noRoom, .closed: return error
            default:
                return .unavailable(
                    "the store in \(connection.place) cannot take what another program has written "
                        + "to its tables, and saves nothing until it can: \(error)")
            }
        }
        return .unavailable(
            "the tables that the store in \(connection.place) follows are not as the model has "
                + "them (PostgreSQL: \(connection.lastMessage)): change them back, or make the model "
                + "and the store again")
    }

    static func misfit(_ text: String) -> StoreError { .incompatible(code: 134080, text) }

    /// The tables in the order of insertion: depth first along the references.
    private static func ordered(_ found: [Table], _ model: Model) -> [Table] {
        var places: [Int: Int] = [:]
        for (place, table) in found.enumerated() { places[table.entity.index] = place }
        var isVisited = [Bool](repeating: false, count: found.count)
        var order: [Table] = []
        func visit(_ place: Int) {
            if isVisited[place] { return }
            isVisited[place] = true
            for case .relationship(let it) in found[place].entity.slots
            where it.declaration.userInfo.value(TableKey.columns) != nil {
                if let other = places[it.destination] { visit(other) }
            }
            order.append(found[place])
        }
        for place in found.indices { visit(place) }
        return order
    }

    // MARK: Properties

    private mutating func link(_ place: Int, _ schema: SQLSchema) throws(StoreError) {
        let table = tables[place]
        for (slot, property) in table.entity.slots.enumerated() {
            guard let stored = schema.column(of: slot, in: table.entity.index) else { continue }
            switch property {
            case .attribute(let it):
                guard let name = it.declaration.userInfo.value(TableKey.columns) else { continue }
                let source = try Self.column(name, of: table.source, for: table.entity, it.name)
                guard !it.hasMarker, !it.isDerived else {
                    throw Self.misfit(
                        "\(table.entity.name).\(it.name) has the column \(name) of "
                            + "\(table.source.name), and is derived or allows external storage: "
                            + "neither goes with a column")
                }
                let form = ColumnForm(source)
                guard form.fits(it.type) else {
                    throw Self.misfit(
                        "\(table.entity.name).\(it.name) is of another type than its column "
                            + "\(name) of \(table.source.name), which is \(source.type): "
                            + "\(form.type) fits")
                }
                tables[place].columns.append(
                    Column(slot: slot, source: source, form: form, stored: stored))
            case .relationship(let it):
                guard let names = it.declaration.userInfo.value(TableKey.columns) else { continue }
                let key = try foreignKey(names, of: table.source, to: it.destination, it.name)
                tables[place].references.append(
                    Reference(
                        relationship: it, key: key, stored: stored,
                        isLate: key.destination >= place))
            case .fetchedProperty, .transientRelationship: continue
            }
        }
    }

    private mutating func linkJoins(
        _ schema: SQLSchema, _ catalog: [TableName: CatalogTable]
    ) throws(StoreError) {
        for it in schema.model.relationships {
            let info = it.declaration.userInfo
            guard let text = info.value(TableKey.table), byEntity[it.owner] != nil,
                case .join(let stored)? = schema.toManys[it.index], stored.isOwningSide
            else { continue }
            guard let name = TableName(text), let source = catalog[name], !stored.isReflexive,
                !it.isOrdered, schema.model.inverse(of: it)?.isOrdered != true
            else {
                throw Self.misfit(
                    "\(it.name) has the join table \(text), which does not exist or does not fit: "
                        + "the relationship and its inverse are two, and not ordered")
            }
            joins.append(
                Join(
                    relationship: it, stored: stored, source: name,
                    owner: try foreignKey(
                        info.value(TableKey.ownerColumns) ?? "", of: source, to: it.owner, it.name),
                    member: try foreignKey(
                        info.value(TableKey.columns) ?? "", of: source, to: it.destination,
                        it.name)))
        }
    }

    private func foreignKey(
        _ names: String, of source: CatalogTable, to destination: Int, _ relationship: String
    ) throws(StoreError) -> ForeignKey {
        guard let place = byEntity[destination] else {
            throw Self.misfit(
                "\(relationship) has the columns \(names) of \(source.name), and its destination "
                    + "has no table")
        }
        let other = tables[place].source
        let wanted = names.split(separator: ",").map(String.init)
        let columns = wanted.compactMap(source.column(named:))
        // A table that refers without a constraint refers to the key.
        let declared = source.foreignKeys.first { $0.columns == wanted && $0.table == other.name }
        let referenced = declared?.referenced ?? other.key
        guard !columns.isEmpty, columns.count == wanted.count, referenced.count == columns.count
        else {
            throw Self.misfit(
                "\(relationship) has the columns \(names) of \(source.name), which do not refer to "
                    + "\(other.name)")
        }
        return ForeignKey(columns: columns, destination: place, referenced: referenced)
    }

    private static func column(
        _ name: String, of source: CatalogTable, for entity: Entity, _ property: String
    ) throws(StoreError) -> CatalogColumn {
        guard let column = source.column(named: name) else {
            throw misfit(
                "the table \(source.name) has no column \(name), which "
                    + "\(entity.name).\(property) has: make the model again by stele model from")
        }
        return column
    }
}

extension [UserInfoEntry] {
    /// Returns the value of a key; nil where there is none.
    fileprivate func value(_ key: String) -> String? { first { $0.key == key }?.value }
}

extension ColumnForm {
    /// Whether an attribute of a type can have the column's values.
    fileprivate func fits(_ other: AttributeType) -> Bool {
        let integers: [AttributeType] = [.integer16, .integer32, .integer64]
        return type == other || integers.contains(type) && integers.contains(other)
            || type == .string && other == .uri
    }
}
