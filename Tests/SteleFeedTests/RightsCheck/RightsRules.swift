// Random rules for the entities of a random model.

import SteleModel
import StelePersistence
import StelePredicates
import TestSupport

@testable import SteleDifferential
@testable import SteleRequests
@testable import SteleService

/// What a role may read of each entity, as the rights file has it.
struct RightsRules {
    /// By the name of the entity: a rule, or an empty text for all objects. A subentity that is not
    /// named has the right of its parent.
    private(set) var texts: [String: String] = [:]
    let model: Model

    init(_ model: Model, seed: UInt64) {
        self.model = model
        var maker = PredicateMaker(model, SeededNumbers(seed: seed))
        for entity in model.entities {
            // A subentity's rule has the properties of the parent.
            let owner = model.entities[entity.root]
            switch maker.numbers.below(entity.parent == nil ? 8 : 4) {
            case 0: continue
            case 1: texts[entity.name] = ""
            default: texts[entity.name] = Self.rule(of: owner, &maker)
            }
        }
    }

    private static func rule(of entity: Entity, _ maker: inout PredicateMaker) -> String {
        while true {
            let text =
                maker.numbers.one(in: 2) ? maker.predicate(of: entity) : likely(entity, &maker)
            // A pattern takes long or is invalid on some texts, and times are of the question.
            let isPlain = !["MATCHES", "now()", "LIKE", "abs"].contains { text.contains($0) }
            let check = PredicateCheck(model: maker.model, entity: entity)
            if isPlain, let read = try? Predicate(format: text), (try? check.check(read)) != nil {
                return text
            }
        }
    }

    /// Rules as people write them: over a relationship, some of them true of null.
    private static func likely(_ entity: Entity, _ maker: inout PredicateMaker) -> String {
        maker.starts = [PredicateMaker.Start(prefix: "", entity: entity)]
        let number = "\(maker.numbers.below(4))"
        let order = maker.order()
        let toOnes = maker.relationships(entity, isToMany: false)
        let toManys = maker.relationships(entity, isToMany: true)
        func key(_ entity: Entity) -> String {
            maker.attribute(of: entity, .integer) ?? maker.attribute(of: entity, .real) ?? "_id"
        }
        if !toOnes.isEmpty, maker.numbers.one(in: 2) {
            let it = toOnes[maker.numbers.below(toOnes.count)]
            let path = "\(it.name).\(key(maker.model.destination(of: it)))"
            return maker.numbers.one(in: 3)
                ? "\(it.name) == nil OR \(path) \(order) \(number)" : "\(path) \(order) \(number)"
        }
        guard !toManys.isEmpty else { return "\(key(entity)) \(order) \(number)" }
        let it = toManys[maker.numbers.below(toManys.count)]
        let member = key(maker.model.destination(of: it))
        switch maker.numbers.below(3) {
        case 0: return "\(it.name).@count \(order) \(number)"
        case 1:
            let word = maker.numbers.pick("ANY", "ALL", "NONE")
            return "\(word) \(it.name).\(member) \(order) \(number)"
        default:
            return "SUBQUERY(\(it.name), $m, $m.\(member) \(order) \(number)).@count "
                + "\(maker.order()) \(maker.numbers.below(2))"
        }
    }

    /// The rights file of a service: ann has the role, root has all rights.
    var file: String {
        let entities = texts.sorted { $0.key < $1.key }.map { name, text in
            let rule = text.isEmpty ? "true" : text.json
            return "\(name.json): {\"read\": \(rule), \"create\": true, "
                + "\"update\": true, \"delete\": true}"
        }
        return RightsModel.rights(role: "{\(entities.joined(separator: ",\n"))}")
    }

    /// Whether objects of an entity, or of a subentity, may be seen.
    func tells(_ entity: Entity) -> Bool {
        entity.subtree.contains { text(of: model.entities[$0]) != nil }
    }

    /// The rule of a concrete entity; nil where nothing is seen.
    func text(of entity: Entity) -> String? {
        var next: Entity? = entity
        while let it = next {
            if let text = texts[it.name] { return text }
            next = it.parent.map { model.entities[$0] }
        }
        return nil
    }

    /// What the role sees in a store, by a reader of everything: an independent reading of the
    /// rules.
    func seen(in store: any PersistentStore) throws -> Seen {
        let reader = try store.reader()
        defer { reader.close() }
        var found: [Snapshot] = []
        var keys: [Int: Set<Int64>] = [:]
        for entity in model.entities where !entity.isAbstract {
            guard let text = text(of: entity) else { continue }
            let root = model.entities[entity.root]
            var request = FetchRequest(entity: root)
            var parts: [Predicate] = [
                .comparison(
                    Comparison(.keyPath("_entity"), .equal, .constant(.string(entity.name))))
            ]
            if !text.isEmpty { parts.append(try Predicate(format: text)) }
            request.predicate = try PredicateCheck(model: model, entity: root).check(.and(parts))
            request.isChecked = true
            for snapshot in try reader.fetch(request) {
                found.append(snapshot)
                keys[entity.root, default: []].insert(snapshot.key)
            }
        }
        return try Seen(found, keys, model, reader)
    }
}

/// A relationship of an object that is seen with one that is not, from which a link would take it.
struct HiddenPartner: Hashable {
    let relationship: Int
    /// The object that is seen.
    let key: Int64
}

/// What a role sees.
struct Seen: Equatable {
    /// By the index of the root entity.
    let keys: [Int: Set<Int64>]
    /// One an object, with the links to what is seen.
    let lines: [String]
    /// The one-to-one relationships of objects that are seen which lead to an object that is not,
    /// and the to-manys without an inverse of an object that is not which have one that is: a link
    /// takes it from there. They are not seen themselves.
    let hiddenPartners: Set<HiddenPartner>

    static func == (a: Seen, b: Seen) -> Bool { a.keys == b.keys && a.lines == b.lines }

    fileprivate init(
        _ objects: [Snapshot], _ keys: [Int: Set<Int64>], _ model: Model,
        _ reader: any StoreReader
    ) throws {
        self.keys = keys
        var lines: [String] = []
        var hiddenPartners: Set<HiddenPartner> = []
        for object in objects.sorted(by: { ($0.entity, $0.key) < ($1.entity, $1.key) }) {
            let entity = model.entities[object.entity]
            var line = "\(entity.name)/\(object.key) version \(object.version):"
            for (slot, property) in entity.slots.enumerated() {
                var value = object.values[slot]
                if case .relationship(let it) = property, case .key(let key) = value,
                    keys[model.destination(of: it).root]?.contains(key) != true
                {
                    value = .null
                    if model.inverse(of: it)?.isToMany == false {
                        hiddenPartners.insert(
                            HiddenPartner(relationship: it.index, key: object.key))
                    }
                }
                line += " \(value)"
            }
            for case .relationship(let it) in entity.properties where it.isToMany {
                let members = try reader.members(of: it, owners: [object.key])[object.key] ?? []
                let left = members.filter {
                    keys[model.destination(of: it).root]?.contains($0) == true
                }
                line += " \(it.name) \(it.isOrdered ? left : left.sorted())"
            }
            lines.append(line)
        }
        for it in model.relationships where it.isToMany && model.inverse(of: it) == nil {
            let owners = try reader.fetch(FetchRequest(entity: model.entities[it.owner])).map(\.key)
            let hidden = owners.filter {
                keys[model.entities[it.owner].root]?.contains($0) != true
            }
            let seen = keys[model.destination(of: it).root] ?? []
            for key in try reader.members(of: it, owners: hidden).values.joined()
            where seen.contains(key) {
                hiddenPartners.insert(HiddenPartner(relationship: it.index, key: key))
            }
        }
        (self.lines, self.hiddenPartners) = (lines, hiddenPartners)
    }
}
