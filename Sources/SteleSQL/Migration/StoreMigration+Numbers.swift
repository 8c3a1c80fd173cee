import SteleMigration
import SteleModel
import StelePersistence

/// Attributes that change from one numeric type to another.
extension StoreMigration {
    /// Values of the source that may not fit.
    private struct Narrowing {
        let requirement: MigrationRequirement
        let change: NumericChange
        let table: String
        let column: String
        /// The entity of the objects.
        let entity: Entity
        /// The condition that a value does not fit.
        let misfit: String
    }

    private func narrowings() -> [Narrowing] {
        let schema = map.source
        return requirements.compactMap { requirement in
            guard case .fits(_, let name, let change) = requirement.kind,
                let entity = schema.model.entity(named: requirement.sourceEntityName),
                let attribute = entity.attribute(named: name),
                let column = schema.column(of: attribute.slot, in: entity.index),
                let misfit = schema.dialect.numbers(change, column).misfit
            else { return nil }
            return Narrowing(
                requirement: requirement, change: change,
                table: schema.table(of: entity.index).name, column: column,
                entity: entity, misfit: misfit)
        }
    }

    /// The condition that a row is of one of some entities, and its values have to fit. A typed
    /// database converts all rows, also those with keys below 1, which are no objects.
    private func mustFit(_ entities: [Entity]) -> String {
        let schema = map.source
        return schema.dialect.isTyped ? schema.isOne(of: entities) : schema.isObject(of: entities)
    }

    /// Checks that all values fit their new types, in one pass over each table.
    /// - Throws: `.incompatible` (134110) with the objects of the first attribute whose values do
    ///   not fit.
    func checkNumbers() throws(StoreError) {
        let narrowings = narrowings()
        for (table, its) in Dictionary(grouping: narrowings, by: \.table) {
            let conditions = Dictionary(grouping: its, by: \.misfit).sorted { $0.key < $1.key }
                .map { "(\(mustFit($1.map(\.entity))) AND \($0))" }
            let rows = try work.connection.rows(
                SQLText(
                    "SELECT Z_PK FROM \(table) WHERE \(conditions.joined(separator: " OR ")) LIMIT 1"
                ),
                [], [.integer])
            if rows.isEmpty { continue }
            for it in narrowings { try check(it) }
        }
        try checkKeptIntegers()
    }

    /// Checks the integers of rows with keys below 1, which are not converted: a column of Doubles or
    /// Floats rounds what it is given.
    /// - Throws: `.incompatible` (134110) for one that would not stay.
    private func checkKeptIntegers() throws(StoreError) {
        let source = map.source
        if source.dialect.isTyped { return }
        for entity in map.destination.model.storedEntities {
            guard let former = map.source(of: entity) else { continue }
            for case .attribute(let it) in entity.slots
            where it.type == .float || it.type == .double {
                guard let old = map.source(of: it, in: entity),
                    old.type != .float, old.type != .double,
                    let column = source.column(of: old.slot, in: old.owner)
                else { continue }
                let table = source.table(of: former.index).name
                let row = try work.connection.integer(
                    SQLText(
                        "SELECT Z_PK FROM \(table) WHERE Z_PK < 1 AND \(source.isOne(of: [former])) "
                            + "AND typeof(\(column)) = 'integer' "
                            + "AND \(column) <> CAST(\(column) AS REAL) LIMIT 1"))
                guard let row else { continue }
                throw .incompatible(
                    code: 134110,
                    "\(entity.name).\(it.name) is of type \(it.type.name) and was "
                        + "\(old.type.name), and the row \(row) of \(table), which is no object, has an "
                        + "integer that would be rounded: delete the row in the database while no "
                        + "program has the store open")
            }
        }
    }

    private func check(_ it: Narrowing) throws(StoreError) {
        let from = "FROM \(it.table) WHERE \(mustFit([it.entity])) AND \(it.misfit)"
        let count = try work.count("SELECT COUNT(*) \(from)")
        if count == 0 { return }
        let rows = try work.connection.rows(
            SQLText(
                "SELECT Z_PK, \(it.column), CASE WHEN \(it.column) > 0 THEN 1 ELSE 0 END "
                    + "\(from) ORDER BY Z_PK LIMIT \(MigrationRequirement.listed)"),
            [], [.integer, ColumnKind(it.change.source), .integer])
        let values = rows.compactMap { row -> (key: Int64, value: Value)? in
            guard case .int(let key) = row[0] else { return nil }
            // A null fits. What is read as one is infinite.
            let infinity: Value = .double(row[2] == .int(1) ? .infinity : -.infinity)
            return (key, row[1].isNull ? infinity : row[1])
        }
        throw .incompatible(
            code: 134110, it.requirement.error(count: Int(count), values: values).description)
    }

    /// Gives a Boolean that has become an integer 1 for each other number than 0 and 1, which only
    /// another program stores, and which was true.
    func settleBooleans() throws(StoreError) {
        for it in settledBooleans {
            try work.run(
                "UPDATE \(it.table) SET \(it.column) = 1 "
                    + "WHERE \(it.column) NOT IN (0, 1) AND \(it.isObject)")
        }
    }

    /// The Booleans that have become integers.
    var settledBooleans: [Change] { changes { $0.type == .boolean && $1.type.isInteger } }

    /// The names of the attributes that have become Decimals, and have values that SQL's own
    /// comparison would get wrong.
    func newLongDecimals() throws(StoreError) -> [String] {
        if work.connection.dialect.hasExactDecimals { return [] }
        let model = map.destination.model
        var names: [String] = []
        for it in changes(where: { $0.type != .decimal && $1.type == .decimal }) {
            let rows = try work.connection.rows(
                SQLText(
                    "SELECT Z_PK FROM \(it.table) WHERE typeof(\(it.column)) = 'blob' "
                        + "AND \(it.condition) LIMIT 1"), [], [.integer])
            if rows.isEmpty { continue }
            names.append("\(model.entities[it.attribute.owner].name).\(it.attribute.name)")
        }
        return names
    }
}
