import SteleModel
import StelePersistence

/// Compares what the tables of a store say with its bookkeeping and its model, by SQL alone. Each
/// table is read once.
package struct TableInspector {
    let connection: any SQLConnection
    let layout: StoreLayout
    /// The model with the names of the file; nil where no model is known.
    let schema: SQLSchema?
    /// What has been found so far.
    package var inspection: StoreInspection

    /// - Parameter inspection: what is known already; the inspector adds to it.
    package init(
        _ connection: any SQLConnection, _ layout: StoreLayout, _ schema: SQLSchema?,
        _ inspection: StoreInspection
    ) {
        self.connection = connection
        self.layout = layout
        self.schema = schema
        self.inspection = inspection
    }

    /// A name of a table or a column in a statement.
    func name(_ name: String) -> String { connection.dialect.name(name) }

    /// Reads all tables of entities and relationships.
    package mutating func run() {
        attempt("Z_PRIMARYKEY") { (inspector) throws(StoreError) in
            let all = try PrimaryKeyRow.all(inspector.connection)
            let rows = all.filter { $0.number > 0 }
            if rows.count < all.count {
                inspector.inspection.differences.append(
                    "Z_PRIMARYKEY.Z_ENT: \(all.count - rows.count) of \(all.count) rows have no "
                        + "number of an entity")
            }
            inspector.checkNumbers(rows)
            let highest = Dictionary(
                rows.map { ($0.number, $0.highest) }, uniquingKeysWith: { first, _ in first })
            let families =
                inspector.schema.map(EntityFamily.all(in:)) ?? EntityFamily.all(in: rows)
            for family in families { inspector.read(family, highest) }
            inspector.checkUnknownTables(families)
        }
        readJoinTables()
        checkUniqueness()
        addOtherTables()
    }

    /// Calls a function, whose error is a difference: the table cannot be read.
    mutating func attempt(
        _ table: String, _ body: (inout TableInspector) throws(StoreError) -> Void
    ) {
        do throws(StoreError) { try body(&self) } catch {
            inspection.differences.append("\(table) cannot be read: \(error.sentence)")
        }
    }

    // MARK: Numbers

    /// Compares the rows of Z_PRIMARYKEY with each other, and with the model.
    private mutating func checkNumbers(_ rows: [PrimaryKeyRow]) {
        let reached = Set(EntityFamily.all(in: rows).flatMap { $0.members.map(\.number) })
        for row in rows where !row.isOfFramework && !reached.contains(row.number) {
            inspection.differences.append(
                "Z_PRIMARYKEY.Z_SUPER: the entity \(row.name) has the parent \(row.parent), which "
                    + "leads to no entity without a parent")
        }
        guard let schema else { return }
        let entities = Dictionary(
            schema.model.storedEntities.map { (Int64(schema.number(of: $0.index)), $0) },
            uniquingKeysWith: { first, _ in first })
        for row in rows where !row.isOfFramework {
            guard let entity = entities[row.number] else {
                inspection.differences.append(
                    "Z_PRIMARYKEY: the row \(row.number) is of the entity \(row.name), which the "
                        + "model does not have")
                continue
            }
            let parent = entity.parent.map { Int64(schema.number(of: $0)) } ?? 0
            if row.parent == parent { continue }
            inspection.differences.append(
                "Z_PRIMARYKEY.Z_SUPER: the entity \(row.name) has the parent \(row.parent), and by "
                    + "the model it is \(parent)")
        }
    }

    /// Finds tables that look like those of an entity and are of none.
    private mutating func checkUnknownTables(_ families: [EntityFamily]) {
        let known = Set(families.map(\.table))
        let place = schema == nil ? "Z_PRIMARYKEY" : "the model"
        for (name, columns) in layout.tables.sorted(by: { $0.key < $1.key })
        where name.hasPrefix("Z") && !name.hasPrefix("Z_") && !known.contains(name)
            && Set(StoreLayout.fixed).isSubset(of: columns)
        {
            inspection.differences.append("\(name): the table is of no entity in \(place)")
        }
    }

    // MARK: Tables of entities

    /// Reads the table of a family.
    /// - Parameter highest: Z_MAX by Z_ENT.
    private mutating func read(_ family: EntityFamily, _ highest: [Int64: Int64]) {
        let place = inspection.entities.count
        inspection.entities += family.members.map {
            .init(name: $0.name, number: $0.number, depth: $0.depth, table: family.table)
        }
        inspection.tables.append(
            .init(name: family.table, contents: family.members.map(\.name)))
        let columns = layout.tables[family.table]
        guard let columns, Set(StoreLayout.fixed).isSubset(of: columns) else {
            // With a model this is a difference already.
            if schema == nil {
                inspection.differences.append(
                    columns == nil
                        ? "\(family.table): there is no table for the entity "
                            + "\(family.members[0].name) in Z_PRIMARYKEY"
                        : "\(family.table): the table lacks one of Z_PK, Z_ENT and Z_OPT")
            }
            return
        }
        attempt(family.table) { (inspector) throws(StoreError) in
            try inspector.read(family, highest[family.members[0].number] ?? 0, at: place)
        }
    }

    private mutating func read(
        _ family: EntityFamily, _ highest: Int64, at place: Int
    ) throws(StoreError) {
        var scan = RowScan(family.table)
        scan.add(total: "COUNT(*)")
        scan.add(total: "(SELECT MAX(m.Z_PK) FROM \(name(family.table)) m)")
        for member in family.members.dropFirst() {
            scan.add(total: "COUNT(CASE WHEN t.Z_ENT = \(member.number) THEN 1 END)")
        }
        scan.add(
            fault: isOfNoEntity(family), in: "Z_ENT",
            "it is the number of no entity of this table: the row is read as one of "
                + family.members[0].name)
        scan.add(
            fault: "t.Z_OPT IS NULL", in: "Z_OPT",
            "there is no version: conflicts of saves are not found")
        if !connection.dialect.isTyped {
            scan.add(
                fault: "typeof(t.Z_OPT) NOT IN ('null', 'integer')", in: "Z_OPT",
                "the version is not of the type integer: it is read as SQLite converts it")
        }
        for member in family.members where member.isAbstract {
            scan.add(
                fault: "t.Z_ENT = \(member.number)", in: "Z_ENT",
                "the entity is \(member.name), which is abstract and has no objects")
        }
        if let table = schema?.storedTables.first(where: { $0.name == family.table }) {
            addValueFaults(of: table, to: &scan)
            addFaults(of: table, to: &scan)
        }
        let (totals, differences) = try scan.run(connection)
        inspection.tables[inspection.tables.count - 1].rows = totals[0]
        // All other rows are read as those of the first.
        let others = totals.dropFirst(2)
        inspection.entities[place].objects = totals[0].map {
            $0 - others.reduce(0) { $0 + ($1 ?? 0) }
        }
        for (index, count) in others.enumerated() {
            inspection.entities[place + 1 + index].objects = count
        }
        inspection.differences += differences
        if let last = totals[1], last > highest {
            inspection.differences.append(
                "\(family.table): the largest Z_PK is \(last), and Z_MAX of "
                    + "\(family.members[0].name) in Z_PRIMARYKEY is \(highest): Core Data would "
                    + "give keys of objects to new ones")
        }
        if max(totals[1] ?? 0, highest) == .max {
            inspection.differences.append(
                "\(family.table): \(family.members[0].name) has no keys left: Z_MAX in Z_PRIMARYKEY, or "
                    + "a Z_PK, is \(Int64.max), and no object can be inserted")
        }
    }

    /// The condition that Z_ENT is the number of none of the entities of a table.
    private func isOfNoEntity(_ family: EntityFamily) -> String {
        let numbers = family.members.map { String($0.number) }
        return numbers.count == 1
            ? "t.Z_ENT\(connection.dialect.different)\(numbers[0])"
            : "t.Z_ENT IS NULL OR t.Z_ENT NOT IN (\(numbers.joined(separator: ", ")))"
    }
}
