// Changes of a model that Core Data infers a mapping for.

import TestSupport

extension StoreDraft {
    /// What a property has become: its name in the new model, and nil where it is gone.
    struct Changes {
        /// The new names by entity and old name.
        var names: [String: String] = [:]
        var removed: Set<String> = []
        /// The new types of attributes, by entity and new name.
        var kinds: [String: Kind] = [:]
        /// The attributes whose default replaces null, by entity and new name.
        var filled: Set<String> = []
        /// What was done, for messages.
        var notes: [String] = []

        /// The name that a property of an entity has now; nil where it is gone.
        func name(_ old: String, _ entity: Int) -> String? {
            let key = "\(entity).\(old)"
            return removed.contains(key) ? nil : names[key] ?? old
        }
    }

    /// The model after some changes.
    /// - Parameter fixed: whether a property keeps its type: it has values that may not fit another.
    func changed(
        _ numbers: inout SeededNumbers, fixed: (_ name: String, _ entity: Int) -> Bool
    ) -> (draft: StoreDraft, changes: Changes) {
        var (it, changes) = (self, Changes())
        for place in it.entities.indices {
            it.entities[place].oldName = nil
            for index in it.entities[place].attributes.indices {
                it.entities[place].attributes[index].oldName = nil
            }
            for index in it.entities[place].links.indices {
                it.entities[place].links[index].oldName = nil
            }
        }
        for _ in 0..<(1 + numbers.below(4)) { it.change(&changes, &numbers, fixed) }
        return (it, changes)
    }

    private static let wider: [Kind: [Kind]] = [
        .int16: [.int32, .int64, .double, .decimal], .int32: [.int64, .double, .decimal],
        .bool: [.int16, .int32, .int64], .float: [.double],
    ]

    private mutating func change(
        _ changes: inout Changes, _ numbers: inout SeededNumbers,
        _ fixed: (_ name: String, _ entity: Int) -> Bool
    ) {
        let place = numbers.below(entities.count)
        let count = number()
        switch numbers.below(11) {
        case 0:
            var new = attribute(in: place, &numbers)
            new.name = "new\(count)"
            if !new.isOptional, new.standard == nil { new.isOptional = true }
            entities[place].attributes.append(new)
            changes.notes.append("adds \(entities[place].name).\(new.name)")
        case 1:
            rename(in: place, to: "renamed\(count)", &changes, &numbers)
        case 2:
            let all = entities[place].attributes
            guard
                let index = all.indices.filter({ index in
                    let it = all[index]
                    return !it.isTransient && !it.isUnique && it.oldName == nil
                        && it.kind.flatMap { Self.wider[$0] } != nil && !fixed(it.name, place)
                }).randomElement(using: &numbers), let kind = all[index].kind
            else { return }
            let new = numbers.pick(Self.wider[kind] ?? [], or: kind)
            entities[place].attributes[index].kind = new
            if let text = all[index].standard {
                entities[place].attributes[index].standard =
                    text == "YES" ? "1" : text == "NO" ? "0" : text
            }
            changes.kinds["\(place).\(all[index].name)"] = new
            changes.notes.append("\(entities[place].name).\(all[index].name) becomes \(new)")
        case 3:
            guard entities[place].oldName == nil else { return }
            entities[place].oldName = entities[place].name
            entities[place].name = "New\(count)"
            changes.notes.append("\(entities[place].oldName ?? "") becomes New\(count)")
        case 4:
            addLink(&numbers)
            // There is no destination for the objects that are there.
            for place in entities.indices {
                for index in entities[place].links.indices
                where Int(entities[place].links[index].name.dropFirst(2)).map({ $0 > count })
                    ?? false
                {
                    entities[place].links[index].isOptional = true
                }
            }
            changes.notes.append("adds relationships")
        case 5:
            var new = Entity(name: "Added\(count)")
            new.attributes = [
                Attribute(name: "remark", kind: .string),
                Attribute(name: "size\(count)", kind: .int64),
            ]
            entities.append(new)
            changes.notes.append("adds the entity \(new.name)")
        case 6:
            entities[place].fetchIndexes = []
            entities[place].compounds = []
            changes.notes.append("removes the indexes of \(entities[place].name)")
        case 7: remove(in: place, &changes, &numbers)
        case 8: require(in: place, &changes, &numbers, fixed)
        case 9: order(in: place, &changes, &numbers)
        default: unlink(in: place, &changes, &numbers)
        }
    }

    /// The properties that indexes and constraints name keep their names.
    private func isIndexed(_ name: String) -> Bool {
        entities.contains {
            $0.fetchIndexes.contains { $0.elements.contains(name) }
                || $0.compounds.contains { $0.contains(name) }
                || $0.uniques.contains { $0.contains(name) }
        }
    }

    private mutating func rename(
        in place: Int, to new: String, _ changes: inout Changes, _ numbers: inout SeededNumbers
    ) {
        let all = entities[place].attributes
        if numbers.one(in: 3) {
            let links = entities[place].links
            guard
                let index = links.indices.filter({
                    links[$0].oldName == nil && !isIndexed(links[$0].name)
                        && links[$0].inverse != links[$0].name
                        && !isNew(links[$0].name, changes)
                }).randomElement(using: &numbers)
            else { return }
            let old = links[index].name
            if let name = links[index].inverse {
                let end = links[index].destination
                for other in entities[end].links.indices
                where entities[end].links[other].name == name {
                    entities[end].links[other].inverse = new
                }
            }
            entities[place].links[index].oldName = old
            entities[place].links[index].name = new
            changes.names["\(place).\(old)"] = new
            changes.notes.append("\(entities[place].name).\(old) becomes \(new)")
            return
        }
        guard
            let index = all.indices.filter({
                all[$0].oldName == nil && all[$0].name != "remark" && !isIndexed(all[$0].name)
                    && !all[$0].isTransient && !isNew(all[$0].name, changes)
                    && changes.kinds["\(place).\(all[$0].name)"] == nil
            }).randomElement(using: &numbers)
        else { return }
        entities[place].attributes[index].oldName = all[index].name
        entities[place].attributes[index].name = new
        changes.names["\(place).\(all[index].name)"] = new
        changes.notes.append("\(entities[place].name).\(all[index].name) becomes \(new)")
    }

    private func isNew(_ name: String, _ changes: Changes) -> Bool {
        name.hasPrefix("new") || name.hasPrefix("renamed")
            || changes.notes.contains("adds relationships")
                && ["to", "at", "of"].contains { name.hasPrefix($0) }
    }

    private mutating func remove(
        in place: Int, _ changes: inout Changes, _ numbers: inout SeededNumbers
    ) {
        let all = entities[place].attributes
        guard
            let index = all.indices.filter({
                all[$0].name != "remark" && all[$0].oldName == nil && !isIndexed(all[$0].name)
                    && !isNew(all[$0].name, changes)
            }).randomElement(using: &numbers)
        else { return }
        changes.removed.insert("\(place).\(all[index].name)")
        changes.kinds["\(place).\(all[index].name)"] = nil
        changes.notes.append("removes \(entities[place].name).\(all[index].name)")
        entities[place].attributes.remove(at: index)
    }

    /// Makes an attribute mandatory that has a default, or optional.
    private mutating func require(
        in place: Int, _ changes: inout Changes, _ numbers: inout SeededNumbers,
        _ fixed: (_ name: String, _ entity: Int) -> Bool
    ) {
        let all = entities[place].attributes
        guard
            let index = all.indices.filter({
                all[$0].standard != nil && !all[$0].isTransient && all[$0].oldName == nil
                    && !fixed(all[$0].name, place) && !isNew(all[$0].name, changes)
                    && !changes.filled.contains("\(place).\(all[$0].name)")
            }).randomElement(using: &numbers)
        else { return }
        entities[place].attributes[index].isOptional.toggle()
        let isMandatory = !entities[place].attributes[index].isOptional
        if isMandatory { changes.filled.insert("\(place).\(all[index].name)") }
        changes.notes.append(
            "\(entities[place].name).\(all[index].name) is "
                + (isMandatory ? "mandatory" : "optional"))
    }

    /// Gives a to-many an order, or takes it.
    private mutating func order(
        in place: Int, _ changes: inout Changes, _ numbers: inout SeededNumbers
    ) {
        let all = entities[place].links
        guard
            let index = all.indices.filter({
                all[$0].isToMany && all[$0].inverse != all[$0].name && !isNew(all[$0].name, changes)
            }).randomElement(using: &numbers)
        else { return }
        entities[place].links[index].isOrdered.toggle()
        changes.notes.append("\(entities[place].name).\(all[index].name) changes its order")
    }

    /// Removes a relationship with its inverse.
    private mutating func unlink(
        in place: Int, _ changes: inout Changes, _ numbers: inout SeededNumbers
    ) {
        let all = entities[place].links
        guard
            let index = all.indices.filter({
                all[$0].oldName == nil && !isIndexed(all[$0].name)
                    && inverse(of: all[$0]).map { $0.oldName == nil && !isIndexed($0.name) } ?? true
                    && !isNew(all[$0].name, changes)
            }).randomElement(using: &numbers)
        else { return }
        changes.removed.insert("\(place).\(all[index].name)")
        if let name = all[index].inverse, name != all[index].name {
            let end = all[index].destination
            changes.removed.insert("\(end).\(name)")
            entities[end].links.removeAll { $0.name == name }
        }
        entities[place].links.removeAll { $0.name == all[index].name }
        changes.notes.append("removes \(entities[place].name).\(all[index].name)")
    }
}
