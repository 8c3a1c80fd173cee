import SteleModel

extension JoinTable {
    /// The join table seen from `it`, with Core Data's names. One of the two relationships names
    /// it: of two relationships of one entity, the one whose name sorts last; else the one of the
    /// entity whose name sorts first, counting inherited relationships.
    /// - Parameter numbers: the Z_ENT of each entity.
    /// - Returns: the table with that name, and with that of the other relationship; one where the
    ///   relationship is its own inverse.
    static func either(
        _ it: Relationship, _ inverse: Relationship, _ model: Model, _ numbers: [Int]
    ) -> [JoinTable] {
        if it === inverse { return [JoinTable(it, inverse, numbers, owns: true)] }
        let owns = owns(it, inverse, model)
        return [owns, !owns].map { JoinTable(it, inverse, numbers, owns: $0) }
    }

    private init(_ it: Relationship, _ inverse: Relationship, _ numbers: [Int], owns: Bool) {
        isReflexive = it === inverse
        isOwningSide = owns
        let (owning, other) = owns ? (it, inverse) : (inverse, it)
        let (a, b) = (numbers[owning.owner], numbers[other.owner])
        let (name, otherName) = (owning.name.uppercased(), other.name.uppercased())
        self.name = "Z_\(a)\(name)"
        let owners = "Z_\(a)\(otherName)"
        var members = isReflexive ? "REFLEXIVE" : "Z_\(b)\(name)"
        if members == owners { members += "1" }
        ownerColumn = owns ? owners : members
        memberColumn = owns ? members : owners
        let order = owning.isOrdered ? "Z_FOK_\(isReflexive ? "REFLEXIVE" : "\(b)\(name)")" : nil
        let otherOrder = other.isOrdered && !isReflexive ? "Z_FOK_\(a)\(otherName)" : nil
        orderColumn = owns ? order : otherOrder
        inverseOrderColumn = owns ? otherOrder : order
    }

    private static func owns(_ it: Relationship, _ inverse: Relationship, _ model: Model) -> Bool {
        if it.owner == inverse.owner { return it.name > inverse.name }
        for entity in model.entities.sorted(by: { $0.name < $1.name }) {
            let hasIt = entity.relationship(named: it.name) === it
            let hasInverse = entity.relationship(named: inverse.name) === inverse
            // An entity has both where it inherits one of them.
            if hasIt && hasInverse { return it.name > inverse.name }
            if hasIt || hasInverse { return hasIt }
        }
        return it.index < inverse.index
    }

    /// The index on the member's key; for the owning side only.
    var index: SQLIndex {
        SQLIndex("\(name)_\(memberColumn)_INDEX", on: name, [memberColumn, ownerColumn])
    }

    /// The CREATE TABLE statement, with Core Data's spacing; for the owning side only.
    /// - Parameter other: another name for the table.
    func creation(named other: String? = nil) -> String {
        let orders = [orderColumn, inverseOrderColumn].compactMap { $0 }
            .map { ", \($0) INTEGER" }.joined()
        return "CREATE TABLE \(other ?? name) ( \(ownerColumn) INTEGER, \(memberColumn) INTEGER"
            + "\(orders), PRIMARY KEY (\(ownerColumn), \(memberColumn)) )"
    }
}
