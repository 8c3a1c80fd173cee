// A play of two contexts on one store: what is done at random, and what the play expects of it.

import SteleModel
import StelePersistence
import StelePredicates

@testable import SteleGraph

struct EditingPlay {
    /// What may happen in it.
    struct Rules {
        /// Whether contexts are told of each other's saves late, and more that comes of it.
        var missesSaves = false
        /// Whether each context has a child, with undo of its own, for as long as it lives.
        var keepsChildren = false
        /// The relationships that are changed, by name; nil for all. Where they are named, all
        /// changes are dropped at times, and deletions taken back at once.
        var links: [String]?
        /// Whether saves are refused at times for what is not valid, once they are settled.
        var refusesSaves = false
        /// Whether saves, undo and redo are half of what is done.
        var takesBack = false
    }

    let fixture: Fixture
    let rules: Rules
    let seed: UInt64
    /// The steps that are left out, by which a sequence that fails is made short.
    let without: Set<Int>
    /// Each step has its own, so that it does the same where others are left out.
    var numbers: SeededNumbers
    let node: Entity
    let contexts: [ManagedObjectContext]
    /// One a context, where they are kept.
    let children: [ManagedObjectContext]
    var log = ""
    var isSound = true
    /// How many steps were played.
    private(set) var steps = 0
    /// How many saves were refused for what their settling made of them.
    private(set) var refusals = 0
    /// Whether the last save has met what others have saved, so that more has changed than was asked.
    private var isSettled = false

    /// The saves that each context has not been told of yet.
    private var missed: [[HistoryTransaction]] = [[], []]

    init(
        _ model: Model, _ kind: StoreKind, _ rules: Rules, seed: UInt64, without: Set<Int> = []
    ) throws {
        fixture = try Fixture(
            model, kind, classes: rules.refusesSaves ? ["Node": RefusedNode.self] : [:])
        self.rules = rules
        self.seed = seed
        self.without = without
        numbers = SeededNumbers(seed)
        node = try fixture.entity("Node")
        contexts = (0..<2).map { [fixture] index in
            let context = fixture.coordinator.newContext(retainsRegisteredObjects: index == 1)
            context.undoManager = UndoManager()
            return context
        }
        let parents = rules.keepsChildren ? contexts : []
        children = parents.map { parent in
            let child = ManagedObjectContext(parent: parent)
            child.undoManager = UndoManager()
            return child
        }
    }

    /// The most steps of a sequence.
    static let longest = 40

    /// Plays it.
    /// - Returns: what was done up to where something did not hold; nil where everything did.
    mutating func fault() -> String? {
        do { try run() } catch { return log + "\(error)" }
        return isSound ? nil : log
    }

    private mutating func run() throws {
        let last = Int.random(in: 10...Self.longest, using: &numbers)
        if rules.missesSaves {
            for context in contexts {
                context.mergePolicy =
                    MergePolicy.allCases.randomElement(using: &numbers) ?? .error
                // The policy by which most goes back.
                if rules.refusesSaves, Bool.random(using: &numbers) {
                    context.mergePolicy = .rollback
                }
                log += "\(context.mergePolicy) "
            }
        }
        for _ in 0..<4 { _ = try contexts[0].insert(node) }
        try save(contexts[0])
        for step in 0..<last where !without.contains(step) {
            numbers = SeededNumbers(seed &+ UInt64(step + 1) &* 104_729)
            let number = Int.random(in: 0..<2, using: &numbers)
            let context = contexts[number]
            let chance = Int.random(in: 0..<100, using: &numbers)
            log += "\(step), context \(number): "
            switch chance {
            case 0..<25 where rules.takesBack: try undo(context)
            case 25..<35 where rules.takesBack: try redo(context)
            case 35..<45 where rules.takesBack: try save(context)
            case _ where rules.keepsChildren && Bool.random(using: &numbers):
                try workInChild(number)
            case 0..<55:
                try change(context)
                if Bool.random(using: &numbers) { try context.processPendingChanges() }
            case 55..<62: try undoAndRedo(context)
            case 62..<66: try undoWhatIsSaved(context)
            case 66..<72: try undo(context)
            case 72..<76: try redo(context)
            case 76..<86: try save(context)
            case 86..<90: try rollback(context)
            case 90..<96: try refresh(context)
            default: try rules.missesSaves ? nestWhileTheParentChanges(context) : nest(context)
            }
            if rules.links != nil, Int.random(in: 0..<4, using: &numbers) == 0 {
                try deleteAndTakeBack(context)
            }
            if rules.refusesSaves, Int.random(in: 0..<4, using: &numbers) == 0 {
                try save(context)
            }
            if rules.missesSaves, Int.random(in: 0..<4, using: &numbers) == 0 {
                try catchUp(context)
            }
            for (index, context) in contexts.enumerated() where missed[index].isEmpty {
                try checkLinks(context)
            }
            steps += 1
            guard isSound else { return }
        }
        for context in contexts {
            try save(context)
            try catchUp(contexts[0])
            try catchUp(contexts[1])
            for context in contexts { try checkLinks(context) }
        }
    }

    /// Whether a context has missed nothing.
    func isTold(_ context: ManagedObjectContext) -> Bool { missed[index(context)].isEmpty }

    private func index(_ context: ManagedObjectContext) -> Int {
        contexts[0] === context ? 0 : 1
    }

    /// A context is told of what it has missed.
    private mutating func catchUp(_ context: ManagedObjectContext) throws {
        let index = index(context)
        if missed[index].isEmpty { return }
        log += "context \(index) catches up\n"
        let saves = missed[index]
        missed[index] = []
        for save in saves { try context.mergeChanges(fromContextDidSave: save) }
    }

    // MARK: What is done

    mutating func any(_ context: ManagedObjectContext) throws -> ManagedObject {
        let all = try context.fetch(FetchRequest(entity: node))
        return try all.randomElement(using: &numbers) ?? context.insert(node)
    }

    mutating func change(_ context: ManagedObjectContext) throws {
        let (a, b) = (try any(context), try any(context))
        let links = fixture.model.relationships.filter { rules.links?.contains($0.name) ?? true }
        let link = links[Int.random(in: 0..<links.count, using: &numbers)]
        switch Int.random(in: 0..<12, using: &numbers) {
        case 0:
            let made = try context.insert(
                Bool.random(using: &numbers) ? node : try fixture.entity("SubNode"))
            log += "insert \(made.id.key)\n"
        case 1:
            log += "delete \(a.id.key)\n"
            try context.delete(a)
        case 2 where rules.missesSaves:
            let code = "c\(Int.random(in: 0..<6, using: &numbers))"
            log += "code \(a.id.key) \(code)\n"
            a["code"] = .string(code)
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

    private mutating func undo(_ context: ManagedObjectContext) throws {
        log += "undo\n"
        try context.undo()
    }

    private mutating func redo(_ context: ManagedObjectContext) throws {
        log += "redo\n"
        try context.redo()
    }

    /// Undo restores exactly, redo too.
    private mutating func undoAndRedo(_ context: ManagedObjectContext) throws {
        // Where its two ends are of different states, a link that comes back mends both.
        try catchUp(context)
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

    /// A deletion that is taken back is no change, however old what was deleted is.
    private mutating func deleteAndTakeBack(_ context: ManagedObjectContext) throws {
        let object = try any(context)
        try context.processPendingChanges()
        if context.hasChanges { return }
        log += "delete \(object.id.key) and take it back\n"
        try context.delete(object)
        try context.undo()
        expect(try changes(context), [], "changes after a deletion that was taken back")
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
        // What met others' saves is not what was done.
        if isSettled { return }
        log += "which is undone and done again\n"
        try context.undo()
        expect(try facts(context), before, "undo of what is saved")
        try save(context)
        if isSettled { return }
        expect(try facts(context), before, "undo of what is saved, saved")
        try context.redo()
        expect(try facts(context), after, "redo of what is saved")
        try save(context)
    }

    /// Saved, the store has what the context has; the other context is told.
    private mutating func save(_ context: ManagedObjectContext) throws {
        log += "save\n"
        let token = fixture.coordinator.currentToken
        isSettled = !missed[index(context)].isEmpty
        if rules.refusesSaves, Bool.random(using: &numbers) { try saveInVain(context) }
        var tries = 0
        while true {
            do {
                let result = try context.save()
                if !result.replacedKeys.isEmpty { isSettled = true }
                break
            } catch let error as StoreError {
                try checkChangedLinks(context)
                switch error {
                case .moved where tries % 2 == 0: try context.settleAllObjects()
                case .moved, .conflicts: try context.refreshAllObjects()
                case .constraint(let conflict): try giveUp(conflict, context)
                default: throw error
                }
                tries += 1
                isSettled = true
                // Each code may meet once.
                if tries == (rules.missesSaves ? 60 : 3) { throw error }
            }
        }
        expect(context.hasChanges, false, "changes after a save")
        if fixture.coordinator.currentToken > token {
            let save = try fixture.lastSave()
            let other = contexts[1 - index(context)]
            if rules.missesSaves {
                missed[index(other)].append(save)
            } else {
                try other.mergeChanges(fromContextDidSave: save)
            }
        }
        try catchUp(context)
        let fresh = fixture.context()
        expect(try facts(context), try facts(fresh), "the store against the context")
        try checkLinks(fresh)
    }

    /// A save that is refused for what is not valid any more when its conflicts are settled.
    private mutating func saveInVain(_ context: ManagedObjectContext) throws {
        guard let mark = node.attribute(named: "mark") else { return }
        context.name = RefusedNode.refusing
        defer { context.name = nil }
        do { try context.save() } catch is ValidationErrors {
            log += "refused for what is not valid\n"
            refusals += 1
        } catch is StoreError {
            log += "refused by the store\n"
        }
        for object in context.registeredObjects where !object.isFault && object["mark"] == .null {
            object.setPrimitiveValue(mark.declaration.defaultValue, for: mark)
        }
        try checkChangedLinks(context)
    }

    /// Whoever has a value here that another has in the store does without.
    private mutating func giveUp(
        _ conflict: ConstraintConflict, _ context: ManagedObjectContext
    ) throws {
        log += "codes meet\n"
        for object in try context.insertedObjects + context.updatedObjects()
        where conflict.values.contains(object["code"]) { object["code"] = .null }
    }

    private mutating func rollback(_ context: ManagedObjectContext) throws {
        log += "rollback\n"
        context.rollback()
        expect(context.hasChanges, false, "changes after a rollback")
        try catchUp(context)
        expect(try facts(context), try facts(fixture.context()), "rollback")
    }

    private mutating func refresh(_ context: ManagedObjectContext) throws {
        let object = try any(context)
        try context.processPendingChanges()
        let before = try facts(context)
        // What it is told of meanwhile is more than what it had.
        let isTold = missed[index(context)].isEmpty
        switch Int.random(in: 0..<(rules.links == nil ? 3 : 4), using: &numbers) {
        case 0:
            log += "refresh \(object.id.key)\n"
            try context.refresh(object, mergeChanges: false)
        case 1:
            log += "refresh under changes \(object.id.key)\n"
            try context.refresh(object, mergeChanges: true)
            if isTold { expect(try facts(context), before, "refreshing under changes") }
        case 3:
            log += "drop all changes\n"
            // Who has no changes but in his to-manys may be held by nobody.
            let updated = try context.updatedObjects()
            try withExtendedLifetime(updated) {
                for object in context.registeredObjects.sorted(by: { $0.id.key < $1.id.key }) {
                    try context.refresh(object, mergeChanges: false)
                }
            }
            guard context.insertedObjects.isEmpty, context.deletedObjects.isEmpty else { break }
            expect(try changes(context), [], "changes after all were dropped")
        default:
            log += "refresh all\n"
            try context.refreshAllObjects()
            if isTold { expect(try facts(context), before, "refreshing all") }
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

    /// What a child links to may be gone from its parent when it is saved: then nothing is.
    private mutating func nestWhileTheParentChanges(_ context: ManagedObjectContext) throws {
        log += "in a child:\n"
        let child = ManagedObjectContext(parent: context)
        for _ in 0..<Int.random(in: 1...5, using: &numbers) { try change(child) }
        log += "meanwhile in its parent:\n"
        for _ in 0..<Int.random(in: 1...3, using: &numbers) { try change(context) }
        try context.processPendingChanges()
        let before = try facts(context)
        do {
            try child.save()
            log += "saved to its parent\n"
        } catch StoreError.conflicts {
            log += "refused by its parent\n"
            expect(try facts(context), before, "a child's save that is refused")
            return
        }
        expect(child.hasChanges, false, "changes after a child's save")
        // What it has read before its parent changed it is old until then.
        try child.refreshAllObjects()
        expect(try facts(child), try facts(context), "a child that is refreshed")
    }
}

/// A node that is not valid once a merge policy has settled it, in a context of that name.
private final class RefusedNode: ManagedObject {
    static let refusing = "refusing"

    override func awake(fromSnapshotEvents events: SnapshotEventType) {
        guard events.contains(.mergePolicy), !isDeleted,
            managedObjectContext?.name == Self.refusing, let mark = entity.attribute(named: "mark")
        else { return }
        setPrimitiveValue(.null, for: mark)
    }
}
