// Models as Core Data has them, by seed, with the odd definitions that its own files have.

import Foundation
import TestSupport

/// A model as Xcode writes it. Nothing of Stele takes part in making it.
struct StoreDraft {
    enum Kind: String, CaseIterable {
        case int16 = "Integer 16"
        case int32 = "Integer 32"
        case int64 = "Integer 64"
        case bool = "Boolean"
        case double = "Double"
        case float = "Float"
        case decimal = "Decimal"
        case string = "String"
        case date = "Date"
        case uuid = "UUID"
        case uri = "URI"
        case binary = "Binary"
    }

    struct Attribute {
        var name: String
        /// Nil for an attribute of no type, which is transient.
        var kind: Kind?
        var isOptional = true
        var isTransient = false
        var isIndexed = false
        var standard: String?
        var oldName: String?
        /// Whether each object has another value.
        var isUnique = false
    }

    struct Link {
        var name: String
        var destination: Int
        var inverse: String?
        var isToMany = false
        var isOrdered = false
        var isOptional = true
        var rule = "Nullify"
        var oldName: String?
    }

    struct Entity {
        var name: String
        var parent: Int?
        var isAbstract = false
        var attributes: [Attribute] = []
        var links: [Link] = []
        /// Names with their elements.
        var fetchIndexes: [(name: String, elements: [String])] = []
        var compounds: [[String]] = []
        var uniques: [[String]] = []
        var oldName: String?
    }

    var entities: [Entity] = []
    /// The last number that a name has got.
    private var serial = 100

    /// A number that no other name has.
    mutating func number() -> Int {
        serial += 1
        return serial
    }

    // MARK: Hierarchies

    func root(_ entity: Int) -> Int { entities[entity].parent.map(root) ?? entity }

    /// The entity and those above it, the root first.
    func line(_ entity: Int) -> [Int] { (entities[entity].parent.map(line) ?? []) + [entity] }

    /// The entity and those below it.
    func subtree(_ entity: Int) -> Set<Int> {
        Set(entities.indices.filter { line($0).contains(entity) })
    }

    func children(_ entity: Int?) -> [Int] {
        entities.indices.filter { entities[$0].parent == entity }
            .sorted { entities[$0].name.uppercased() < entities[$1].name.uppercased() }
    }

    /// The attributes with those that are inherited.
    func attributes(_ entity: Int) -> [Attribute] {
        line(entity).flatMap { entities[$0].attributes }
    }

    /// The relationships with those that are inherited.
    func links(_ entity: Int) -> [Link] { line(entity).flatMap { entities[$0].links } }

    /// The entity that declares a relationship.
    func owner(of link: String, _ entity: Int) -> Int {
        line(entity).first { entities[$0].links.contains { $0.name == link } } ?? entity
    }

    func inverse(of link: Link) -> Link? {
        link.inverse.flatMap { name in
            entities[link.destination].links.first { $0.name == name }
        }
    }

    // MARK: Text

    /// The text of a `contents` file.
    var contents: String {
        """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" \
        lastSavedToolsVersion="22522" systemVersion="23E224" minimumToolsVersion="Automatic" \
        sourceLanguage="Swift" userDefinedModelVersionIdentifier="">
        \(entities.map(text).joined(separator: "\n"))
        </model>
        """
    }

    private func text(_ it: Entity) -> String {
        var lines = [
            Self.tag(
                "entity",
                [
                    ("name", it.name), ("representedClassName", it.name),
                    ("parentEntity", it.parent.map { entities[$0].name }),
                    ("isAbstract", it.isAbstract ? "YES" : nil), ("elementID", it.oldName),
                    ("syncable", "YES"),
                ], closes: false)
        ]
        lines += it.attributes.map { it in
            Self.tag(
                "attribute",
                [
                    ("name", it.name), ("optional", it.isOptional ? "YES" : nil),
                    ("transient", it.isTransient ? "YES" : nil),
                    ("attributeType", it.kind?.rawValue), ("defaultValueString", it.standard),
                    ("indexed", it.isIndexed ? "YES" : nil), ("elementID", it.oldName),
                ])
        }
        lines += it.links.map { it in
            Self.tag(
                "relationship",
                [
                    ("name", it.name), ("optional", it.isOptional ? "YES" : nil),
                    ("toMany", it.isToMany ? "YES" : nil), ("maxCount", it.isToMany ? nil : "1"),
                    ("ordered", it.isOrdered ? "YES" : nil), ("deletionRule", it.rule),
                    ("destinationEntity", entities[it.destination].name),
                    ("inverseName", it.inverse),
                    ("inverseEntity", it.inverse == nil ? nil : entities[it.destination].name),
                    ("elementID", it.oldName),
                ])
        }
        lines += it.fetchIndexes.map { index in
            let elements = index.elements.map {
                Self.tag(
                    "fetchIndexElement",
                    $0 == "self" || $0 == "entity"
                        ? [("expression", $0), ("type", "Binary"), ("order", "ascending")]
                        : [("property", $0), ("type", "Binary"), ("order", "ascending")])
            }
            return Self.tag("fetchIndex", [("name", index.name)], closes: false)
                + elements.joined() + "</fetchIndex>"
        }
        lines += Self.lists(it.compounds, "compoundIndexes", "compoundIndex", "index")
        lines += Self.lists(
            it.uniques, "uniquenessConstraints", "uniquenessConstraint", "constraint")
        return (lines + ["</entity>"]).joined(separator: "\n")
    }

    private static func lists(
        _ lists: [[String]], _ all: String, _ one: String, _ item: String
    ) -> [String] {
        if lists.isEmpty { return [] }
        let texts = lists.map { list in
            "<\(one)>\(list.map { "<\(item) value=\"\($0)\"/>" }.joined())</\(one)>"
        }
        return ["<\(all)>\(texts.joined())</\(all)>"]
    }

    private static func tag(
        _ name: String, _ fields: [(String, String?)], closes: Bool = true
    ) -> String {
        let list = fields.compactMap { name, value in value.map { " \(name)=\"\($0)\"" } }
        return "<\(name)\(list.joined())\(closes ? "/" : "")>"
    }
}

// MARK: Making

extension StoreDraft {
    private static let words = [
        "order", "group", "index", "value", "limit", "table", "check", "title", "Rank", "isDone",
        "where2", "aB", "number_1", "über", "state", "transaction",
    ]

    /// A model of some entities.
    init(_ numbers: inout SeededNumbers) {
        let names = ["Album", "photo", "Zebra", "ABTest", "note", "Order", "B2"]
            .shuffled(using: &numbers)
        let count = 1 + numbers.below(5)
        for place in 0..<count {
            var it = Entity(name: names[place])
            if place > 0, numbers.one(in: 2) {
                it.parent = numbers.below(place)
            } else {
                it.attributes.append(Attribute(name: "remark", kind: .string))
                if numbers.one(in: 4) {
                    it.attributes.append(
                        Attribute(
                            name: "code", kind: numbers.pick([.string, .int32], or: .string),
                            isOptional: false, isUnique: true))
                    it.uniques.append(["code"])
                }
            }
            entities.append(it)
        }
        for place in entities.indices {
            entities[place].isAbstract = !children(place).isEmpty && numbers.one(in: 3)
            addAttributes(to: place, &numbers)
        }
        for _ in 0..<(1 + numbers.below(2 + count)) { addLink(&numbers) }
        for place in entities.indices { addIndexes(to: place, &numbers) }
    }

    /// A name that no entity of the family has, unless it is that of a sibling.
    private mutating func name(in place: Int, _ numbers: inout SeededNumbers) -> String {
        let word = numbers.pick(Self.words, or: "a")
        let near = Set(line(place) + subtree(place))
        let isTaken = near.contains { entity in
            entities[entity].attributes.contains { $0.name.lowercased() == word.lowercased() }
                || entities[entity].links.contains { $0.name.lowercased() == word.lowercased() }
        }
        return isTaken ? "\(word)_\(number())" : word
    }

    mutating func attribute(in place: Int, _ numbers: inout SeededNumbers) -> Attribute {
        var it = Attribute(
            name: name(in: place, &numbers), kind: numbers.pick(Kind.allCases, or: .string))
        it.isOptional = !numbers.one(in: 4)
        it.isIndexed = it.kind != .binary && numbers.one(in: 6)
        if !it.isOptional || numbers.one(in: 4) {
            switch it.kind {
            case .bool: it.standard = numbers.pick("YES", "NO")
            case .int16, .int32, .int64: it.standard = "\(numbers.below(5))"
            case .double, .float, .decimal: it.standard = numbers.pick("0", "0.0", "2.5")
            case .string: it.standard = numbers.pick("", "new")
            default: break
            }
        }
        if numbers.one(in: 8) {
            it.isTransient = true
            it.isIndexed = false
            it.isOptional = it.standard == nil
            if it.isOptional, numbers.one(in: 2) { it.kind = nil }
        }
        return it
    }

    private mutating func addAttributes(to place: Int, _ numbers: inout SeededNumbers) {
        for _ in 0..<(1 + numbers.below(5)) {
            entities[place].attributes.append(attribute(in: place, &numbers))
        }
    }

    /// Adds a relationship of any form, with its inverse.
    mutating func addLink(_ numbers: inout SeededNumbers) {
        let (a, b) = (numbers.below(entities.count), numbers.below(entities.count))
        // The names decide which side names a join table.
        let (name, other) = ("\(numbers.pick("to", "at"))\(number())", "of\(number())")
        var (it, inverse) = (Link(name: name, destination: b), Link(name: other, destination: a))
        let form = numbers.below(8)
        it.isToMany = form == 1 || form == 2 || form == 5 || form == 7
        inverse.isToMany = form == 0 || form == 2 || form == 3
        it.isOrdered = numbers.one(in: 3)
        inverse.isOrdered = numbers.one(in: 3)
        if form == 5 || form == 6 {
            // Its own inverse, to-many or to-one.
            it.destination = a
            it.inverse = name
            it.isOrdered = false
            entities[a].links.append(it)
            return
        }
        it.rule = numbers.pick("Nullify", "Cascade", "Nullify", "Deny", "No Action")
        // What must not be empty: a to-many without a minimum may be.
        it.isOptional = !numbers.one(in: it.isToMany ? 2 : 5)
        if form == 4 || form == 7 {
            it.isOrdered = it.isToMany && numbers.one(in: 4)
            if !it.isToMany { it.rule = "Nullify" }
            entities[a].links.append(it)
            return
        }
        (it.inverse, inverse.inverse) = (other, name)
        inverse.isOptional = !inverse.isToMany || !numbers.one(in: 2)
        inverse.rule =
            it.isOptional
            ? numbers.pick("Nullify", "Deny", "Nullify") : numbers.pick("Cascade", "Deny")
        entities[a].links.append(it)
        entities[b].links.append(inverse)
    }

    private mutating func addIndexes(to place: Int, _ numbers: inout SeededNumbers) {
        let stored = attributes(place).filter { !$0.isTransient && $0.kind != .binary }
        let names = stored.map(\.name) + links(place).map(\.name)
        for _ in 0..<numbers.below(3) {
            let first = numbers.pick(names, or: "remark")
            let more = numbers.pick(names + ["self", "entity"], or: first)
            let elements = numbers.one(in: 2) || more == first ? [first] : [first, more]
            let index = (name: "by\(numbers.below(4))Index", elements: elements)
            guard !entities[place].fetchIndexes.contains(where: { $0.name == index.name }) else {
                continue
            }
            entities[place].fetchIndexes.append(index)
            // The same once more.
            if numbers.one(in: 3) { entities[place].fetchIndexes.append(index) }
        }
        let single = stored.map(\.name) + links(place).filter { !$0.isToMany }.map(\.name)
        if numbers.one(in: 3) {
            let list = [numbers.pick(single, or: "remark"), numbers.pick("self", "entity")]
            entities[place].compounds.append(list.shuffled(using: &numbers))
        }
    }
}
