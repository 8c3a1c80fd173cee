/// A context that the service keeps: a client's scratch pad.

import SteleGraph
import SteleJSON
import SteleMutex
import StelePersistence

/// What a context and its children share: they read from one another, so they take turns together.
///
// `temporaries` is used by who has the turn.
final class ContextFamily: @unchecked Sendable {
    let turn = Turn()
    var temporaries = TemporaryIDs()
}

/// An editing context, and what is remembered of it beside its objects.
///
// All that is no constant is used by who has the family's turn, and by nobody else.
final class EditingContext: @unchecked Sendable {
    let id: String
    /// Who made it: nobody else is shown it.
    let reader: String
    let parent: EditingContext?
    let family: ContextFamily
    let graph: ManagedObjectContext
    /// How many groups can be taken back, while undo is enabled.
    var undoLevels: Int { didSet { graph.undoManager?.levelsOfUndo = undoLevels } }

    private var held = HeldBytes() {
        didSet { total.add(held.count - oldValue.count) }
    }
    /// What all contexts hold together.
    private let total: HeldTotal

    init(
        id: String, reader: String, parent: EditingContext?, graph: ManagedObjectContext,
        limits: Limits, total: HeldTotal
    ) {
        self.id = id
        self.reader = reader
        self.parent = parent
        family = parent?.family ?? ContextFamily()
        self.graph = graph
        self.total = total
        undoLevels = limits.undoLevels
        graph.evaluationLimit = limits.contextEvaluation
        isUndoEnabled = true
    }

    deinit { total.add(-held.count) }

    /// How many contexts it is below.
    var depth: Int { parent.map { $0.depth + 1 } ?? 0 }

    /// Whether changes can be taken back. Disabled, it forgets what could be.
    var isUndoEnabled: Bool {
        get { graph.undoManager != nil }
        set {
            if newValue == isUndoEnabled { return }
            graph.undoManager = newValue ? UndoManager() : nil
            graph.undoManager?.levelsOfUndo = undoLevels
            held.forgetSteps()
        }
    }

    /// Lets go of members that were read for an answer: the next request reads them anew.
    func forgetWhatWasRead() {
        for one in sequence(first: self, next: \.parent) { one.graph.forgetUnchangedMembers() }
    }

    // MARK: What it holds

    /// - Throws: `Problem`, 422, where it would hold too much with what a request brings; 429 where
    ///   all contexts together would.
    func checkRoom(objects: Int, bytes: Int, _ limits: Limits) throws {
        guard graph.unsavedObjectCount + objects <= limits.contextObjects else {
            throw Self.full("\(limits.contextObjects) objects with unsaved changes")
        }
        guard held.adding(bytes).count <= limits.contextBytes else {
            throw Self.full(
                "\(limits.contextBytes >> 20) MiB of changes that are unsaved or can "
                    + "be undone")
        }
        guard total.load() + bytes <= limits.allContextsBytes else {
            throw Problem(
                .contextLimit,
                "all editing contexts together hold \(limits.allContextsBytes >> 20) MiB of changes",
                hint: "save, or delete contexts that are done with",
                headers: [("Retry-After", "60")])
        }
    }

    private static func full(_ what: String) -> Problem {
        Problem(
            .contextFull, "an editing context holds at most \(what)",
            hint: "save, or roll back; rollback and reset also forget what can be undone")
    }

    /// Remembers what a request has brought.
    func took(bytes: Int) {
        let isInGroup = graph.undoManager.map { $0.groupingLevel > 0 } ?? false
        held.add(bytes, keeping: isUndoEnabled ? undoLevels : 0, isInGroup: isInGroup)
    }

    func didSave() { held.forgetUnsaved() }

    func didForgetAll() { held = HeldBytes() }
}

/// How many bytes of bodies a context holds on to: in changes that are not saved, and in steps that
/// can be taken back, which are mostly the same.
struct HeldBytes: Sendable {
    private var unsaved = 0
    private var steps: [Int] = []
    private var undoable = 0

    var count: Int { max(unsaved, undoable) }

    /// The same with a request's more.
    func adding(_ bytes: Int) -> HeldBytes {
        var sum = self
        sum.unsaved += bytes
        sum.undoable += bytes
        return sum
    }

    /// - Parameters:
    ///   - levels: how many steps are kept.
    ///   - isInGroup: whether it is a part of the last step.
    mutating func add(_ bytes: Int, keeping levels: Int, isInGroup: Bool) {
        unsaved += bytes
        guard levels > 0 else { return }
        if isInGroup, let last = steps.indices.last {
            steps[last] += bytes
        } else {
            steps.append(bytes)
        }
        undoable += bytes
        while steps.count > levels { undoable -= steps.removeFirst() }
    }

    mutating func forgetUnsaved() { unsaved = 0 }

    mutating func forgetSteps() {
        steps = []
        undoable = 0
    }
}

/// The bytes that all contexts hold.
final class HeldTotal: Sendable {
    private let bytes = Atomic<Int>(0)

    func add(_ more: Int) { bytes.add(more, ordering: .relaxed) }

    func load() -> Int { bytes.load(ordering: .relaxed) }
}
