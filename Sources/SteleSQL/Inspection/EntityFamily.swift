import SteleModel
import StelePersistence

/// A root entity with its subentities and their table, as the model has them, or without a model as
/// Z_PRIMARYKEY has them.
struct EntityFamily {
    struct Member {
        let number: Int64
        let name: String
        let depth: Int
        let isAbstract: Bool
    }

    let table: String
    /// The root first.
    let members: [Member]

    /// The families that a store of a model has.
    static func all(in schema: SQLSchema) -> [EntityFamily] {
        let model = schema.model
        return model.storedEntities.filter { $0.parent == nil }.map { root in
            var depths: [Int: Int] = [:]
            let members = model.family(of: root).map { entity in
                let depth = entity.parent.flatMap { depths[$0] }.map { $0 + 1 } ?? 0
                depths[entity.index] = depth
                return Member(
                    number: Int64(schema.number(of: entity.index)), name: entity.name,
                    depth: depth, isAbstract: entity.isAbstract)
            }
            return EntityFamily(table: schema.table(of: root.index).name, members: members)
        }
    }

    /// The families that the rows of Z_PRIMARYKEY make.
    static func all(in rows: [PrimaryKeyRow]) -> [EntityFamily] {
        let own = rows.filter { !$0.isOfFramework }
        let children = Dictionary(grouping: own, by: \.parent)
        return (children[0] ?? []).map { root in
            var members: [Member] = []
            // In a damaged file a number may occur twice.
            var reached = Set<Int64>()
            var open = [(root, 0)]
            while let (row, depth) = open.popLast() {
                guard reached.insert(row.number).inserted else { continue }
                members.append(
                    Member(number: row.number, name: row.name, depth: depth, isAbstract: false))
                open += (children[row.number] ?? []).reversed().map { ($0, depth + 1) }
            }
            return EntityFamily(table: "Z\(root.name.uppercased())", members: members)
        }
    }
}

/// A row of Z_PRIMARYKEY.
struct PrimaryKeyRow {
    let number: Int64
    let name: String
    /// The number of the parent; 0 for a root.
    let parent: Int64
    /// The highest key given out.
    let highest: Int64

    private static let reading = SQLText(
        "SELECT Z_ENT, Z_NAME, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY ORDER BY Z_ENT")
    private static let readingHistory = SQLText(
        "SELECT Z_ENT, Z_NAME, Z_SUPER, Z_MAX FROM history.Z_PRIMARYKEY ORDER BY Z_ENT")

    /// Whether the row is of an entity of the framework, such as those of the history.
    var isOfFramework: Bool { number >= HistoryTables.change }

    /// Reads all rows of the store, or of its history's file.
    static func all(
        _ connection: any SQLConnection, ofHistory: Bool = false
    ) throws(StoreError) -> [PrimaryKeyRow] {
        try connection.rows(
            ofHistory ? readingHistory : reading, [], [.integer, .text, .integer, .integer]
        ).map { row in
            PrimaryKeyRow(
                number: row[0].integer ?? 0, name: row[1].text ?? "", parent: row[2].integer ?? 0,
                highest: row[3].integer ?? 0)
        }
    }
}
