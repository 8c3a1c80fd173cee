import SteleModel

extension JoinTable {
    /// The join table seen from `it`, with Core Data's names. One of the two relationships names
    /// it: of two relationships of one entity, the one whose name sorts last; else the one of the
    /// entity whose name sorts first, counting inherited relationships.
    init(_ it: Relationship, _ inverse: Relationship, _ model: Model) {
        isReflexive = it === inverse
        let owns = isReflexive || Self.owns(it, inverse, model)
        isOwningSide = owns
        let (owning, other) = owns ? (it, inverse) : (inverse, it)
        let (a, b) = (owning.owner + 1, other.owner + 1)
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
            // An entity has both only where it inherits one of them.
            if entity.index == it.owner || entity.relationship(named: it.name) === it {
                return true
            }
            if entity.relationship(named: inverse.name) === inverse { return false }
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
