// Random edits of two contexts on one store, with the invariants that they keep.

import SteleModel
import StelePersistence
import StelePredicates
import TestSupport

@testable import SteleGraph

struct EditingPlay {
    /// What may happen in a play.
    struct Rules {
        /// Whether contexts are told of each other's saves late, and objects have unique codes.
        var missesSaves = false
        /// Whether each context has a child, with undo of its own, for as long as it lives.
        var keepsChildren = false
        /// The relationships that are changed, by name; nil for all. Where they are named, all
        /// changes are dropped at times, and deletions taken back at once.
        var links: [String]?
        /// Whether some saves are refused because an object is invalid once it is settled.
        var refusesSaves = false
        /// Whether half of the steps are saves, undo and redo.
        var takesBack = false
    }

    let fixture: Fixture
    let rules: Rules
    let seed: UInt64
    /// The steps that are left out, to shorten a sequence that fails.
    let without: Set<Int>
    /// The numbers of the current step; each step has its own, so that leaving out others keeps it.
    var numbers: SeededNumbers
    let node: Entity
    let contexts: [ManagedObjectContext]
    /// A child for each context, where the rules keep children.
    let children: [ManagedObjectContext]
    var log = ""
    var isSound = true
    /// How many steps were played.
    private(set) var steps = 0
    /// How many saves were refused once they were settled.
    var refusals = 0
    /// Whether the last save merged other changes, so that more changed than was asked.
    var isSettled = false

    /// The saves that each context has not been told of yet.
    var missed: [[HistoryTransaction]] = [[], []]

    init(
        _ model: Model, _ kind: StoreKind, _ rules: Rules, seed: UInt64, without: Set<Int> = []
    ) throws {
        fixture = try Fixture(
            model, kind, classes: rules.refusesSaves ? ["Node": RefusedNode.self] : [:])
        self.rules = rules
        self.seed = seed
        self.without = without
        numbers = SeededNumbers(seed: seed)
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

    /// Plays the sequence.
    /// - Returns: the steps up to the one that broke an invariant; nil where all held.
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
                // The policy that drops most changes.
                if rules.refusesSaves, Bool.random(using: &numbers) {
                    context.mergePolicy = .rollback
                }
                log += "\(context.mergePolicy) "
            }
        }
        for _ in 0..<4 { _ = try contexts[0].insert(node) }
        try save(contexts[0])
        for step in 0..<last where !without.contains(step) {
            numbers = SeededNumbers(seed: seed &+ UInt64(step + 1) &* 104_729)
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

    func index(_ context: ManagedObjectContext) -> Int {
        contexts[0] === context ? 0 : 1
    }

    /// Tells a context of the saves that it has missed.
    mutating func catchUp(_ context: ManagedObjectContext) throws {
        let index = index(context)
        if missed[index].isEmpty { return }
        log += "context \(index) catches up\n"
        let saves = missed[index]
        missed[index] = []
        for save in saves { try context.mergeChanges(fromContextDidSave: save) }
    }
}

/// A node that is invalid once a merge policy has settled it, in a context named `refusing`.
final class RefusedNode: ManagedObject {
    static let refusing = "refusing"

    override func awake(fromSnapshotEvents events: SnapshotEventType) {
        guard events.contains(.mergePolicy), !isDeleted,
            managedObjectContext?.name == Self.refusing, let mark = entity.attribute(named: "mark")
        else { return }
        setPrimitiveValue(.null, for: mark)
    }
}
