/// The header of a file of cells, and its rows as records.

import SteleJSON
import SteleModel
import StelePersistence
import SteleRequests

/// A cell of a row. An empty cell without quotes is null.
struct Cell: Equatable {
    var text: String
    var isQuoted = false

    var isNull: Bool { text.isEmpty && !isQuoted }

    /// The cells of a row (RFC 4180).
    /// - Throws: `ImportError` for a quote in the middle of a cell.
    static func cells(_ row: [UInt8], separator: UInt8) throws -> [Cell] {
        var row = row[...]
        if row.last == 0x0D { row.removeLast() }
        var cells: [Cell] = []
        var place = row.startIndex
        while true {
            if place < row.endIndex, row[place] == UInt8(ascii: "\"") {
                cells.append(try quoted(row, &place))
                guard place == row.endIndex || row[place] == separator else {
                    throw ImportError(
                        "cell \(cells.count) has text after its closing quote; a quote in a quoted "
                            + "cell is written twice")
                }
            } else {
                let end = row[place...].firstIndex(of: separator) ?? row.endIndex
                if row[place..<end].contains(UInt8(ascii: "\"")) {
                    throw ImportError(
                        "cell \(cells.count + 1) contains a quote and does not begin with one")
                }
                cells.append(Cell(text: try text(row[place..<end], cells.count + 1)))
                place = end
            }
            if place == row.endIndex { return cells }
            place += 1
        }
    }

    private static func text(
        _ bytes: some Collection<UInt8>, _ number: Int?
    ) throws -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            let cell = number.map { "cell \($0)" } ?? "a quoted cell"
            throw ImportError("\(cell) is not UTF-8; save the file as UTF-8")
        }
        return text
    }

    private static func quoted(_ row: ArraySlice<UInt8>, _ place: inout Int) throws -> Cell {
        var text: [UInt8] = []
        place += 1
        while place < row.endIndex {
            if row[place] == UInt8(ascii: "\"") {
                place += 1
                guard place < row.endIndex, row[place] == UInt8(ascii: "\"") else {
                    return Cell(text: try self.text(text, nil), isQuoted: true)
                }
            }
            text.append(row[place])
            place += 1
        }
        throw ImportError("a quoted cell does not end")
    }
}

/// The columns of a file, by the names in its first row.
struct ImportHeader {
    private enum Column {
        case id, entity, ignored
        case attribute(Attribute)
        case relationship(Relationship)
        /// An attribute of the destination's key.
        case part(Relationship, leaf: Int)
        case unknown(String)
    }

    let names: [String]
    private let entityColumn: Int?
    private let idColumn: Int?
    /// The columns for each entity that the file has records of.
    private var columns: [Int: [Column]] = [:]

    /// - Throws: `ImportError` for a name that is empty, occurs twice or contains a line break.
    init(_ cells: [Cell]) throws {
        names = cells.map(\.text)
        for (index, name) in names.enumerated() {
            if name.utf8.contains(0x0D) {
                throw ImportError("the lines of the file end with \\r, and must end with \\n")
            }
            if name.isEmpty { throw ImportError("column \(index + 1) of the header has no name") }
            if names[..<index].contains(name) {
                throw ImportError("the header has the column \(name) twice")
            }
        }
        entityColumn = names.firstIndex(of: "_entity")
        idColumn = names.firstIndex(of: "_id")
    }

    /// Reads a row.
    /// - Throws: `ImportError` without a place, `Problem`, `JSONError`.
    mutating func line(_ cells: [Cell], _ place: LinePlace, _ plan: ImportPlan) throws -> ImportLine
    {
        guard cells.count == names.count else {
            throw ImportError(
                "the row has \(cells.count.counted("cell")), and the header \(names.count)")
        }
        let name = entityColumn.flatMap { cells[$0].isNull ? nil : cells[$0].text }
        let entity = try ImportLine.entity(named: name, of: plan.files[place.file], plan.model)
        let columns = self.columns[entity.index] ?? self.columns(of: entity, plan)
        self.columns[entity.index] = columns
        var line = ImportLine(place, entity)
        if let idColumn, !cells[idColumn].isNull {
            guard let id = Int64(cells[idColumn].text), id > 0 else {
                throw ImportError("_id must be a positive integer, not \(cells[idColumn].text)")
            }
            line.id = id
        }
        // The relationships whose parts are read.
        var named: [Int] = []
        for (column, cell) in zip(columns, cells) {
            switch column {
            case .id, .entity, .ignored: break
            case .attribute(let attribute): try read(cell, attribute, &line)
            case .relationship(let relationship):
                line.references.append(try reference(cell, relationship, line, plan))
            case .part(let relationship, _):
                guard !named.contains(relationship.index) else { continue }
                named.append(relationship.index)
                line.references.append(
                    try reference(cells, columns, relationship, line.entity, plan))
            case .unknown(let name): if !cell.isNull { try line.refuse(name, plan) }
            }
        }
        line.findKeys(plan)
        return line
    }

    private func columns(of entity: Entity, _ plan: ImportPlan) -> [Column] {
        names.map { name in
            switch name {
            case "_id": return .id
            case "_entity": return .entity
            case "_version": return .ignored
            default: break
            }
            switch entity.property(named: name) {
            case .attribute(let it): return .attribute(it)
            case .relationship(let it): return .relationship(it)
            case .fetchedProperty: return .unknown(name)
            case .transientRelationship: return .ignored
            case nil: break
            }
            guard let dot = name.firstIndex(of: "."),
                let relationship = entity.relationship(named: String(name[..<dot])),
                !relationship.isToMany,
                let key = plan.key(of: plan.model.destination(of: relationship)),
                let leaf = key.leaves.firstIndex(where: {
                    $0.names.contains(String(name[name.index(after: dot)...]))
                })
            else { return .unknown(name) }
            return .part(relationship, leaf: leaf)
        }
    }

    private func read(_ cell: Cell, _ attribute: Attribute, _ line: inout ImportLine) throws {
        if attribute.isDerived || attribute.isTransient {
            if line.id != nil || cell.isNull { return }
            throw ImportError(ObjectWriter.readOnly(attribute.name, of: line.entity).detail)
        }
        if attribute.isComposite {
            let node = try JSONDocument(cell.isNull ? "null" : cell.text).root
            return try ValueReader.readComposite(node, for: attribute, of: line.entity) {
                line.values.append(($0, $1))
            }
        }
        line.values.append((attribute, try Self.value(cell, attribute, line.entity)))
    }

    /// The value of a cell.
    /// - Throws: `Problem` for text that is not of the attribute's type.
    private static func value(
        _ cell: Cell, _ attribute: Attribute, _ entity: Entity
    ) throws -> Value {
        if cell.isNull { return .null }
        var writer = ByteWriter(capacity: cell.text.utf8.count + 2)
        switch attribute.type {
        case .string, .uri: return .string(cell.text)
        case .integer16, .integer32, .integer64:
            if let number = Int64(cell.text) { return .int(number) }
            writer.string(cell.text)
        case .boolean:
            switch cell.text {
            case "true", "1": return .bool(true)
            case "false", "0": return .bool(false)
            default: writer.string(cell.text)
            }
        case .transformable: writer.write(cell.text)
        default: writer.string(cell.text)
        }
        return try ValueReader.read(
            JSONDocument(writer.bytes).root, for: attribute, of: entity)
    }

    // MARK: References

    /// A reference in one cell: a key of one value, an id in a record with `_id`, or JSON.
    private func reference(
        _ cell: Cell, _ relationship: Relationship, _ line: ImportLine, _ plan: ImportPlan
    ) throws -> ImportLine.Reference {
        if cell.isNull { return ImportLine.Reference(relationship: relationship, names: []) }
        let first = cell.text.utf8.first
        if relationship.isToMany || first == UInt8(ascii: "{") {
            return try line.reference(
                try JSONDocument(cell.text).root, for: relationship, plan)
        }
        if line.id != nil, let id = Int64(cell.text) {
            return ImportLine.Reference(relationship: relationship, names: [.id(id)])
        }
        let destination = plan.model.destination(of: relationship)
        let what = "\(relationship.name) of \(line.entity.name)"
        guard let key = plan.key(of: destination) else {
            throw ImportLine.keyless(what, destination)
        }
        guard key.leaves.count == 1, let leaf = key.leaves.first else {
            let columns = key.leaves.map { "\(relationship.name).\($0.names[0])" }
            throw ImportError(
                "\(what) names \(destination.name.withArticle) by \(key.names): use the columns "
                    + columns.joined(separator: " and "))
        }
        return ImportLine.Reference(
            relationship: relationship,
            names: [.key([try Self.value(cell, leaf.attribute, leaf.owner)])])
    }

    /// A reference by several columns.
    private func reference(
        _ cells: [Cell], _ columns: [Column], _ relationship: Relationship, _ entity: Entity,
        _ plan: ImportPlan
    ) throws -> ImportLine.Reference {
        let destination = plan.model.destination(of: relationship)
        var reference = ImportLine.Reference(relationship: relationship, names: [])
        guard let key = plan.key(of: destination) else { return reference }
        var values: [Value?] = Array(repeating: nil, count: key.leaves.count)
        for (column, cell) in zip(columns, cells) {
            guard case .part(let it, let leaf) = column, it === relationship else { continue }
            values[leaf] = try Self.value(
                cell, key.leaves[leaf].attribute, key.leaves[leaf].owner)
        }
        if let missing = values.firstIndex(where: { $0 == nil }) {
            throw ImportError(
                "the columns of \(relationship.name) need \(relationship.name)."
                    + "\(key.leaves[missing].names[0]) as well, because \(destination.name) is "
                    + "named by \(key.names)")
        }
        let given = values.compactMap { $0 }
        if given.allSatisfy(\.isNull) { return reference }
        if given.contains(where: \.isNull) {
            throw ImportError(
                "\(relationship.name) of \(entity.name) has values in some of its columns and "
                    + "empty cells in others")
        }
        reference.names = [.key(given)]
        return reference
    }
}
