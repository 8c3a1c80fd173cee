import SteleModel
import StelePersistence

/// The INSERT, UPDATE and DELETE statements of a schema, each made once; used by the writer.
struct SaveStatements {
    private struct Shape: Hashable {
        var entity: Int
        var slots: [Int]
    }

    private let schema: SQLSchema
    private var inserts: [Int: SQLText] = [:]
    private var rows: [Int: RowBuffer] = [:]
    private var updates: [Shape: SQLText] = [:]
    private var deletes: [Int: SQLText] = [:]
    private var texts: [String: SQLText] = [:]

    init(_ schema: SQLSchema) { self.schema = schema }

    /// `INSERT INTO ZPERSON (Z_PK, Z_ENT, Z_OPT, …) VALUES (?1, ?2, 1, …)`: the bindings are the
    /// key, the Z_ENT, the slots in their order, and the concrete entities of to-one destinations
    /// with subentities.
    mutating func insert(_ entity: Int) -> SQLText {
        if let made = inserts[entity] { return made }
        let table = schema.table(of: entity)
        let mapping = schema.mappings[entity]
        let columns = (mapping.slotColumns + mapping.entityColumns).filter { $0 >= 0 }
            .map { table.columns[$0].name }
        let names = columns.map { ", \($0)" }.joined()
        let places = columns.indices.map { ", ?\($0 + 3)" }.joined()
        let made = SQLText(
            "INSERT INTO \(table.name) (Z_PK, Z_ENT, Z_OPT\(names)) "
                + "VALUES (?1, ?2, 1\(places))")
        inserts[entity] = made
        return made
    }

    /// The same for many rows. A row has the key, the slots in their order, and the concrete
    /// entities of to-one destinations with subentities.
    mutating func rows(_ entity: Int) -> RowBuffer {
        if let made = rows[entity] { return made }
        let table = schema.table(of: entity)
        let mapping = schema.mappings[entity]
        let columns = (mapping.slotColumns + mapping.entityColumns).filter { $0 >= 0 }
            .map { table.columns[$0].name }
        let made = RowBuffer(
            table: table.name, columns: ["Z_PK"] + columns,
            constants: [("Z_ENT", "\(schema.number(of: entity))"), ("Z_OPT", "1")], schema.dialect)
        rows[entity] = made
        return made
    }

    /// `UPDATE ZPERSON SET Z_OPT = ?1, … WHERE Z_PK = ?2 AND (version) = ?3`: the bindings from ?4 on
    /// are the changed slots in their order, and the concrete entities of to-one destinations among
    /// them.
    mutating func update(_ entity: Int, _ slots: [Int]) -> SQLText {
        let shape = Shape(entity: entity, slots: slots)
        if let made = updates[shape] { return made }
        let table = schema.table(of: entity)
        let mapping = schema.mappings[entity]
        let columns =
            (slots.map { mapping.slotColumns[$0] } + slots.map { mapping.entityColumns[$0] })
            .filter { $0 >= 0 }.map { table.columns[$0].name }
        let assignments = columns.enumerated().map { ", \($0.element) = ?\($0.offset + 4)" }
        let made = SQLText(
            "UPDATE \(table.name) SET Z_OPT = ?1\(assignments.joined()) "
                + "WHERE Z_PK = ?2 AND \(SQLSchema.version()) = ?3")
        updates[shape] = made
        return made
    }

    /// `DELETE FROM ZPERSON WHERE Z_PK = ?1 AND (version) = ?2`.
    mutating func delete(_ entity: Int) -> SQLText {
        if let made = deletes[entity] { return made }
        let made = SQLText(
            "DELETE FROM \(schema.table(of: entity).name) WHERE Z_PK = ?1 "
                + "AND \(SQLSchema.version()) = ?2")
        deletes[entity] = made
        return made
    }

    /// Returns the statement for a text.
    mutating func text(_ string: String) -> SQLText {
        if let made = texts[string] { return made }
        let made = SQLText(string)
        texts[string] = made
        return made
    }
}
