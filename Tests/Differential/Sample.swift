/// A few random objects of a model, as values, so that they can be made in any store and made fewer.

import SteleGraph
import SteleModel
import StelePersistence
import StelePredicates
import TestSupport

/// Objects and the links between them.
struct Sample {
    struct Object {
        var entity: Int
        /// A value a slot; those of relationships are null here.
        var values: [Value]
    }
    /// What one object's relationship leads to, by places in `objects`.
    struct Link {
        var relationship: Int
        var owner: Int
        var members: [Int]
    }

    var model: Model
    var objects: [Object] = []
    var links: [Link] = []

    /// - Parameter size: the most objects an entity.
    /// No objects at all.
    init(_ model: Model) { self.model = model }

    init(_ model: Model, size: Int, _ numbers: inout SeededNumbers) {
        self.model = model
        for entity in model.entities where !entity.isAbstract {
            for _ in 0..<(1 + numbers.below(size)) {
                let values: [Value] = entity.slots.map { slot in
                    guard case .attribute(let it) = slot else { return .null }
                    return SampleValues.value(it, &numbers)
                }
                objects.append(Object(entity: entity.index, values: values))
            }
        }
        for relationship in model.relationships { link(relationship, &numbers) }
    }

    private mutating func link(_ it: Relationship, _ numbers: inout SeededNumbers) {
        if let inverse = it.inverse, inverse < it.index { return }
        let owners = objects.indices.filter {
            model.entities[it.owner].isKind(objects[$0].entity)
        }
        let members = objects.indices.filter {
            model.entities[it.destination].isKind(objects[$0].entity)
        }
        guard !members.isEmpty else { return }
        for owner in owners where !numbers.one(in: 4) {
            let count = it.isToMany ? 1 + numbers.below(4) : 1
            var chosen: [Int] = []
            for _ in 0..<count {
                let member = members[numbers.below(members.count)]
                if !chosen.contains(member) { chosen.append(member) }
            }
            links.append(Link(relationship: it.index, owner: owner, members: chosen))
        }
    }

    /// Makes the objects in a store, in two saves: some are of a later version than others.
    /// - Parameter together: whether all is one save, and all are of the first version.
    func write(to store: any PersistentStore, together: Bool = false) throws {
        let context = ManagedObjectContext(
            PersistentStoreCoordinator(store: store, rowCacheBytes: 1 << 16))
        defer { context.close() }
        var made: [ManagedObject] = []
        for object in objects {
            let entity = model.entities[object.entity]
            let new = try context.insert(entity)
            for (slot, value) in zip(entity.slots, object.values) {
                if case .attribute(let it) = slot { new.setValue(value, for: it) }
            }
            made.append(new)
        }
        if !together { try context.save() }
        for link in links {
            let relationship = model.relationships[link.relationship]
            let members = link.members.map { made[$0] }
            if relationship.isToMany {
                for member in members { try made[link.owner].addMember(relationship, member) }
            } else {
                try made[link.owner].setToOne(relationship, members.first)
            }
        }
        try context.save()
    }

    // MARK: Making it smaller

    /// Without those objects, whose places are ascending.
    func without(_ gone: Range<Int>) -> Sample {
        var less = self
        less.objects.removeSubrange(gone)
        func moved(_ place: Int) -> Int? {
            gone.contains(place) ? nil : place < gone.lowerBound ? place : place - gone.count
        }
        less.links = links.compactMap { link in
            guard let owner = moved(link.owner) else { return nil }
            let members = link.members.compactMap(moved)
            return members.isEmpty
                ? nil : Link(relationship: link.relationship, owner: owner, members: members)
        }
        return less
    }

    /// One line an object, values that are null left out.
    var dump: String {
        objects.enumerated().map { place, object in
            let entity = model.entities[object.entity]
            let values = zip(entity.slots, object.values).compactMap { slot, value in
                value.isNull ? nil : "\(slot.name): \(Self.text(value))"
            }
            let links = links.filter { $0.owner == place }.map { link in
                "\(model.relationships[link.relationship].name) → \(link.members.map { $0 + 1 })"
            }
            return "  \(place + 1). \(entity.name) " + (values + links).joined(separator: ", ")
        }.joined(separator: "\n")
    }

    private static func text(_ value: Value) -> String {
        if case .string(let text) = value { return "\"\(text.plain)\"" }
        return "\(value)"
    }
}

extension String {
    /// With all that is not ASCII written by its number.
    var plain: String {
        unicodeScalars.map { $0.isASCII ? String($0) : $0.escaped(asASCII: true) }.joined()
    }
}
