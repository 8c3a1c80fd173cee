// The invariants of an editing play.

import SteleModel
import StelePersistence
import StelePredicates

@testable import SteleGraph

/// One object's values and links, by name.
typealias Facts = [String: PropertyValue]

extension EditingPlay {
    mutating func expect<Fact: Equatable>(
        _ found: Fact, _ wanted: Fact, _ what: String
    ) {
        if found == wanted { return }
        isSound = false
        log += "\(what): \(found)\nis not \(wanted)\n"
    }

    mutating func expect(
        _ found: [Int64: Facts], _ wanted: [Int64: Facts], _ what: String
    ) {
        for key in Set(found.keys).union(wanted.keys) where found[key] != wanted[key] {
            isSound = false
            let (its, asked) = (found[key], wanted[key])
            for name in Set((its ?? [:]).keys).union((asked ?? [:]).keys).sorted()
            where its?[name] != asked?[name] {
                log +=
                    "\(what): \(name) of \(key) is "
                    + "\(its?[name].map { "\($0)" } ?? "nothing"), not "
                    + "\(asked?[name].map { "\($0)" } ?? "nothing")\n"
            }
        }
    }

    /// The state of all objects of a context.
    func facts(_ context: ManagedObjectContext) throws -> [Int64: Facts] {
        var all: [Int64: Facts] = [:]
        for object in try context.fetch(FetchRequest(entity: node)) {
            var facts: Facts = ["name": .value(object["name"])]
            if rules.missesSaves { facts["code"] = .value(object["code"]) }
            for link in fixture.model.relationships {
                if link.isToMany {
                    facts[link.name] = .members(try object.memberKeys(link))
                } else {
                    let key = try object.toOne(link)?.objectID.key
                    facts[link.name] = .value(key.map { .key($0) } ?? .null)
                }
            }
            all[object.objectID.key] = facts
        }
        return all
    }

    /// The unsaved changes of a context.
    func changes(_ context: ManagedObjectContext) throws -> [String] {
        let (inserted, deleted) = (context.insertedObjects, context.deletedObjects)
        return try inserted.map { "\($0.objectID.key) is new" }
            + deleted.map { "\($0.objectID.key) is gone" }
            + context.updatedObjects().map { "\($0.objectID.key): \(try $0.changedValues())" }
    }

    /// Both sides of each link agree, and every destination exists.
    mutating func checkLinks(_ context: ManagedObjectContext) throws {
        let all = try context.fetch(FetchRequest(entity: node))
        let alive = Set(all.map(\.objectID.key))
        let place = contexts.contains { $0 === context } ? "" : "the store: "
        func ends(_ link: Relationship, _ object: ManagedObject) throws -> [Int64] {
            if link.isToMany { return try object.memberKeys(link) }
            if case .key(let key) = object.value(link.slot) { return [key] }
            return []
        }
        for link in fixture.model.relationships {
            for object in all {
                let found = try ends(link, object)
                for key in found where !alive.contains(key) {
                    isSound = false
                    log +=
                        "\(place)\(link.name) of \(object.objectID.key) leads to \(key), which is "
                        + "not there\n"
                }
                guard let inverse = fixture.model.inverse(of: link) else { continue }
                for key in found where alive.contains(key) {
                    let other = try context.get(ObjectID(root: node.root, key: key))
                    if try !ends(inverse, other).contains(object.objectID.key) {
                        isSound = false
                        log +=
                            "\(place)\(link.name) of \(object.objectID.key) has \(key), "
                            + "whose \(inverse.name) has \(try ends(inverse, other))\n"
                    }
                }
            }
        }
    }

    /// A link is changed at both ends, even where one was read long ago.
    mutating func checkChangedLinks(_ context: ManagedObjectContext) throws {
        try context.processPendingChanges()
        func alive(_ key: Int64) throws -> ManagedObject? {
            try context.existingObject(with: ObjectID(root: node.root, key: key))
        }
        func isLed(_ link: Relationship, _ from: Int64, _ to: Int64) throws -> Bool {
            guard let object = try alive(from) else { return false }
            if link.isToMany { return try object.memberKeys(link).contains(to) }
            return object.value(link.slot) == .key(to)
        }
        // Objects with changes in to-manys alone are retained by these.
        let updated = try context.updatedObjects()
        defer { withExtendedLifetime(updated) {} }
        for key in context.registeredObjects.map(\.objectID.key).sorted() {
            guard let object = context.registry[ObjectID(root: node.root, key: key)],
                !object.isFault,
                !object.isDeleted
            else { continue }
            for link in fixture.model.relationships {
                guard let inverse = fixture.model.inverse(of: link) else { continue }
                var changed: [Int64] = []
                if link.isToMany {
                    let state = context.toManys[ToManyID(relationship: link.index, owner: key)]
                    changed = (state?.added.map { $0 } ?? []) + (state?.removed.map { $0 } ?? [])
                } else if object.key(in: link) != object.storedKey(in: link) {
                    changed = [object.key(in: link), object.storedKey(in: link)].compactMap { $0 }
                }
                for other in changed where try alive(other) != nil {
                    let (here, there) = try (isLed(link, key, other), isLed(inverse, other, key))
                    expect(
                        here, there,
                        "\(link.name) of \(key) has \(other), whose \(inverse.name) has it")
                }
            }
        }
    }
}
