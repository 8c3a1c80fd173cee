import SteleModel

/// The entity of a table in the making.
struct EntityDraft {
    /// The entity's name.
    let name: String
    /// The names of the to-one relationships of the foreign keys.
    private(set) var references: [CatalogForeignKey: String] = [:]
    private let table: CatalogTable
    private let places: [String: Int]
    private var taken = DistinctNames(reserved: TableNaming.reserved)
    /// The properties with columns, each with the place of the first.
    private var own: [(place: Int, columns: [String], property: PropertyDescription)] = []
    /// The relationships that foreign keys of other tables make.
    private var inverses: [RelationshipDescription] = []

    init(_ table: CatalogTable, name: String) {
        self.table = table
        self.name = name
        places = Dictionary(
            table.columns.enumerated().map { ($1.name, $0) }, uniquingKeysWith: min)
    }

    /// Adds the attribute of a column.
    mutating func add(_ column: CatalogColumn) {
        let name = TableNaming.property(column.name)
        let ending = TableNaming.reserved.contains(name) ? "Value" : ""
        var attribute = AttributeDescription(
            name: taken.take([name + ending]), type: ColumnForm(column).type)
        let constant = column.constantDefault
        attribute.isOptional =
            !column.isRequired || column.isGenerated
            || column.defaultExpression != nil && constant == nil
        attribute.defaultValue = constant ?? .null
        if attribute.type == .string {
            if let length = column.length { attribute.maximum = .int(Int64(length)) }
            attribute.regularExpression = column.labelPattern
        }
        if attribute.type.hasScalar, !attribute.isOptional { attribute.usesScalarValueType = true }
        attribute.userInfo = [UserInfoEntry(key: TableKey.columns, value: column.name)]
        own.append((places[column.name] ?? 0, [column.name], .attribute(attribute)))
    }

    /// Adds the to-one relationship of a foreign key.
    /// - Parameter destination: the name of the other entity.
    mutating func add(_ key: CatalogForeignKey, to destination: String) {
        let wanted = TableNaming.reference(key.columns) ?? TableNaming.lowercased(destination)
        let name = taken.take([wanted, wanted + destination])
        var reference = RelationshipDescription(name: name, destinationName: destination)
        reference.isOptional = key.columns.contains { name in
            guard let column = table.column(named: name) else { return true }
            return !column.isRequired || column.isGenerated || column.defaultExpression != nil
        }
        reference.maximumCount = 1
        reference.userInfo = [
            UserInfoEntry(key: TableKey.columns, value: key.columns.joined(separator: ","))
        ]
        references[key] = name
        let place = key.columns.compactMap { places[$0] }.min() ?? 0
        own.append((place, key.columns, .relationship(reference)))
    }

    /// Adds the inverse of a to-one relationship.
    /// - Returns: its name.
    mutating func add(_ inverse: Inverse) -> String {
        var relationship = RelationshipDescription(
            name: taken.take(inverse.names), destinationName: inverse.source)
        relationship.isOptional = true
        relationship.isToMany = inverse.isToMany
        relationship.maximumCount = inverse.isToMany ? 0 : 1
        relationship.deleteRule = inverse.deleteRule
        relationship.inverseName = inverse.name
        relationship.inverseEntityName = inverse.source
        inverses.append(relationship)
        return relationship.name
    }

    /// Adds a many-to-many relationship, whose inverse is set later.
    /// - Returns: its name.
    mutating func add(
        _ names: [String], to destination: String, _ userInfo: [UserInfoEntry]
    ) -> String {
        var relationship = RelationshipDescription(
            name: taken.take(names), destinationName: destination)
        relationship.isOptional = true
        relationship.isToMany = true
        relationship.userInfo = userInfo
        inverses.append(relationship)
        return relationship.name
    }

    /// Sets the inverse of a relationship of this entity.
    mutating func setInverse(of name: String, to inverse: String?) {
        func linked(_ relationship: RelationshipDescription) -> RelationshipDescription {
            var linked = relationship
            linked.inverseName = inverse
            linked.inverseEntityName = relationship.destinationName
            return linked
        }
        own = own.map { item in
            guard case .relationship(let it) = item.property, it.name == name else { return item }
            return (item.place, item.columns, .relationship(linked(it)))
        }
        inverses = inverses.map { $0.name == name ? linked($0) : $0 }
    }

    /// The entity, with the properties in the order of their columns, and then those without
    /// columns by name.
    var entity: EntityDescription {
        var entity = EntityDescription(name: name)
        entity.managedObjectClassName = name
        entity.codeGenerationType = .class
        entity.isSyncable = true
        entity.properties =
            own.sorted { $0.place < $1.place }.map(\.property)
            + inverses.sorted { $0.name < $1.name }.map { .relationship($0) }
        for columns in [table.key] + table.uniques {
            guard let names = constraint(columns), !names.isEmpty,
                !entity.uniquenessConstraints.contains(names)
            else { continue }
            entity.uniquenessConstraints.append(names)
        }
        entity.userInfo = [UserInfoEntry(key: TableKey.table, value: table.name.description)]
        return entity
    }

    /// The properties that have the columns of a constraint; nil where one has others too.
    private func constraint(_ columns: [String]) -> [String]? {
        var names: [String] = []
        for column in columns {
            guard let item = own.first(where: { $0.columns.contains(column) }),
                Set(item.columns).isSubset(of: columns)
            else { return nil }
            if !names.contains(item.property.name) { names.append(item.property.name) }
        }
        return names
    }
}

/// The inverse of a to-one relationship.
struct Inverse {
    /// Its name, and others for the case that it is taken.
    let names: [String]
    /// The name of the entity that has the to-one relationship.
    let source: String
    /// The name of the to-one relationship.
    let name: String
    let isToMany: Bool
    let deleteRule: DeleteRule
}

extension AttributeType {
    /// Whether Xcode's classes can have the values as plain numbers.
    fileprivate var hasScalar: Bool { isNumeric && self != .decimal || self == .boolean }
}
