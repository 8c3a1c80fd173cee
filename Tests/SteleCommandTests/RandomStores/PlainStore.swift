// What a store's file has, read by plain SQL and given its meaning by the pages alone.

import Foundation
import TestSupport
import Testing

/// A text that is equal to no other, unlike Swift's own: `é` has two forms.
struct ExactString: Hashable, CustomStringConvertible {
    let utf8: [UInt8]

    init(_ text: String) { utf8 = Array(text.utf8) }

    var description: String { String(decoding: utf8, as: UTF8.self) }
}

/// A value as every request must show it.
enum Meaning: Hashable {
    case null
    case bool(Bool)
    case int(Int64)
    case real(Double)
    case text(ExactString)

    static func text(_ text: String) -> Meaning { .text(ExactString(text)) }

    /// The order of a list, null first.
    static func < (a: Self, b: Self) -> Bool {
        switch (a, b) {
        case (_, .null): false
        case (.null, _): true
        case (.bool(let a), .bool(let b)): !a && b
        case (.int(let a), .int(let b)): a < b
        case (.real(let a), .real(let b)): a < b
        case (.text(let a), .text(let b)): a.utf8.lexicographicallyPrecedes(b.utf8)
        default: false
        }
    }
}

/// A content of a column.
struct Cell: Equatable {
    var type: Substring
    /// The digits of a number, or those of the bytes.
    var digits: Substring

    static let null = Cell(type: "null", digits: "")

    var bytes: [UInt8] {
        var (bytes, high): ([UInt8], UInt8?) = ([], nil)
        for digit in digits.utf8 {
            let value = digit < 0x40 ? digit - 0x30 : digit - 0x37
            if let first = high { bytes.append(first << 4 | value) }
            high = high == nil ? value : nil
        }
        return bytes
    }

    var isNumber: Bool { type == "integer" || type == "real" }

    /// The key of a row; nil for what is none.
    var key: Int64? { type == "integer" ? Int64(digits) : nil }

    func meaning(_ kind: StoreDraft.Kind) -> Meaning {
        if type == "null" { return .null }
        let plain = isNumber ? String(digits) : String(decoding: bytes, as: UTF8.self)
        // SQLite reads the number that a text begins with.
        let real = isNumber ? Double(digits) ?? 0 : Double(plain.prefix { $0.isNumber }) ?? 0
        let near = abs(real) < 9e18 ? Int64(real) : 0
        let whole = isNumber ? Int64(digits) ?? near : near
        switch kind {
        case .int16, .int32, .int64: return .int(whole)
        case .bool: return .bool(whole != 0)
        case .double: return real.isFinite ? .real(real) : .null
        case .float: return real.isFinite ? .real(Double(Float(real))) : .null
        case .date: return real.isFinite ? .real(real) : .null
        case .decimal: return isNumber && real.isFinite ? .real(real) : .null
        case .string, .uri: return .text(plain)
        case .binary: return .text(Data(bytes).base64EncodedString())
        case .uuid:
            if type == "blob", digits.count == 32 { return .text(Self.uuid(digits)) }
            guard type == "text", let uuid = UUID(uuidString: plain) else { return .null }
            return .text(uuid.uuidString)
        }
    }

    private static func uuid(_ digits: Substring) -> String {
        let ends = [(0, 8), (8, 12), (12, 16), (16, 20), (20, 32)]
        let all = Array(digits)
        return ends.map { String(all[$0.0..<$0.1]) }.joined(separator: "-")
    }
}

/// The rows of a store, with the names that the layout gives to tables and columns.
struct PlainStore {
    struct Row {
        var key: Int64
        var entity: Int
        var version: Int64
        var cells: [String: Cell]
    }

    let draft: StoreDraft
    let path: String
    /// Z_ENT of each entity.
    private(set) var numbers: [Int] = []
    /// The columns by entity and property.
    private var columns: [String: String] = [:]
    /// The rows of each root, by key.
    private(set) var rows: [Int: [Int64: Row]] = [:]
    private(set) var joins: [String: [[String: Cell]]] = [:]
    /// The columns of each table.
    private(set) var tables: [String: [String]] = [:]

    init(_ path: String, _ draft: StoreDraft) throws {
        self.draft = draft
        self.path = path
        // A store that is open elsewhere is not migrated.
        let database = try RawDatabase(path)
        var named: [String: Int] = [:]
        for line in try database.texts("SELECT Z_NAME || '=' || Z_ENT FROM Z_PRIMARYKEY") {
            let parts = line.split(separator: "=").map(String.init)
            named[parts[0]] = Int(parts[1])
        }
        numbers = try draft.entities.map {
            // A migration in place may have left the entity's old name.
            try #require(named[$0.name] ?? $0.oldName.flatMap { named[$0] })
        }
        for table in try database.texts("SELECT name FROM sqlite_master WHERE type = 'table'")
        where table.hasPrefix("Z") {
            tables[table] = try database.texts("SELECT name FROM pragma_table_info('\(table)')")
        }
        nameColumns()
        try read(database)
    }

    // MARK: The layout

    func table(_ entity: Int) -> String {
        "Z" + draft.entities[draft.root(entity)].name.uppercased()
    }

    func number(_ entity: Int) -> Int { numbers[entity] }

    /// Columns of siblings with one name have a suffix, in the order of their numbers.
    private mutating func nameColumns() {
        for root in draft.children(nil) {
            var taken: [String: Int] = [:]
            for entity in draft.subtree(root).sorted(by: { numbers[$0] < numbers[$1] }) {
                let it = draft.entities[entity]
                let names =
                    it.attributes.filter { !$0.isTransient }.map(\.name)
                    + it.links.filter { !$0.isToMany }.map(\.name)
                for name in names {
                    let plain = "Z" + name.uppercased()
                    let count = taken[plain, default: 0]
                    taken[plain] = count + 1
                    columns["\(entity).\(name)"] = count == 0 ? plain : "\(plain)\(count)"
                }
            }
        }
    }

    /// The column of an attribute or a to-one relationship, of an entity or those above it.
    func column(_ name: String, _ entity: Int) -> String {
        for owner in draft.line(entity) {
            if let found = columns["\(owner).\(name)"] { return found }
        }
        return "no column of \(name)"
    }

    /// The column beside a to-one with the Z_ENT of the destination.
    func entityColumn(_ link: Link, _ entity: Int) -> String? {
        draft.children(link.destination).isEmpty
            ? nil : "Z\(numbers[link.destination])_\(link.name.uppercased())"
    }

    typealias Link = StoreDraft.Link

    /// The column in the members' rows of a to-many without a join table.
    func ownerColumn(_ link: Link, _ entity: Int) -> (name: String, order: String?) {
        if let inverse = link.inverse {
            let order = link.isOrdered ? "Z_FOK_\(inverse.uppercased())" : nil
            return (column(inverse, link.destination), order)
        }
        let name = "\(numbers[draft.owner(of: link.name, entity)])\(link.name.uppercased())"
        return ("Z\(name)", link.isOrdered ? "Z_FOK_\(name)" : nil)
    }

    /// The join table of a relationship, seen from its owner.
    func join(_ link: Link, _ entity: Int) throws -> (
        table: String, owner: String, member: String, order: String?, otherOrder: String?
    ) {
        let a = numbers[draft.owner(of: link.name, entity)]
        let b = numbers[link.destination]
        let (name, other) = (link.name.uppercased(), (link.inverse ?? "").uppercased())
        if name == other {
            let own = "Z_\(a)\(name)"
            return (own, own, "REFLEXIVE", nil, nil)
        }
        let found = try #require(
            ["Z_\(a)\(name)", "Z_\(b)\(other)"].first { tables[$0] != nil }, "join of \(name)")
        let all = tables[found] ?? []
        let order = "Z_FOK_\(b)\(name)"
        let otherOrder = "Z_FOK_\(a)\(other)"
        return (
            found, "Z_\(a)\(other)", "Z_\(b)\(name)", all.contains(order) ? order : nil,
            all.contains(otherOrder) ? otherOrder : nil
        )
    }

    // MARK: Reading

    private mutating func read(_ database: RawDatabase) throws {
        let named = Dictionary(
            uniqueKeysWithValues: numbers.enumerated().map { (Int64($1), $0) })
        for root in draft.children(nil) {
            var found: [Int64: Row] = [:]
            let family = draft.subtree(root)
            for cells in try contents(table(root), database) {
                let key = try #require(cells["Z_PK"]?.key)
                let entity = cells["Z_ENT"]?.key.flatMap { named[$0] } ?? root
                found[key] = Row(
                    key: key, entity: family.contains(entity) ? entity : root,
                    version: cells["Z_OPT"]?.key ?? 0, cells: cells)
            }
            rows[root] = found
        }
        for (name, columns) in tables
        where name.hasPrefix("Z_") && !columns.contains("Z_PK")
            && !["Z_METADATA", "Z_PRIMARYKEY", "Z_MODELCACHE"].contains(name)
        {
            joins[name] = try contents(name, database)
        }
    }

    private func contents(
        _ table: String, _ database: RawDatabase
    ) throws -> [[String: Cell]] {
        let columns = tables[table] ?? []
        let list = columns.map { name in
            "typeof(\"\(name)\") || ':' || CASE typeof(\"\(name)\") WHEN 'null' THEN '' "
                + "WHEN 'integer' THEN \"\(name)\" WHEN 'real' THEN printf('%!.17g', \"\(name)\") "
                + "ELSE hex(CAST(\"\(name)\" AS BLOB)) END"
        }
        let sql = "SELECT \(list.joined(separator: " || ' ' || ")) FROM \"\(table)\""
        return try database.texts(sql).map { row in
            let parts = row.split(separator: " ")
            return Dictionary(
                uniqueKeysWithValues: zip(columns, parts).map { name, part in
                    let sides = part.split(
                        separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                    return (name, Cell(type: sides[0], digits: sides[1]))
                })
        }
    }

    // MARK: Meanings

    /// The objects of an entity and those below it, by key.
    func objects(_ entity: Int) -> [Row] {
        let subtree = draft.subtree(entity)
        return (rows[draft.root(entity)] ?? [:]).values
            .filter { subtree.contains($0.entity) }.sorted { $0.key < $1.key }
    }

    /// Whether there is an object of an entity with a key.
    func has(_ key: Int64, _ entity: Int) -> Bool {
        rows[draft.root(entity)]?[key].map { draft.subtree(entity).contains($0.entity) } ?? false
    }

    func value(_ it: StoreDraft.Attribute, _ row: Row) -> Meaning {
        guard let kind = it.kind else { return .null }
        if it.isTransient {
            // A fetched object has the default.
            guard let text = it.standard else { return .null }
            return Self.standard(text, kind)
        }
        return (row.cells[column(it.name, row.entity)] ?? .null).meaning(kind)
    }

    static func standard(_ text: String, _ kind: StoreDraft.Kind) -> Meaning {
        switch kind {
        case .bool: .bool(text == "YES")
        case .int16, .int32, .int64: Int64(text).map(Meaning.int) ?? .null
        case .double, .float, .decimal: Double(text).map(Meaning.real) ?? .null
        default: .text(text)
        }
    }

    /// The destination of a to-one; nil for none, and for a key of no row.
    func one(_ link: Link, _ row: Row) -> Int64? {
        let key = row.cells[column(link.name, row.entity)]?.key
        return key.flatMap { has($0, link.destination) ? $0 : nil }
    }

    /// The members of a to-many, in its order.
    func many(_ link: Link, _ row: Row) throws -> [Int64] {
        if let inverse = draft.inverse(of: link), inverse.isToMany {
            let join = try join(link, row.entity)
            let found = (joins[join.table] ?? []).compactMap { cells -> (Int64, Int64)? in
                guard cells[join.owner]?.key == row.key, let key = cells[join.member]?.key,
                    has(key, link.destination)
                else { return nil }
                return (join.order.flatMap { cells[$0]?.key } ?? 0, key)
            }
            return found.sorted { $0 < $1 }.map(\.1)
        }
        let owner = ownerColumn(link, row.entity)
        return objects(link.destination).filter { $0.cells[owner.name]?.key == row.key }
            .map { row in (owner.order.flatMap { row.cells[$0]?.key } ?? 0, row.key) }
            .sorted { $0 < $1 }.map(\.1)
    }
}
