import SteleModel

/// Where the links of a destination relationship are in the source's tables.
extension MigrationMap {
    /// The links of a relationship in the source's tables.
    struct Links {
        /// A SELECT of `o` and `m`, the owner's and the member's key, and of `fo` and `fi`, the
        /// order keys of the member and of the owner or NULL.
        let select: String
        /// Whether there may be order keys of members.
        let isOrdered: Bool
        /// For each origin the entities of its owners and of its members, in the source.
        let ends: [(owner: Int, member: Int)]
    }

    /// Returns the links of a relationship, or of its inverse where it is new itself; nil where
    /// both are new.
    func links(of relationship: Relationship) -> Links? {
        let own = origins(of: relationship)
        if !own.isEmpty { return links(own, isInverse: false) }
        guard let inverse = destination.model.inverse(of: relationship) else { return nil }
        let others = origins(of: inverse)
        return others.isEmpty ? nil : links(others, isInverse: true)
    }

    private func links(_ origins: [Origin], isInverse: Bool) -> Links {
        let selects = origins.map { origin in
            let select = select(origin)
            return isInverse
                ? "SELECT m AS o, o AS m, fi AS fo, fo AS fi FROM (\(select)) s" : select
        }
        return Links(
            select: selects.joined(separator: " UNION ALL "),
            isOrdered: origins.contains {
                let it = isInverse ? source.model.inverse(of: $0.relationship) : $0.relationship
                return it?.isOrdered ?? false
            },
            ends: origins.map {
                let (owner, member) = ($0.relationship.owner, $0.relationship.destination)
                return isInverse ? (member, owner) : (owner, member)
            })
    }

    /// A NULL with the type of order keys.
    private static let noOrder = "CAST(NULL AS BIGINT)"

    private func select(_ origin: Origin) -> String {
        let it = origin.relationship
        let table = source.table(of: it.owner).name
        let numbers = Self.list(origin.owners.map { source.number(of: $0.index) })
        if it.isToMany, let links = source.toManys[it.index]?.links {
            var inverseOrder = Self.noOrder
            if case .join(let join)? = source.toManys[it.index] {
                inverseOrder = join.inverseOrderColumn ?? Self.noOrder
            }
            let owners =
                origin.isWhole
                ? ""
                : " AND \(links.owner) IN (SELECT Z_PK FROM \(table) WHERE Z_ENT IN \(numbers))"
            return
                "SELECT \(links.owner) AS o, \(links.member) AS m, \(links.order ?? Self.noOrder) AS fo, "
                + "\(inverseOrder) AS fi FROM \(links.table) "
                + "WHERE \(links.owner) IS NOT NULL\(owners)"
        }
        let inverse = it.inverse.flatMap { source.toManys[$0]?.links.order }
        let column = source.column(of: it.slot, in: it.owner) ?? "NULL"
        let owners = origin.isWhole ? "" : " AND Z_ENT IN \(numbers)"
        return "SELECT Z_PK AS o, \(column) AS m, \(Self.noOrder) AS fo, "
            + "\(inverse ?? Self.noOrder) AS fi FROM \(table) WHERE \(column) IS NOT NULL\(owners)"
    }

    /// Returns the owner's and the order's column where the links of a to-many relationship are in
    /// the rows of a table of the source, and stay there.
    func columns(
        of relationship: Relationship, in table: SQLTable
    ) -> (owner: String, order: String?)? {
        let origins = origins(of: relationship)
        guard origins.count == 1, origins[0].isWhole,
            case .column(table.name, let owner, let order, _)? = source.toManys[
                origins[0].relationship.index]
        else { return nil }
        return (owner, order)
    }

    /// Whether links may lead to objects that are no longer there, or no longer of the
    /// relationship's destination.
    func losesMembers(_ relationship: Relationship) -> Bool {
        links(of: relationship)?.ends.contains {
            loses($0.member, becoming: relationship.destination)
        } ?? false
    }

    /// Whether links may come from objects that are no longer there, or no longer have the
    /// relationship.
    func losesOwners(_ relationship: Relationship) -> Bool {
        links(of: relationship)?.ends.contains {
            loses($0.owner, becoming: relationship.owner)
        } ?? false
    }

    /// Returns a list for IN, such as `(1, 2)`.
    static func list(_ numbers: [Int]) -> String {
        "(\(numbers.map { "\($0)" }.joined(separator: ", ")))"
    }
}
