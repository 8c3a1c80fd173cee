/// Checks of names: valid identifiers, and names that collide.

extension ModelCheck {
    /// The keys that every object has in JSON beside its properties.
    static let reservedNames = ["_id", "_entity", "_version"]
    /// The columns that every table has beside those of its properties, without the leading Z.
    private static let reservedColumns = ["_PK", "_ENT", "_OPT"]

    /// Whether the name is an identifier, so that predicates and key paths can name it.
    static func isIdentifier(_ name: String) -> Bool {
        name.unicodeScalars.first.map(Identifier.canBegin) ?? false
            && name.unicodeScalars.allSatisfy(Identifier.canContinue)
    }

    func checkEntityNames() {
        var byTable: [String: String] = [:]
        for entity in model.entities {
            checkIdentifier(entity.name, entity.name)
            let table = entity.name.uppercased()
            if let other = byTable[table] {
                findings.error(
                    entity.name,
                    "its name differs from \(other) only by case, so both would have"
                        + " the table Z\(table)",
                    hint: "rename one, and set its renaming identifier to the old name")
            }
            byTable[table] = entity.name
        }
    }

    private func checkIdentifier(_ name: String, _ place: String) {
        guard !Self.isIdentifier(name) else { return }
        findings.error(
            place, "\(quoted(name)) is not a valid name",
            hint: "a name begins with a letter and has letters, digits and _")
    }

    /// Reports invalid names, and properties that a parent entity has too.
    func checkPropertyNames(of entity: Entity) {
        let parent = entity.parent.map { model.entities[$0] }
        for property in entity.declaration.properties {
            let place = "\(entity.name).\(property.name)"
            if Self.reservedNames.contains(property.name) {
                findings.error(
                    place, "\(property.name) is reserved: every object has this key in JSON",
                    hint: "rename it")
            } else {
                checkIdentifier(property.name, place)
            }
            if let parent, parent.property(named: property.name) != nil {
                findings.error(
                    place,
                    "\(entity.name) inherits a property with this name from \(parent.name)")
            }
        }
    }

    /// Reports properties of one entity whose names give the same column. Columns of sibling
    /// entities do not collide.
    func checkColumns(of entity: Entity) {
        var byColumn: [String: String] = [:]
        for property in entity.slots {
            guard property.isStored else { continue }
            // The column of a composite's element begins with the composite's name.
            let column = property.name.replacing(".", with: "_").uppercased()
            let first = property.name.prefix { $0 != "." }
            let place = "\(entity.name).\(property.name)"
            let isOwn = entity.declaration.properties.contains { $0.name == first }
            if isOwn, Self.reservedColumns.contains(column) {
                findings.error(
                    place, "its column Z\(column) already exists in every table",
                    hint: "rename it, and set its renaming identifier to the old name")
            }
            if isOwn, let other = byColumn[column], other != property.name {
                findings.error(
                    place,
                    "its name differs from \(other) only by case,"
                        + " so both would have the column Z\(column)",
                    hint: "rename one, and set its renaming identifier to the old name")
            }
            byColumn[column] = property.name
        }
    }
}

extension Property {
    /// Whether a store keeps the property.
    fileprivate var isStored: Bool {
        switch self {
        case .attribute(let it): !it.declaration.isTransient
        case .relationship: true
        case .fetchedProperty, .transientRelationship: false
        }
    }
}
