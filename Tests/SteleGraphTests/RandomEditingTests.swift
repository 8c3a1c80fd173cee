// Random sequences of everything that two contexts can do, against what must hold after each step.

import SteleModel
import StelePersistence
import StelePredicates
import Testing

@testable import SteleGraph

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// `make sequences` plays ten thousand new ones, STELE_SEQUENCES as many; STELE_SEED repeats a run.
/// Without either it is always the same few hundred.
@Suite struct RandomEditingTests {
    @Test func whateverIsDoneTheGraphHolds() throws {
        let given = getenv("STELE_SEQUENCES").flatMap { Int(String(cString: $0)) }
        let count = given ?? 300
        let isAsked = given != nil || getenv("STELE_SEED") != nil
        let seed = isAsked ? drawSeed("whateverIsDoneTheGraphHolds, \(count) sequences") : 5
        let model = try makeNodes([
            entity("SubNode", parent: "Node") { $0.attribute("age", .integer32) }
        ])
        var steps = 0
        for sequence in 0..<count {
            // A file takes a hundred times as long.
            let kind: StoreKind = sequence % 20 == 0 ? .sqlite : .memory
            var play = try Play(model, kind, SeededNumbers(seed &+ UInt64(sequence) &* 7919))
            do { steps += try play.run() } catch {
                Issue.record("sequence \(sequence) of seed \(seed): \(error)\n\(play.log)")
                return
            }
            guard play.isSound else {
                Issue.record("sequence \(sequence) of seed \(seed):\n\(play.log)")
                return
            }
            if Task.isCancelled { return }
        }
        print("whateverIsDoneTheGraphHolds: seed \(seed), \(count) sequences, \(steps) steps")
    }
}

/// One object's values and links, by name.
private typealias Facts = [String: PropertyValue]

private struct Play {
    let fixture: Fixture
    var numbers: SeededNumbers
    let node: Entity
    let contexts: [ManagedObjectContext]
    var log = ""
    var isSound = true

    init(_ model: Model, _ kind: StoreKind, _ numbers: SeededNumbers) throws {
        fixture = try Fixture(model, kind)
        self.numbers = numbers
        node = try fixture.entity("Node")
        contexts = (0..<2).map { [fixture] index in
            let context = fixture.coordinator.newContext(retainsRegisteredObjects: index == 1)
            context.undoManager = UndoManager()
            return context
        }
    }

    mutating func run() throws -> Int {
        let steps = Int.random(in: 10...40, using: &numbers)
        for _ in 0..<4 { _ = try contexts[0].insert(node) }
        try save(contexts[0])
        for step in 0..<steps {
            let number = Int.random(in: 0..<2, using: &numbers)
            let context = contexts[number]
            let chance = Int.random(in: 0..<100, using: &numbers)
            log += "\(step), context \(number): "
            switch chance {
            case 0..<55:
                try change(context)
                if Bool.random(using: &numbers) { try context.processPendingChanges() }
            case 55..<62: try undoAndRedo(context)
            case 62..<66: try undoWhatIsSaved(context)
            case 66..<72:
                log += "undo\n"
                try context.undo()
            case 72..<76:
                log += "redo\n"
                try context.redo()
            case 76..<86: try save(context)
            case 86..<90: try rollback(context)
            case 90..<96: try refresh(context)
            default: try nest(context)
            }
            for context in contexts { try checkLinks(context) }
            guard isSound else { return step }
        }
        return steps
    }

    // MARK: What is done

    private mutating func any(_ context: ManagedObjectContext) throws -> ManagedObject {
        let all = try context.fetch(FetchRequest(entity: node))
        return try all.randomElement(using: &numbers) ?? context.insert(node)
    }

    private mutating func change(_ context: ManagedObjectContext) throws {
        let (a, b) = (try any(context), try any(context))
        let links = fixture.model.relationships
        let link = links[Int.random(in: 0..<links.count, using: &numbers)]
        switch Int.random(in: 0..<12, using: &numbers) {
        case 0:
            let made = try context.insert(
                Bool.random(using: &numbers) ? node : try fixture.entity("SubNode"))
            log += "insert \(made.id.key)\n"
        case 1:
            log += "delete \(a.id.key)\n"
            try context.delete(a)
        case 2, 3:
            let name = "n\(Int.random(in: 0..<1000, using: &numbers))"
            log += "name \(a.id.key)\n"
            a["name"] = .string(name)
        case 4 where !link.isToMany:
            log += "\(link.name) of \(a.id.key) none\n"
            try a.setToOne(link, nil)
        default:
            if !link.isToMany {
                log += "\(link.name) of \(a.id.key) \(b.id.key)\n"
                try a.setToOne(link, b)
                return
            }
            switch Int.random(in: 0..<5, using: &numbers) {
            case 0:
                log += "\(link.name) of \(a.id.key) without \(b.id.key)\n"
                try a.removeMember(link, b)
            case 1:
                let some = [b, try any(context), try any(context)]
                log += "\(link.name) of \(a.id.key) = \(some.map(\.id.key))\n"
                try a.setMembers(link, some)
            case 2:
                log += "\(link.name) of \(a.id.key) first \(b.id.key)\n"
                try a.addMember(link, b, at: 0)
            default:
                log += "\(link.name) of \(a.id.key) with \(b.id.key)\n"
                try a.addMember(link, b)
            }
        }
    }

    /// Undo restores exactly, redo too.
    private mutating func undoAndRedo(_ context: ManagedObjectContext) throws {
        try context.processPendingChanges()
        let before = try facts(context)
        try context.undoManager?.beginUndoGrouping()
        log += "as a group:\n"
        for _ in 0..<Int.random(in: 1...5, using: &numbers) { try change(context) }
        try context.undoManager?.endUndoGrouping()
        let after = try facts(context)
        if before == after { return }
        log += "which is undone and done again\n"
        try context.undo()
        expect(try facts(context), before, "undo")
        try context.redo()
        expect(try facts(context), after, "redo")
        if Bool.random(using: &numbers) { try context.undo() }
    }

    private mutating func undoWhatIsSaved(_ context: ManagedObjectContext) throws {
        try save(context)
        let before = try facts(context)
        try context.undoManager?.beginUndoGrouping()
        log += "as a group:\n"
        for _ in 0..<Int.random(in: 1...4, using: &numbers) { try change(context) }
        try context.undoManager?.endUndoGrouping()
        if try facts(context) == before { return }
        try save(context)
        let after = try facts(context)
        log += "which is undone and done again\n"
        try context.undo()
        expect(try facts(context), before, "undo of what is saved")
        try save(context)
        expect(try facts(context), before, "undo of what is saved, saved")
        try context.redo()
        expect(try facts(context), after, "redo of what is saved")
        try save(context)
    }

    /// Saved, the store has what the context has; the other context is told.
    private mutating func save(_ context: ManagedObjectContext) throws {
        log += "save\n"
        let token = fixture.coordinator.currentToken
        var tries = 0
        while true {
            do {
                try context.save()
                break
            } catch let error as StoreError {
                switch error {
                case .moved, .conflicts: break
                default: throw error
                }
                tries += 1
                if tries == 3 { throw error }
                try context.refreshAllObjects()
            }
        }
        expect(context.hasChanges, false, "changes after a save")
        if fixture.coordinator.currentToken > token {
            let other = contexts[0] === context ? contexts[1] : contexts[0]
            try other.mergeChanges(fromContextDidSave: try fixture.lastSave())
        }
        let fresh = fixture.context()
        expect(try facts(context), try facts(fresh), "the store against the context")
    }

    private mutating func rollback(_ context: ManagedObjectContext) throws {
        log += "rollback\n"
        context.rollback()
        expect(context.hasChanges, false, "changes after a rollback")
        expect(try facts(context), try facts(fixture.context()), "rollback")
    }

    private mutating func refresh(_ context: ManagedObjectContext) throws {
        let object = try any(context)
        try context.processPendingChanges()
        let before = try facts(context)
        switch Int.random(in: 0..<3, using: &numbers) {
        case 0:
            log += "refresh \(object.id.key)\n"
            try context.refresh(object, mergeChanges: false)
        case 1:
            log += "refresh under changes \(object.id.key)\n"
            try context.refresh(object, mergeChanges: true)
            expect(try facts(context), before, "refreshing under changes")
        default:
            log += "refresh all\n"
            try context.refreshAllObjects()
            expect(try facts(context), before, "refreshing all")
        }
    }

    /// What a child changes is in its parent when it is saved.
    private mutating func nest(_ context: ManagedObjectContext) throws {
        log += "in a child:\n"
        let child = ManagedObjectContext(parent: context)
        expect(try facts(child), try facts(context), "a new child")
        for _ in 0..<Int.random(in: 1...6, using: &numbers) { try change(child) }
        try child.processPendingChanges()
        try checkLinks(child)
        let wanted = try facts(child)
        let before = try facts(context)
        log += "saved to its parent\n"
        try child.save()
        expect(try facts(context), wanted, "the child's save")
        try context.undo()
        if before != wanted { expect(try facts(context), before, "undo of a child's save") }
    }

    // MARK: What must hold

    private mutating func expect<Fact: Equatable>(
        _ found: Fact, _ wanted: Fact, _ what: String
    ) {
        if found == wanted { return }
        isSound = false
        log += "\(what): \(found)\nis not \(wanted)\n"
    }

    private mutating func expect(
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

    /// All that a context shows of its objects.
    private func facts(_ context: ManagedObjectContext) throws -> [Int64: Facts] {
        var all: [Int64: Facts] = [:]
        for object in try context.fetch(FetchRequest(entity: node)) {
            var facts: Facts = ["name": .value(object["name"])]
            for link in fixture.model.relationships {
                if link.isToMany {
                    facts[link.name] = .members(try object.memberKeys(link))
                } else {
                    let key = try object.toOne(link)?.id.key
                    facts[link.name] = .value(key.map { .key($0) } ?? .null)
                }
            }
            all[object.id.key] = facts
        }
        return all
    }

    /// Both sides of each link agree, and none leads to what is not there.
    private mutating func checkLinks(_ context: ManagedObjectContext) throws {
        let all = try context.fetch(FetchRequest(entity: node))
        let alive = Set(all.map(\.id.key))
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
                    log += "\(link.name) of \(object.id.key) leads to \(key), which is not there\n"
                }
                guard let inverse = fixture.model.inverse(of: link) else { continue }
                for key in found where alive.contains(key) {
                    let other = try context.get(ObjectID(root: node.root, key: key))
                    if try !ends(inverse, other).contains(object.id.key) {
                        isSound = false
                        log +=
                            "\(link.name) of \(object.id.key) has \(key), whose "
                            + "\(inverse.name) does not have it\n"
                    }
                }
            }
        }
    }
}
