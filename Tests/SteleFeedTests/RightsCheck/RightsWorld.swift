// Two samples of objects of which a role sees the same.

import SteleModel
import StelePersistence
import StelePredicates
import TestSupport

@testable import SteleDifferential

/// Objects, and the same with other values and links of those that a role does not see.
struct RightsWorld {
    let model: Model
    let rules: RightsRules
    let one: Sample
    let other: Sample
    /// How many values, links and places differ.
    let differences: Int
    /// What is seen of both.
    let seen: Seen

    /// Nil where nothing is hidden, or nothing is seen.
    static func make(seed: UInt64) throws -> RightsWorld? {
        let model = try RightsTemplates.model(seed: seed)
        var numbers = SeededNumbers(seed: seed &+ 1)
        let one = Sample(model, size: 7, &numbers)
        let rules = RightsRules(model, seed: seed &+ 2)
        // Some models have rules that some samples break.
        guard let seen = try? seen(of: one, rules) else { return nil }
        let count = seen.lines.count
        guard count > 2, count < one.objects.count else { return nil }
        var other = one
        var differences = 0
        for _ in 0..<24 {
            let changed = Self.changed(other, seen, &numbers)
            // What is seen decides alone; most changes of other objects do not show.
            guard (try? Self.seen(of: changed, rules)) == seen else { continue }
            other = changed
            differences += 1
        }
        guard differences > 3 else { return nil }
        return RightsWorld(
            model: model, rules: rules, one: one, other: other, differences: differences,
            seen: seen)
    }

    private static func seen(of sample: Sample, _ rules: RightsRules) throws -> Seen {
        let store = InMemoryStore(model: sample.model)
        defer { store.close() }
        try sample.write(to: store, together: true)
        return try rules.seen(in: store)
    }

    /// With another value of an object that is not seen, or other links of any object.
    private static func changed(
        _ sample: Sample, _ seen: Seen, _ numbers: inout SeededNumbers
    ) -> Sample {
        var changed = sample
        let hidden = sample.keys.indices.filter {
            let id = sample.keys[$0]
            return seen.keys[id.root]?.contains(id.key) != true
        }
        switch numbers.below(5) {
        case 0, 1:
            guard let place = hidden.randomElement(using: &numbers) else { return sample }
            let slots = sample.model.entities[sample.objects[place].entity].slots
            guard let slot = slots.indices.randomElement(using: &numbers),
                case .attribute(let it) = slots[slot]
            else { return sample }
            changed.objects[place].values[slot] = SampleValues.value(it, &numbers)
        case 2:
            guard let link = sample.links.indices.randomElement(using: &numbers) else {
                return sample
            }
            changed.links.remove(at: link)
        case 3:
            guard let link = sample.links.indices.randomElement(using: &numbers) else {
                return sample
            }
            changed.links[link].members.shuffle(using: &numbers)
        default:
            guard let it = sample.model.relationships.randomElement(using: &numbers),
                let owner = sample.places(of: it.owner).randomElement(using: &numbers),
                let member = sample.places(of: it.destination).randomElement(using: &numbers)
            else { return sample }
            changed.links.append(
                Sample.Link(relationship: it.index, owner: owner, members: [member]))
        }
        return changed
    }
}

extension Sample {
    /// The ids that the objects get, by their places.
    var keys: [ObjectID] {
        var last: [Int: Int64] = [:]
        return objects.map { object in
            let root = model.entities[object.entity].root
            last[root, default: 0] += 1
            return ObjectID(root: root, key: last[root, default: 0])
        }
    }

    /// The places of the objects of an entity and its subentities.
    func places(of entity: Int) -> [Int] {
        objects.indices.filter { model.entities[entity].isKind(objects[$0].entity) }
    }
}
