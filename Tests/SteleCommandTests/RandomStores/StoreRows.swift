// Rows by seed, as an app with Core Data or another program leaves them, written by plain SQL.

import Foundation
import TestSupport
import Testing

/// Writes the rows of an empty store.
struct StoreRows {
    private typealias Link = StoreDraft.Link

    let plain: PlainStore
    private(set) var numbers: SeededNumbers
    private var lines: [String] = []
    /// The keys of each entity's own objects.
    private var keys: [[Int]]
    private var values: [Int: [String: String]] = [:]
    /// The columns with what Core Data does not write, as `TABLE.COLUMN`.
    private(set) var foreign: Set<String> = []

    private var draft: StoreDraft { plain.draft }

    init(_ plain: PlainStore, _ numbers: SeededNumbers) {
        self.plain = plain
        self.numbers = numbers
        keys = plain.draft.entities.map { _ in [] }
    }

    // MARK: What Core Data writes

    /// Writes the objects and links.
    mutating func fill() throws {
        for root in draft.children(nil) {
            var free = Array((1...60).shuffled(using: &numbers))
            for entity in draft.subtree(root).sorted() where !draft.entities[entity].isAbstract {
                let most = numbers.one(in: 6) ? 1 : 9
                for _ in 0..<numbers.below(most) { keys[entity].append(free.removeLast()) }
            }
        }
        needDestinations()
        lines = ["BEGIN"]
        for entity in draft.entities.indices {
            for key in keys[entity] { insert(key, entity) }
        }
        for entity in draft.entities.indices {
            for link in draft.entities[entity].links { try connect(link, entity) }
        }
        for root in draft.children(nil) {
            let last = draft.subtree(root).flatMap { keys[$0] }.max() ?? 0
            let most = last + numbers.below(3)
            lines.append(
                "UPDATE Z_PRIMARYKEY SET Z_MAX = \(most) WHERE Z_ENT = \(plain.number(root))")
        }
        try run()
    }

    private mutating func run() throws {
        try RawDatabase(plain.path).run((lines + ["COMMIT"]).joined(separator: ";\n"))
        lines = ["BEGIN"]
    }

    /// The keys of an entity and those below it.
    private func all(_ entity: Int) -> [Int] { draft.subtree(entity).flatMap { keys[$0] }.sorted() }

    /// Removes the objects whose required to-one has no destination.
    private mutating func needDestinations() {
        var isDone = false
        while !isDone {
            isDone = true
            for entity in draft.entities.indices where !keys[entity].isEmpty {
                for link in draft.links(entity) where !link.isToMany && !link.isOptional {
                    // Both ends of a one-to-one need as many.
                    let isSingle = draft.inverse(of: link)?.isToMany == false
                    let owners = all(draft.owner(of: link.name, entity)).count
                    let ends = all(link.destination).count
                    if ends == 0 || isSingle && ends < owners {
                        keys[entity] = []
                        isDone = false
                    }
                }
            }
        }
    }

    private mutating func insert(_ key: Int, _ entity: Int) {
        var columns = ["Z_PK", "Z_ENT", "Z_OPT"]
        var literals = ["\(key)", "\(plain.number(entity))", "\(1 + numbers.below(4))"]
        for it in draft.attributes(entity) where !it.isTransient {
            columns.append(plain.column(it.name, entity))
            literals.append(
                it.isUnique
                    ? (it.kind == .string ? "'u\(key)'" : "\(key * 7)") : literal(it))
        }
        let list = columns.joined(separator: ", ")
        lines.append(
            "INSERT INTO \(plain.table(entity)) (\(list)) VALUES (\(literals.joined(separator: ", ")))"
        )
    }

    private mutating func literal(_ it: StoreDraft.Attribute) -> String {
        if it.isOptional, numbers.one(in: 4) { return "NULL" }
        switch it.kind {
        case .int16: return numbers.pick("0", "1", "-3", "32767", "-32768")
        case .int32: return numbers.pick("0", "1", "2", "2147483647", "-2147483648")
        case .int64: return numbers.pick("0", "1", "9223372036854775807", "-9007199254740993")
        case .bool: return numbers.pick("0", "1")
        case .double: return numbers.pick("0.0", "0.1", "-2.5", "1e300", "5e-324", "3.0")
        case .float: return numbers.pick("0.0", "0.25", "-2.5", "1024.0")
        case .decimal: return numbers.pick("0", "10.11", "-3", "0.1", "99999999999999.5")
        case .string:
            return numbers.pick(
                "''", "'a'", "'b'", "'ba'", "'é'", "'a,\"b'", "'e\u{301}'", "'\u{1F600}'", "'A'",
                "'it''s'", "'x' || char(10) || 'y'")
        case .date: return numbers.pick("0", "-978307200", "700000000", "123456789.5", "1.0")
        case .uuid:
            let number = numbers.below(90) + 10
            return "X'00000000000000000000000000AB\(number)\(numbers.pick("0F", "A0"))'"
        case .uri: return numbers.pick("'https://example.org/a?b=c'", "'mailto:a@b'", "'x:1'")
        case .binary: return numbers.pick("X'00'", "X''", "X'FFFE01'", "X'616263'")
        case nil: return "NULL"
        }
    }

    private mutating func set(_ column: String, _ value: Int, of key: Int, _ entity: Int) {
        lines.append(
            "UPDATE \(plain.table(entity)) SET \(column) = \(value) WHERE Z_PK = \(key)")
    }

    /// Writes a to-one key with what is beside it.
    private mutating func set(_ link: Link, _ end: Int, of key: Int, _ entity: Int) {
        set(plain.column(link.name, entity), end, of: key, entity)
        guard let column = plain.entityColumn(link, entity),
            let own = draft.entities.indices.first(where: {
                draft.root($0) == draft.root(link.destination) && keys[$0].contains(end)
            })
        else { return }
        set(column, plain.number(own), of: key, entity)
    }

    /// Links objects by a relationship; one of a pair is enough.
    private mutating func connect(_ link: Link, _ entity: Int) throws {
        let (owners, ends) = (all(entity), all(link.destination))
        guard let inverse = draft.inverse(of: link) else {
            for key in link.isToMany ? ends : owners {
                let isNeeded = !link.isToMany && !link.isOptional
                let others = link.isToMany ? owners : ends
                guard isNeeded || numbers.one(in: 2), !others.isEmpty else { continue }
                let other = numbers.pick(others, or: 0)
                if link.isToMany {
                    let (name, order) = plain.ownerColumn(link, entity)
                    set(name, other, of: key, link.destination)
                    if let order { set(order, place(key), of: key, link.destination) }
                } else {
                    set(link, other, of: key, entity)
                }
            }
            return
        }
        switch (link.isToMany, inverse.isToMany) {
        case (true, true): try join(link, inverse, entity)
        case (false, true):
            for key in owners where !ends.isEmpty && (!link.isOptional || !numbers.one(in: 3)) {
                set(link, numbers.pick(ends, or: 0), of: key, entity)
                let (_, order) = plain.ownerColumn(inverse, link.destination)
                if let order { set(order, place(key), of: key, entity) }
            }
        case (true, false): break
        case (false, false):
            if link.name == link.inverse { return pair(link, owners, entity) }
            if link.name > inverse.name { pairs(link, inverse, entity) }
        }
    }

    /// Core Data's order keys, with gaps.
    private mutating func place(_ key: Int) -> Int { 2048 + 1024 * key + numbers.below(1024) }

    /// Both ends of a to-one that is its own inverse.
    private mutating func pair(_ link: Link, _ owners: [Int], _ entity: Int) {
        var free = owners.shuffled(using: &numbers)
        while free.count > 1, link.isOptional || free.count > 1 {
            let (a, b) = (free.removeLast(), free.removeLast())
            if link.isOptional, numbers.one(in: 3) { continue }
            set(link, b, of: a, entity)
            set(link, a, of: b, entity)
        }
        if !link.isOptional, let last = free.last { set(link, last, of: last, entity) }
    }

    /// Both ends of a one-to-one.
    private mutating func pairs(_ link: Link, _ inverse: Link, _ entity: Int) {
        var free = all(link.destination).shuffled(using: &numbers)
        let isNeeded = !link.isOptional || !inverse.isOptional
        for key in all(entity) {
            guard !free.isEmpty, isNeeded || !numbers.one(in: 3) else { continue }
            let end = free.removeLast()
            set(link, end, of: key, entity)
            set(inverse, key, of: end, link.destination)
        }
    }

    private mutating func join(_ link: Link, _ inverse: Link, _ entity: Int) throws {
        let it = try plain.join(link, entity)
        let isReflexive = link.name == link.inverse
        if !isReflexive, link.name < inverse.name { return }
        for owner in all(entity) {
            for end in all(link.destination) where numbers.one(in: 3) {
                var pairs = [(owner, end)]
                if isReflexive {
                    if end < owner { continue }
                    pairs += end == owner ? [] : [(end, owner)]
                }
                for (a, b) in pairs {
                    var (names, values) = ([it.owner, it.member], ["\(a)", "\(b)"])
                    for name in [it.order, it.otherOrder].compactMap(\.self) {
                        names.append(name)
                        values.append("\(place(numbers.below(40)))")
                    }
                    lines.append(
                        "INSERT INTO \(it.table) (\(names.joined(separator: ", "))) "
                            + "VALUES (\(values.joined(separator: ", ")))")
                }
            }
        }
    }

    // MARK: What other programs leave

    private static func contents(_ kind: StoreDraft.Kind) -> [String] {
        switch kind {
        case .int16, .int32: ["'abc'", "1.5", "X'35'"]
        case .int64: ["2.5", "'abc'"]
        case .bool: ["2", "-1", "0.5", "'x'"]
        case .double: ["9e999", "-9e999", "'abc'", "X'01'"]
        case .float: ["9e999", "-9e999", "'1x'"]
        case .decimal: ["'abc'", "X'6162'", "9e999", "-9e999"]
        case .string, .uri: ["CAST(X'61FF' AS TEXT)", "CAST(X'FE62' AS TEXT)", "X'6162'"]
        case .date: ["9e999", "-9e999", "'abc'"]
        case .uuid:
            [
                "'6BA7B810-9DAD-11D1-80B4-00C04FD430C8'", "'0123456789abcdef'", "X'01'", "7",
                "'6ba7b810-9dad-11d1-80b4-00c04fd430c8'",
            ]
        case .binary: []
        }
    }

    /// Writes foreign contents, links to nothing, and counters that are too low.
    mutating func damage() throws {
        lines = ["BEGIN"]
        for entity in draft.entities.indices {
            for it in draft.attributes(entity) where !it.isTransient && !it.isUnique {
                guard let kind = it.kind, numbers.one(in: 3) else { continue }
                for key in keys[entity] where numbers.one(in: 3) {
                    let content = numbers.pick(Self.contents(kind), or: "NULL")
                    if content == "NULL" { continue }
                    put(content, in: plain.column(it.name, entity), of: key, entity)
                }
            }
            for key in keys[entity] where numbers.one(in: 12) {
                put("NULL", in: "Z_OPT", of: key, entity)
            }
            for link in draft.entities[entity].links where numbers.one(in: 3) {
                try dangle(link, entity)
            }
        }
        for root in draft.children(nil) where numbers.one(in: 4) {
            guard !draft.entities[root].isAbstract else { continue }
            // The row becomes one of the root entity.
            for key in keys[root] where numbers.one(in: 4) {
                put(numbers.pick("77", "NULL", "-1"), in: "Z_ENT", of: key, root)
            }
        }
        if numbers.one(in: 3) {
            lines.append("UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_MAX > 1")
            if keys.contains(where: { $0.contains { $0 > 1 } }) { foreign.insert("Z_MAX") }
        }
        try run()
    }

    private mutating func put(
        _ content: String, in column: String, of key: Int, _ entity: Int
    ) {
        let table = plain.table(entity)
        lines.append("UPDATE \(table) SET \(column) = \(content) WHERE Z_PK = \(key)")
        foreign.insert("\(table).\(column)")
    }

    private mutating func dangle(_ link: Link, _ entity: Int) throws {
        if let inverse = draft.inverse(of: link), link.isToMany, inverse.isToMany {
            let it = try plain.join(link, entity)
            let owner = numbers.pick(all(entity), or: 91)
            let ends = numbers.pick(["\(owner), 99", "98, 97", "\(owner), -1"], or: "")
            lines.append(
                "INSERT OR IGNORE INTO \(it.table) (\(it.owner), \(it.member)) VALUES (\(ends))")
            foreign.insert(it.table)
        } else if !link.isToMany {
            let inverse = draft.inverse(of: link)
            let isSingle = inverse?.isToMany == false
            // The other side of a one-to-one would lead back.
            if isSingle, inverse?.isOptional == false || link.name == link.inverse { return }
            for key in all(entity) where numbers.one(in: 4) {
                if isSingle, let inverse {
                    let back = plain.column(inverse.name, link.destination)
                    lines.append(
                        "UPDATE \(plain.table(link.destination)) SET \(back) = NULL "
                            + "WHERE \(back) = \(key)")
                }
                // Also the keys of objects of other entities of the family.
                let others = all(draft.root(link.destination)).filter {
                    !all(link.destination).contains($0)
                }
                let end = numbers.pick(
                    ["99", "-5", "'abc'", "0"] + others.map(String.init), or: "99")
                let column = plain.column(link.name, entity)
                put(end, in: column, of: key, entity)
                // The rule No Action leaves keys of no row, too.
                if inverse?.rule == "No Action" {
                    foreign.remove("\(plain.table(entity)).\(column)")
                }
            }
        } else if link.inverse == nil {
            for key in all(link.destination) where numbers.one(in: 5) {
                put("88", in: plain.ownerColumn(link, entity).name, of: key, link.destination)
            }
        }
    }
}
