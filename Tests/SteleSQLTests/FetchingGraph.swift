// A small random graph of objects, in memory and in a database, to compare what both say of it.

import SteleModel
import StelePredicates
import SteleSQL
import TestSupport

/// Objects by entity and key, and the links between them.
final class FetchingGraph {
    struct Row {
        var entity: Entity
        var values: [Value]
    }

    let model: Model
    let schema: SQLSchema
    /// By root, then key.
    private(set) var rows: [Int: [Int64: Row]] = [:]
    /// Pairs by relationship and owner, for what is no plain inverse of a to-one.
    private(set) var links: [Int: [Int64: [Int64]]] = [:]

    init(_ schema: SQLSchema, _ random: inout SeededNumbers) {
        self.schema = schema
        model = schema.model
        fill("League", 3, &random)
        fill("Team", 6, &random)
        fill("Skill", 5, &random)
        for name in ["Person", "Employee", "Director"] { fill(name, 14, &random) }
        link("Person", "skills", "Skill", &random)
        link("Person", "friends", "Person", &random)
        adopt("Team", "fans", "Person", &random)
    }

    func keys(_ name: String) -> [Int64] {
        guard let entity = model.entity(named: name) else { return [] }
        return (rows[entity.root] ?? [:]).filter { entity.isKind($0.value.entity.index) }
            .keys.sorted()
    }

    private func fill(_ name: String, _ count: Int, _ random: inout SeededNumbers) {
        guard let entity = model.entity(named: name) else { return }
        for _ in 0..<count {
            let key = Int64((rows[entity.root] ?? [:]).count + 1)
            var values: [Value] = []
            for slot in entity.slots {
                switch slot {
                case .attribute(let it): values.append(Self.value(it, &random))
                case .relationship(let it):
                    let others = keys(model.destination(of: it).name)
                    let other =
                        Int.random(in: 0..<4, using: &random) == 0
                        ? nil : others.randomElement(using: &random)
                    values.append(other.map(Value.key) ?? .null)
                case .fetchedProperty, .transientRelationship: values.append(.null)
                }
            }
            rows[entity.root, default: [:]][key] = Row(entity: entity, values: values)
        }
    }

    static func value(_ it: Attribute, _ random: inout SeededNumbers) -> Value {
        if Int.random(in: 0..<4, using: &random) == 0 { return .null }
        let small = Int.random(in: -2...5, using: &random)
        switch it.type {
        case .boolean: return .bool(small > 1)
        case .double: return .double(Double(small) / 2)
        case .date: return .date(Double(small) * 1.5)
        case .string: return .string(texts.randomElement(using: &random) ?? "")
        case .decimal, .uuid: return .null
        default: return .int(Int64(small))
        }
    }

    static let texts = [
        "", "a", "A", "ab", "aB", "Ab", "abc", "é", "e\u{301}", "É", "b*", "a\u{10FFFF}",
        "\u{10FFFF}",
    ]

    private func link(
        _ owner: String, _ name: String, _ member: String, _ random: inout SeededNumbers
    ) {
        guard let it = model.entity(named: owner)?.relationship(named: name) else { return }
        for a in keys(owner) {
            for b in keys(member) where Int.random(in: 0..<6, using: &random) == 0 {
                add(it.index, a, b)
                if let inverse = it.inverse { add(inverse, b, a) }
            }
        }
    }

    private func add(_ relationship: Int, _ owner: Int64, _ member: Int64) {
        if links[relationship]?[owner]?.contains(member) ?? false { return }
        links[relationship, default: [:]][owner, default: []].append(member)
    }

    /// Without inverse, each member has one owner at most.
    private func adopt(
        _ owner: String, _ name: String, _ member: String, _ random: inout SeededNumbers
    ) {
        guard let it = model.entity(named: owner)?.relationship(named: name) else { return }
        for key in keys(member) where Bool.random(using: &random) {
            if let a = keys(owner).randomElement(using: &random) { add(it.index, a, key) }
        }
    }

    func members(_ it: Relationship, of owner: Int64) -> [Int64] {
        if let inverse = model.inverse(of: it), !inverse.isToMany {
            return (rows[model.destination(of: it).root] ?? [:])
                .filter { $0.value.values.indices.contains(inverse.slot) }
                .filter { $0.value.values[inverse.slot] == .key(owner) }.keys.sorted()
        }
        return (links[it.index]?[owner] ?? []).sorted()
    }

    // MARK: Into a database

    func write(to database: FetchingDatabase) throws {
        for (root, objects) in rows {
            guard let table = schema.tables[root] else { continue }
            for (key, row) in objects {
                var columns = ["Z_PK", "Z_ENT", "Z_OPT"]
                var values: [Value] = [.key(key), .int(Int64(row.entity.index + 1)), .int(key % 3)]
                for (slot, value) in row.values.enumerated() {
                    guard let column = schema.column(of: slot, in: row.entity.index) else {
                        continue
                    }
                    columns.append(column)
                    values.append(value)
                }
                let places = values.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
                try database.run(
                    "INSERT INTO \(table.name) (\(columns.joined(separator: ", "))) "
                        + "VALUES (\(places))", values)
            }
        }
        for (index, owners) in links { try write(index, owners, to: database) }
    }

    private func write(
        _ index: Int, _ owners: [Int64: [Int64]], to database: FetchingDatabase
    ) throws {
        for (owner, members) in owners {
            for member in members {
                switch schema.toManys[index] {
                case .join(let join)? where join.isOwningSide || join.isReflexive:
                    try database.run(
                        "INSERT INTO \(join.name) (\(join.ownerColumn), \(join.memberColumn)) "
                            + "VALUES (?1, ?2)", [.key(owner), .key(member)])
                case .column(let table, let column, _, false)?:
                    try database.run(
                        "UPDATE \(table) SET \(column) = ?1 WHERE Z_PK = ?2",
                        [.key(owner), .key(member)])
                default: break
                }
            }
        }
    }
}

/// One object of the graph, as predicates see it.
struct GraphObject: EvaluatedObject {
    let graph: FetchingGraph
    let root: Int
    let key: Int64

    private var row: FetchingGraph.Row? { graph.rows[root]?[key] }
    var entityIndex: Int { row?.entity.index ?? 0 }
    var version: Int64 { key % 3 }

    func value(of attribute: Attribute) -> Value {
        guard let values = row?.values, values.indices.contains(attribute.slot) else {
            return .null
        }
        return values[attribute.slot]
    }

    func toOne(_ relationship: Relationship) -> GraphObject? {
        guard let values = row?.values, values.indices.contains(relationship.slot),
            case .key(let key) = values[relationship.slot]
        else { return nil }
        return GraphObject(
            graph: graph, root: graph.model.destination(of: relationship).root, key: key)
    }

    func toMany(_ relationship: Relationship) -> [GraphObject] {
        let root = graph.model.destination(of: relationship).root
        return graph.members(relationship, of: key).map {
            GraphObject(graph: graph, root: root, key: $0)
        }
    }
}
