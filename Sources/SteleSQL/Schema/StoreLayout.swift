import SteleModel
import StelePersistence

/// The layout of a store's file: its tables with their columns, and the numbers of its entities.
///
/// Core Data does not always number and name as for a new store: a store that was migrated in place
/// keeps numbers and names of before. So the file is asked, and nothing is predicted for it.
package struct StoreLayout: Sendable {
    /// The names of each table's columns, in their order.
    package let tables: [String: [String]]
    /// The Z_ENT of each entity, by its name in Z_PRIMARYKEY.
    package let numbers: [String: Int]
    /// The SQL of the database.
    let dialect: SQLDialect

    private static let entities = SQLText("SELECT Z_ENT, Z_NAME FROM Z_PRIMARYKEY ORDER BY Z_ENT")

    /// Reads the layout of a file. No row of an object is read.
    /// - Throws: `StoreError.incompatible` (134080) where Z_PRIMARYKEY is missing or has no table's
    ///   numbers; errors of SQLite.
    package init(_ connection: any SQLConnection) throws(StoreError) {
        var tables: [String: [String]] = [:]
        let columns = SQLText(connection.dialect.columns)
        for row in try connection.rows(columns, [], [.text, .text]) {
            guard case .string(let table) = row[0], case .string(let column) = row[1] else {
                continue
            }
            tables[table, default: []].append(column)
        }
        self.tables = tables
        dialect = try SQLDialect(of: connection)
        guard let columns = tables["Z_PRIMARYKEY"],
            Set(["Z_ENT", "Z_NAME", "Z_SUPER", "Z_MAX"]).isSubset(of: columns)
        else {
            throw .incompatible(
                code: 134080, "the store has no table Z_PRIMARYKEY with the numbers of entities")
        }
        var numbers: [String: Int] = [:]
        for row in try connection.rows(Self.entities, [], [.integer, .text]) {
            guard case .int(let number) = row[0], case .string(let name) = row[1] else { continue }
            guard let number = Int(exactly: number), numbers[name] == nil else {
                throw .incompatible(
                    code: 134080, "Z_PRIMARYKEY has the entity \(name) more than once")
            }
            numbers[name] = number
        }
        self.numbers = numbers
    }

    /// Whether the file has the tables of the history.
    package var hasHistory: Bool { tables["ACHANGE"] != nil && tables["ATRANSACTION"] != nil }

    /// Whether the store has had its history in a file of its own.
    package var hasHadAttachedHistory: Bool { tables[AttachedHistory.saves] != nil }

    /// Whether the texts of the history are, or will be, in a table of their own.
    var internsHistoryTexts: Bool {
        !hasHistory || (tables["ATRANSACTIONSTRING"] != nil && has("ZAUTHORTS", in: "ATRANSACTION"))
    }

    /// Returns whether a table has a column.
    func has(_ column: String, in table: String) -> Bool {
        tables[table]?.contains(column) ?? false
    }

    /// The statements that add the tables and rows of the history that the file lacks.
    package var missingHistory: [String] {
        var statements = hasHistory ? [] : Array(HistoryTables.creation.dropLast(2))
        if tables[HistoryTables.beforeImages] == nil { statements += HistoryTables.own }
        let known = Set(numbers.values)
        for (number, name) in HistoryTables.entities where !known.contains(number) {
            guard number != HistoryTables.transactionString || internsHistoryTexts else { continue }
            statements.append("INSERT INTO Z_PRIMARYKEY VALUES (\(number), '\(name)', 0, 0)")
        }
        return statements
    }

    /// The statements that make, for one connection, the tables of the history that the file lacks.
    package var temporaryHistory: [String] {
        let start = "CREATE TABLE "
        return HistoryTables.creation.compactMap { statement in
            guard statement.hasPrefix(start) else { return nil }
            let rest = statement.dropFirst(start.count)
            return tables[String(rest.prefix { $0 != " " })] == nil
                ? "CREATE TEMP TABLE " + rest : nil
        }
    }

    /// Returns the columns of a file whose declared types are not those of a schema that fits it. Core
    /// Data gives each type of attribute one declared type; what it gives to none says nothing.
    /// - Throws: errors of SQLite.
    package static func typeDifferences(
        _ connection: any SQLConnection, from schema: SQLSchema
    ) throws(StoreError) -> [String] {
        let query = SQLText("SELECT name, upper(type) FROM pragma_table_info(?1)")
        let known: Set = ["INTEGER", "FLOAT", "TIMESTAMP", "DECIMAL", "VARCHAR", "BLOB"]
        var found: [String] = []
        for table in schema.storedTables {
            var types: [String: String] = [:]
            for row in try connection.rows(query, [.string(table.name)], [.text, .text]) {
                if let name = row[0].text { types[name] = row[1].text }
            }
            for column in table.columns {
                guard let type = types[column.name], known.contains(type), type != column.type
                else { continue }
                found.append(
                    "the column \(column.name) of its table \(table.name) is of the type \(type), "
                        + "and \(column.role.property(in: schema.model)) has one of the type "
                        + column.type)
            }
        }
        return found
    }

    /// Returns the columns and join tables of the file that a schema, which fits it, does not use.
    package func differences(from schema: SQLSchema) -> [String] {
        unusedParts(of: schema).map(\.difference)
    }

    /// The columns of every entity's table.
    static let fixed = ["Z_PK", "Z_ENT", "Z_OPT"]

    // MARK: Numbers

    /// Returns the Z_ENT of each entity of a model, by its index.
    ///
    /// A migration in place may leave the old name of a renamed entity in Z_PRIMARYKEY. An entity
    /// without a row of its name has that of its renaming identifier, or else the predicted number
    /// where no other entity has it.
    /// - Parameter lacking: called with each entity that the file has no number for.
    /// - Throws: what `lacking` throws.
    func numbers<Failure: Error>(
        of model: Model, _ lacking: (StoreError) throws(Failure) -> Void
    ) throws(Failure) -> [Int] {
        var found = [Int?](repeating: nil, count: model.entities.count)
        var taken = Set<Int>()
        func take(_ number: Int?, for entity: Entity) {
            guard found[entity.index] == nil, let number,
                (1..<HistoryTables.change).contains(number), taken.insert(number).inserted
            else { return }
            found[entity.index] = number
        }
        for entity in model.storedEntities { take(numbers[entity.name], for: entity) }
        for entity in model.storedEntities {
            take(entity.declaration.renamingIdentifier.flatMap { numbers[$0] }, for: entity)
        }
        let known = Set(numbers.values)
        for entity in model.storedEntities where known.contains(entity.index + 1) {
            take(entity.index + 1, for: entity)
        }
        for missing in model.storedEntities where found[missing.index] == nil {
            try lacking(
                .incompatible(
                    code: 134100,
                    "Z_PRIMARYKEY has no row for the entity \(missing.name) of the model "
                        + model.name))
        }
        // Entities of other stores have no row here. Their numbers are those of a new store, for the
        // names of columns that refer to them, or else any that no entity has.
        for entity in model.entities { take(entity.index + 1, for: entity) }
        var next = 1
        return found.map { number in
            if let number { return number }
            while !taken.insert(next).inserted { next += 1 }
            return next
        }
    }

    // MARK: Tables

    /// Returns a table with the names that the file has.
    /// - Parameters:
    ///   - model: the model, for messages.
    ///   - lacking: called with a table or column that is missing.
    /// - Throws: what `lacking` throws.
    func fitting<Failure: Error>(
        _ table: SQLTable, _ model: Model, _ lacking: (StoreError) throws(Failure) -> Void
    ) throws(Failure) -> SQLTable {
        guard let names = tables[table.name] else {
            try lacking(
                .incompatible(
                    code: 134100,
                    "the store has no table \(table.name) for the entity "
                        + "\(model.entities[table.root].name) of the model \(model.name)"))
            return table
        }
        for name in Self.fixed where !names.contains(name) {
            try lacking(
                .incompatible(
                    code: 134080, "the table \(table.name) of the store has no column \(name)"))
        }
        var free = Set(names).subtracting(table.columns.map(\.name))
        let elements = table.elementNames(in: model)
        var columns: [SQLTable.Column] = []
        for column in table.columns {
            if names.contains(column.name) {
                columns.append(column)
                continue
            }
            if let element = elements[column.name], free.remove(element) != nil {
                columns.append(column.named(element))
                continue
            }
            let pattern = Self.withoutNumber(column.name)
            let others = free.filter { Self.withoutNumber($0) == pattern }
            guard column.role.hasNumber, others.count == 1, let other = others.first else {
                try lacking(
                    .incompatible(
                        code: 134100,
                        "the table \(table.name) of the store has no column \(column.name) for "
                            + "\(column.role.property(in: model)) of the model \(model.name)"
                            + Self.doubt(about: column.role.elementColumn(in: model), names)))
                columns.append(column)
                continue
            }
            free.remove(other)
            columns.append(column.named(other))
        }
        return SQLTable(root: table.root, name: table.name, columns: columns)
    }

    /// Why an element of a composite attribute does not have the column of its name.
    private static func doubt(about element: String?, _ names: [String]) -> String {
        guard let element, names.contains(element) else { return "" }
        return ": several properties are named as it is, and which of them has \(element), and "
            + "which has a column with a number, is not known"
    }

    /// A column's name without the number of an entity: `Z2_SHAPE` and `Z5_SHAPE` give `Z_SHAPE`.
    private static func withoutNumber(_ name: String) -> String {
        let start = name.hasPrefix("Z_FOK_") ? "Z_FOK_" : "Z"
        return start + name.dropFirst(start.count).drop { ("0"..."9").contains($0) }
    }

    /// Returns a join table with the names that the file has.
    /// - Parameters:
    ///   - either: the table as each of the two relationships would name it, the likelier first,
    ///     seen from the same one.
    ///   - lacking: called with the table or column that is missing.
    /// - Throws: what `lacking` throws.
    func fitting<Failure: Error>(
        _ either: [JoinTable], of it: Relationship, _ model: Model,
        _ lacking: (StoreError) throws(Failure) -> Void
    ) throws(Failure) -> JoinTable {
        let property = "\(model.entities[it.owner].name).\(it.name)"
        for table in either {
            guard let names = tables[table.name] else { continue }
            // Other programs may have added columns to those of the expected names.
            let expected = [table.ownerColumn, table.memberColumn]
            let keys =
                expected.allSatisfy { names.contains($0) }
                ? expected : names.filter { !$0.hasPrefix("Z_FOK_") }
            guard keys.count == 2 else { continue }
            return try named(
                table, keys, names.filter { $0.hasPrefix("Z_FOK_") },
                "for \(property) of the model \(model.name)", lacking)
        }
        let names = Set(either.map(\.name)).sorted().joined(separator: " or ")
        try lacking(
            .incompatible(
                code: 134100,
                "the store has no table \(names) for \(property) of the model \(model.name)"))
        return either[0]
    }

    private func named<Failure: Error>(
        _ table: JoinTable, _ keys: [String], _ orders: [String], _ purpose: String,
        _ lacking: (StoreError) throws(Failure) -> Void
    ) throws(Failure) -> JoinTable {
        var (owner, member) = (table.ownerColumn, table.memberColumn)
        if Set(keys) != [owner, member] {
            // The key of the side that names the table is first.
            let (first, second) = (keys[0], keys[1])
            (owner, member) = table.isOwningSide ? (first, second) : (second, first)
        }
        var free = orders.filter { $0 != table.orderColumn && $0 != table.inverseOrderColumn }
        func order(_ wanted: String?) throws(Failure) -> String? {
            guard let wanted else { return nil }
            if orders.contains(wanted) { return wanted }
            if free.count == 1 { return free.removeFirst() }
            try lacking(
                .incompatible(
                    code: 134100,
                    "the table \(table.name) of the store has no column \(wanted) \(purpose)"))
            return wanted
        }
        return JoinTable(
            name: table.name, ownerColumn: owner, memberColumn: member,
            orderColumn: try order(table.orderColumn),
            inverseOrderColumn: try order(table.inverseOrderColumn),
            isReflexive: table.isReflexive, isOwningSide: table.isOwningSide)
    }
}

extension ColumnRole {
    /// Whether the column's name has the number of an entity.
    fileprivate var hasNumber: Bool {
        switch self {
        case .slot: false
        case .destinationEntity, .order, .owner: true
        }
    }

    /// The property that the column belongs to, as `Entity.name`.
    func property(in model: Model) -> String {
        switch self {
        case .slot(let entity, let slot), .destinationEntity(let entity, let slot):
            return "\(model.entities[entity].name).\(model.entities[entity].slots[slot].name)"
        case .order(let index), .owner(let index):
            let it = model.relationships[index]
            return "\(model.entities[it.owner].name).\(it.name)"
        }
    }
}
