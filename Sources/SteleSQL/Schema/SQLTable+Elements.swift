/// The columns of composite attributes as Core Data names them.

import SteleModel

extension SQLTable {
    /// The names that Core Data gives the columns of elements of composite attributes, by those that
    /// Stele gives them. Core Data gives columns of one name numbers, in an order that is not known:
    /// an element whose name another property of the table has is left out.
    func elementNames(in model: Model) -> [String: String] {
        let elements = columns.compactMap { column in
            column.role.elementColumn(in: model).map { (column: column.name, name: $0) }
        }
        var taken: [String: Int] = [:]
        for name in elements.map(\.name) + columns.map(\.name) { taken[name, default: 0] += 1 }
        let own = elements.filter { taken[$0.name] == 1 }
        return Dictionary(own.map { ($0.column, $0.name) }, uniquingKeysWith: { a, _ in a })
    }

    /// The table with these names.
    func namingElements(in model: Model) -> SQLTable {
        let names = elementNames(in: model)
        return SQLTable(
            root: root, name: name,
            columns: columns.map { column in names[column.name].map(column.named) ?? column })
    }
}

extension ColumnRole {
    /// The column of an element of a composite attribute, named after the element alone: `ZCITY` of
    /// `home.city`. Nil for all others.
    func elementColumn(in model: Model) -> String? {
        guard case .slot(let entity, let slot) = self else { return nil }
        let path = model.entities[entity].slots[slot].name
        return path.lastIndex(of: ".").map { "Z" + path[path.index(after: $0)...].uppercased() }
    }
}
