/// The properties whose values name the objects of an entity.

import SteleGraph
import SteleJSON
import SteleModel
import StelePersistence
import SteleRequests

/// What a reference uses to name an object.
enum ObjectName: Hashable {
    /// The object's `_id`.
    case id(Int64)
    /// The values of the paths of the entity's `ImportKey`.
    case key([Value])
}

/// The key of an entity: attributes, and to-one relationships by the key of their destination.
final class ImportKey: Sendable {
    enum Part: Sendable {
        case attribute(Attribute)
        case toOne(Relationship, ImportKey)

        var name: String {
            switch self {
            case .attribute(let it): it.name
            case .toOne(let it, _): it.name
            }
        }

        /// The index of the entity that declares the property.
        var owner: Int {
            switch self {
            case .attribute(let it): it.owner
            case .toOne(let it, _): it.owner
            }
        }
    }

    /// An attribute at the end of a path of parts.
    struct Leaf: Sendable {
        let path: [String]
        let attribute: Attribute
        let owner: Entity
        /// The names of the path in a column; a part with a key of one value needs no more.
        let names: [String]
    }

    let entity: Entity
    let parts: [Part]
    let leaves: [Leaf]
    /// The attribute of a key that is one attribute of the entity.
    let single: Attribute?
    /// The parts that are attributes of the entity.
    let attributes: [Attribute]
    /// Whether a part is a relationship.
    var hasLinks: Bool { attributes.count < parts.count }

    init(_ entity: Entity, _ parts: [Part]) {
        self.entity = entity
        self.parts = parts
        leaves = parts.flatMap { part -> [Leaf] in
            switch part {
            case .attribute(let it):
                return [
                    Leaf(
                        path: it.name.split(separator: ".").map(String.init), attribute: it,
                        owner: entity, names: [it.name])
                ]
            case .toOne(let it, let key):
                return key.leaves.map { leaf in
                    let short = key.leaves.count == 1 ? [it.name] : []
                    return Leaf(
                        path: [it.name] + leaf.path, attribute: leaf.attribute, owner: leaf.owner,
                        names: short + leaf.names.map { "\(it.name).\($0)" })
                }
            }
        }
        attributes = parts.compactMap { if case .attribute(let it) = $0 { it } else { nil } }
        single = parts.count == 1 ? attributes.first : nil
    }

    /// The names of the parts, for messages: `name, country`.
    var names: String { parts.map(\.name).joined(separator: ", ") }

    /// Reads a name from JSON: a value for a key of one value, otherwise an object.
    /// - Throws: `ImportError`, `Problem`.
    func read(_ node: JSONNode, for what: String, _ values: ImportValues) throws -> [Value] {
        if let single, node.kind != .object {
            let value = try values.read(node, single, entity)
            if value.isNull { throw ImportError("\(what) contains null") }
            return [value]
        }
        guard node.kind == .object || leaves.count == 1 else {
            throw ImportError(
                "\(what) names \(entity.name.withArticle) by \(names): write an object with these "
                    + "keys, not \(node.kindName)")
        }
        var found: [Value] = []
        for part in parts {
            guard let inner = node.kind == .object ? node[part.name] : node else {
                throw ImportError(
                    "\(what) names \(entity.name.withArticle) by \(names), and the object has no "
                        + part.name)
            }
            switch part {
            case .attribute(let it):
                let value = try values.read(inner, it, entity)
                if value.isNull { throw ImportError("\(what) contains null as \(it.name)") }
                found.append(value)
            case .toOne(let it, let key):
                found += try key.read(inner, for: "\(it.name) in \(what)", values)
            }
        }
        if node.kind == .object, node.count != parts.count {
            throw ImportError(
                "\(what) names \(entity.name.withArticle) by \(names), and the object has other "
                    + "keys: name the key with --key \(entity.name).ATTRIBUTE,ATTRIBUTE")
        }
        return found
    }

    /// The name of an object; nil if a part of it is null.
    func name(of object: ManagedObject) throws -> [Value]? {
        var name: [Value] = []
        for part in parts {
            switch part {
            case .attribute(let it):
                let value = object.value(it)
                if value.isNull { return nil }
                name.append(value)
            case .toOne(let it, let key):
                guard let inner = try object.toOne(it).flatMap(key.name(of:)) else { return nil }
                name += inner
            }
        }
        return name
    }

    /// A name for messages: `name is "Bern", country is "CH"`.
    func shown(_ values: [Value]) -> String {
        zip(leaves, values).map { "\($0.names[0]) is \(Self.shown($1))" }.joined(separator: ", ")
    }

    static func shown(_ value: Value) -> String {
        switch value {
        case .string(let text): "\"\(text)\""
        case .int(let number), .key(let number): "\(number)"
        case .double(let number): "\(number)"
        case .date(let seconds): ISO8601.shown(secondsSinceReferenceDate: seconds)
        case .decimal(let number): "\(number)"
        case .uuid(let uuid): "\(uuid)"
        case .bool(let truth): "\(truth)"
        case .null: "null"
        case .data, .external: "those bytes"
        }
    }
}

/// The key by which objects of an entity are named among those of some entities: of the entity
/// itself and of ancestors with the same key, or of ancestors with another key.
struct Naming: Sendable {
    let key: ImportKey
    /// The indexes of the entities; the one nearest to the entity comes first.
    var entities: [Int]
}

extension Int {
    /// The number with a noun in its form: `1 object`, `2 objects`.
    package func counted(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}

extension String {
    /// The name with its article: `an Airport`, `a User`, `an Hour`.
    package var withArticle: String {
        let name = lowercased()
        func begins(_ starts: String...) -> Bool { starts.contains { name.hasPrefix($0) } }
        let isVowel = name.first.map { "aeiou".contains($0) } ?? false
        // The sound decides: "you" and "won" begin with consonants, a silent h with a vowel.
        let sounds =
            isVowel
            ? !begins("uni", "use", "usa", "usu", "uti", "ura", "eu", "one", "once", "ewe")
            : begins("hour", "honor", "honour", "heir", "honest")
        return (sounds ? "an " : "a ") + self
    }
}
