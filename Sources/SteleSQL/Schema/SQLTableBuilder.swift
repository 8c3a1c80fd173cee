import SteleModel

/// Builds the table of an inheritance tree: its columns with Core Data's names and order.
///
/// The columns are in ten groups, each sorted by Z_ENT and then by name: integers and keys of
/// to-one relationships; order keys; keys of to-many relationships without an inverse; dates,
/// doubles and floats; decimals; text; URIs; UUIDs; transformables; binaries.
struct SQLTableBuilder {
    private struct Wanted {
        var group: Int
        var entity: Int
        var rank = 0
        var name: String
        var column: String
        var type = "INTEGER"
        var kind = ColumnKind.key
        var role: ColumnRole
    }

    private let model: Model
    private let root: Entity
    private let numbers: [Int]
    private var wanted: [Wanted] = []

    /// - Parameter numbers: the Z_ENT of each entity.
    init(model: Model, root: Entity, numbers: [Int]) {
        self.model = model
        self.root = root
        self.numbers = numbers
        for entity in model.family(of: root) { add(entity) }
        addToManysWithoutInverse()
        wanted.sort {
            ($0.group, $0.entity, $0.rank, $0.name) < ($1.group, $1.entity, $1.rank, $1.name)
        }
        makeNamesUnique()
    }

    private mutating func add(_ entity: Entity) {
        for property in entity.slots {
            switch property {
            case .attribute(let it) where it.owner == entity.index && !it.declaration.isTransient:
                let (group, type) = Self.place(of: it.type)
                wanted.append(
                    Wanted(
                        group: group, entity: entity.index, name: it.name,
                        column: "Z\(it.name.replacing(".", with: "_").uppercased())", type: type,
                        kind: ColumnKind(it), role: .slot(entity: entity.index, slot: it.slot)))
            case .relationship(let it) where it.owner == entity.index: add(it, in: entity)
            default: break
            }
        }
    }

    private mutating func add(_ it: Relationship, in entity: Entity) {
        let (index, upper) = (entity.index, it.name.uppercased())
        wanted.append(
            Wanted(
                group: 1, entity: index, rank: 1, name: it.name, column: "Z\(upper)",
                role: .slot(entity: index, slot: it.slot)))
        let destination = model.destination(of: it)
        if destination.hasSubentities {
            // A character that no name has sorts this column after its key.
            wanted.append(
                Wanted(
                    group: 1, entity: index, rank: 1, name: it.name + "\u{1}",
                    column: "Z\(numbers[destination.index])_\(upper)",
                    role: .destinationEntity(entity: index, slot: it.slot)))
        }
        if let inverse = model.inverse(of: it), inverse.isToMany, inverse.isOrdered {
            wanted.append(
                Wanted(
                    group: 2, entity: index, name: it.name, column: "Z_FOK_\(upper)",
                    role: .order(relationship: inverse.index)))
        }
    }

    /// Adds the columns of to-many relationships without an inverse, whose owner's key is in the
    /// members' rows.
    private mutating func addToManysWithoutInverse() {
        for it in model.relationships
        where it.isToMany && it.inverse == nil && model.entities[it.destination].root == root.index
        {
            let name = "\(numbers[it.owner])\(it.name.uppercased())"
            wanted.append(
                Wanted(
                    group: 3, entity: it.owner, name: it.name, column: "Z\(name)",
                    role: .owner(relationship: it.index)))
            guard it.isOrdered else { continue }
            wanted.append(
                Wanted(
                    group: 2, entity: it.owner, rank: 1, name: it.name, column: "Z_FOK_\(name)",
                    role: .order(relationship: it.index)))
        }
    }

    /// Returns the column group and the declared type of an attribute type.
    private static func place(of type: AttributeType) -> (Int, String) {
        switch type {
        case .integer16, .integer32, .integer64, .boolean: (1, "INTEGER")
        case .undefined, .objectID, .composite: (1, "INTEGER")
        case .date: (4, "TIMESTAMP")
        case .double, .float: (4, "FLOAT")
        case .decimal: (5, "DECIMAL")
        case .string: (6, "VARCHAR")
        case .uri: (7, "VARCHAR")
        case .uuid: (8, "BLOB")
        case .transformable: (9, "BLOB")
        case .binary: (10, "BLOB")
        }
    }

    /// Makes names unique: of siblings' properties with the same name, the later ones in Z_ENT
    /// order get a suffix 1, 2, 3.
    private mutating func makeNamesUnique() {
        var taken = Set<String>()
        let byEntity = wanted.indices.sorted {
            (wanted[$0].entity, $0) < (wanted[$1].entity, $1)
        }
        for index in byEntity {
            let plain = wanted[index].column
            var (name, suffix) = (plain, 0)
            while !taken.insert(name).inserted {
                suffix += 1
                name = "\(plain)\(suffix)"
            }
            wanted[index].column = name
        }
    }

    /// Returns the table.
    func table() -> SQLTable {
        let columns = wanted.map {
            SQLTable.Column(name: $0.column, type: $0.type, kind: $0.kind, role: $0.role)
        }
        return SQLTable(root: root.index, name: "Z\(root.name.uppercased())", columns: columns)
    }

    /// Finds the columns of a table: those of each entity's slots, and of to-many relationships.
    func places(
        in table: SQLTable
    ) -> (mappings: [Int: EntityMapping], toManys: ToManyColumns) {
        var places: [ColumnRole: Int] = [:]
        var toManys = ToManyColumns()
        for (index, column) in table.columns.enumerated() {
            places[column.role] = index
            switch column.role {
            case .order(let relationship): toManys.orders[relationship] = column.name
            case .owner(let relationship): toManys.owners[relationship] = column.name
            default: break
            }
        }
        var mappings: [Int: EntityMapping] = [:]
        for entity in model.family(of: root) {
            let owners = entity.slots.map { property in
                switch property {
                case .attribute(let it): it.owner
                case .relationship(let it): it.owner
                case .fetchedProperty, .transientRelationship: entity.index
                }
            }
            mappings[entity.index] = EntityMapping(
                slotColumns: owners.enumerated().map {
                    places[.slot(entity: $0.element, slot: $0.offset)] ?? -1
                },
                entityColumns: owners.enumerated().map {
                    places[.destinationEntity(entity: $0.element, slot: $0.offset)] ?? -1
                })
        }
        return (mappings, toManys)
    }

    /// The columns of to-many relationships in this table, by index of the relationship.
    struct ToManyColumns {
        var orders: [Int: String] = [:]
        var owners: [Int: String] = [:]
    }
}
