/// The header of a file of cells, and its rows as records.

import SteleJSON
import SteleModel
import StelePersistence
import SteleRequests

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
    private let nulls: NullTexts
    private let entityColumn: Int?
    private let idColumn: Int?
    /// The columns for each entity that the file has records of.
    private var tables: [Int: Table] = [:]

    private struct Table {
        let columns: [Column]
        /// Whether the quoted cells of each column are texts, also an empty one.
        let isText: [Bool]
        /// The same for records with `_id`, whose links are ids.
        let isTextBesideID: [Bool]
        /// The columns of a composite attribute or a link in one cell, with those of its parts.
        let wholes: [(whole: Int, parts: [Int])]
        /// Whether no column is of a property.
        let isUnknown: Bool
    }

    /// - Throws: `ImportError` for a name that is empty, unless unknown ones are ignored, occurs
    ///   twice, or contains a line break or U+0000.
    init(_ cells: [Cell], _ options: ImportOptions) throws {
        names = cells.map(\.text)
        nulls = NullTexts(options)
        if names.count == 1, let other = names[0].first(where: { ",;|\t".contains($0) }) {
            let shown = other == "\t" ? "tab" : "'\(other)'"
            throw ImportError(
                "the header is one column, \(names[0].prefix(100)): --separator \(shown) makes it "
                    + "several")
        }
        for (index, name) in names.enumerated() {
            if name.utf8.contains(0x0D) {
                throw ImportError("the lines of the file end with \\r, and must end with \\n")
            }
            if name.utf8.contains(0) { throw Self.nul("column \(index + 1) of the header") }
            if name.isEmpty, !options.ignoresUnknownKeys {
                throw ImportError(
                    "column \(index + 1) of the header has no name (--ignore-unknown leaves it out)"
                )
            }
            if !name.isEmpty, names[..<index].contains(name) {
                throw ImportError("the header has the column \(name) twice")
            }
        }
        entityColumn = names.firstIndex(of: "_entity")
        idColumn = names.firstIndex(of: "_id")
    }

    private static func nul(_ what: String) -> ImportError {
        ImportError("\(what) has the character U+0000, which stores cannot keep in text")
    }

    /// Reads a row.
    /// - Throws: `ImportError` without a place, `Problem`, `JSONError`.
    mutating func line(_ row: [Cell], _ place: LinePlace, _ plan: ImportPlan) throws -> ImportLine {
        guard row.count == names.count else {
            throw ImportError(
                "the row has \(row.count.counted("cell")), and the header \(names.count)")
        }
        let name = entityColumn.flatMap { row[$0].text.isEmpty ? nil : row[$0].text }
        let entity = try ImportLine.entity(named: name, of: plan.files[place.file], plan.model)
        let table = tables[entity.index] ?? table(of: entity, plan)
        tables[entity.index] = table
        var line = ImportLine(place, entity)
        var errors = RecordErrors()
        var cells = row
        if let idColumn {
            cells[idColumn].isNull = nulls.contains(row[idColumn], column: "_id", isText: false)
            try errors.collecting(column: "_id", hint: hint(cells[idColumn])) {
                if !cells[idColumn].isNull { line.id = try Self.id(cells[idColumn]) }
            }
        }
        let isText = line.id == nil ? table.isText : table.isTextBesideID
        let onlyEmpty = nulls.areDefault
        for index in cells.indices
        where index != idColumn && (!onlyEmpty || row[index].text.isEmpty) {
            cells[index].isNull = nulls.contains(
                row[index], column: names[index], isText: isText[index])
        }
        let left = try unread(cells, table, &errors)
        // The relationships whose parts are read.
        var named: [Int] = []
        for (index, (column, cell)) in zip(table.columns, cells).enumerated()
        where !left.contains(index) {
            try errors.collecting(column: names[index], hint: isText[index] ? nil : hint(cell)) {
                if cell.text.utf8.contains(0) { throw Self.nul("the cell") }
                switch column {
                case .id, .entity, .ignored: break
                case .attribute(let attribute): try read(cell, attribute, &line, plan.values)
                case .relationship(let relationship):
                    line.references.append(try reference(cell, relationship, line, plan))
                case .part(let relationship, _):
                    guard !named.contains(relationship.index) else { return }
                    named.append(relationship.index)
                    line.references.append(
                        try reference(cells, table.columns, relationship, line.entity, plan))
                case .unknown(let name):
                    if cell.isNull { return }
                    try line.refuse(name, plan, isOnlyUnknown: table.isUnknown)
                }
            }
        }
        try errors.check()
        line.findKeys(plan)
        return line
    }

    /// The empty cells that say nothing, because a value is in another form of the property: in one
    /// cell, or in cells of its parts. A table of several entities has the columns of both forms if
    /// one of them has a composite attribute, and another one a property of its name.
    private func unread(
        _ cells: [Cell], _ table: Table, _ errors: inout RecordErrors
    ) throws -> Set<Int> {
        var left: Set<Int> = []
        for (whole, parts) in table.wholes {
            guard let given = parts.first(where: { !cells[$0].isNull }) else {
                if !cells[whole].isNull { left.formUnion(parts) }
                continue
            }
            left.insert(whole)
            if cells[whole].isNull { continue }
            try errors.collecting(column: names[whole]) {
                throw ImportError(
                    "\(names[whole]) has a value here and in \(names[given]): one of the two cells "
                        + "must be empty")
            }
        }
        return left
    }

    private static func id(_ cell: Cell) throws -> Int64 {
        if let id = ValueReader.wholeNumber(cell.text.utf8), id > 0 { return id }
        throw ImportError("_id must be a positive integer, not \(cell.text)")
    }

    /// The way out for a cell that another program may have written for null.
    private func hint(_ cell: Cell) -> String? {
        guard NullTexts.known.contains(cell.text) else { return nil }
        return cell.text.hasPrefix("-")
            ? "--null=\(cell.text) reads it as null" : "--null \(cell.text) reads it as null"
    }

    private func table(of entity: Entity, _ plan: ImportPlan) -> Table {
        let columns = columns(of: entity, plan)
        return Table(
            columns: columns, isText: columns.map { isText($0, hasID: false, plan) },
            isTextBesideID: columns.map { isText($0, hasID: true, plan) }, wholes: wholes(columns),
            isUnknown: columns.allSatisfy {
                switch $0 {
                case .id, .entity, .ignored, .unknown: true
                case .attribute, .relationship, .part: false
                }
            })
    }

    private func wholes(_ columns: [Column]) -> [(whole: Int, parts: [Int])] {
        let dotted = columns.indices.filter { index in
            if case .unknown = columns[index] { return false }
            return names[index].contains(".")
        }
        guard !dotted.isEmpty else { return [] }
        return columns.indices.compactMap { whole in
            switch columns[whole] {
            case .attribute, .relationship: break
            case .id, .entity, .ignored, .part, .unknown: return nil
            }
            let prefix = names[whole] + "."
            let parts = dotted.filter { names[$0].hasPrefix(prefix) }
            return parts.isEmpty ? nil : (whole: whole, parts: parts)
        }
    }

    private func isText(_ column: Column, hasID: Bool, _ plan: ImportPlan) -> Bool {
        func isText(_ attribute: Attribute) -> Bool {
            switch attribute.type {
            case .string, .uri, .binary: true
            default: false
            }
        }
        func key(_ relationship: Relationship) -> ImportKey? {
            plan.key(of: plan.model.destination(of: relationship))
        }
        switch column {
        case .attribute(let it): return isText(it)
        case .relationship(let it):
            guard !hasID, !it.isToMany, let leaves = key(it)?.leaves else { return false }
            return leaves.count == 1 && isText(leaves[0].attribute)
        case .part(let it, let leaf):
            return key(it).map { isText($0.leaves[leaf].attribute) } ?? false
        case .id, .entity, .ignored, .unknown: return false
        }
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

    private func read(
        _ cell: Cell, _ attribute: Attribute, _ line: inout ImportLine, _ values: ImportValues
    ) throws {
        if attribute.isDerived || attribute.isTransient {
            if line.id != nil || cell.isNull { return }
            throw ImportError(ObjectWriter.readOnly(attribute.name, of: line.entity).detail)
        }
        let entity = line.entity
        if attribute.isComposite {
            let node = try JSONDocument(cell.isNull ? "null" : cell.text).root
            return try ValueReader.readComposite(
                node, for: attribute, of: entity, reading: { try values.read($0, $1, entity) }
            ) {
                line.values.append(($0, $1))
            }
        }
        line.values.append((attribute, try values.read(cell, attribute, entity)))
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
        if line.id != nil, let id = ValueReader.wholeNumber(cell.text.utf8) {
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
            names: [.key([try plan.values.read(cell, leaf.attribute, leaf.owner)])])
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
            values[leaf] = try plan.values.read(
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
