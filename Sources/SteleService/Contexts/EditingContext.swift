/// A context that the service keeps for a client.

import SteleGraph
import SteleJSON
import StelePersistence
import SteleRequests
import SteleSystem

/// What a context shares with its children. They read from one another, so they take turns
/// together.
// `temporaries` is used only by the thread that has the turn.
final class ContextFamily: @unchecked Sendable {
    let turn: Turn
    var temporaries = TemporaryIDs()

    init(_ waiting: Places) { turn = Turn(waiting) }
}

/// An editing context, with what is kept beside its objects.
// Its variables are used only by the thread that has the family's turn.
final class EditingContext: @unchecked Sendable {
    let id: String
    /// The reader that made it; other readers do not see it.
    let reader: String
    let parent: EditingContext?
    let family: ContextFamily
    let graph: ManagedObjectContext
    /// The name of its saves in the history; nil for that of their route
    /// (`NSManagedObjectContext.name`).
    var name: String? {
        didSet { graph.name = name ?? Self.savingRoute }
    }

    /// The number of groups that can be undone while undo is enabled.
    var undoLevels: Int {
        didSet {
            graph.undoManager?.levelsOfUndo = undoLevels
            held.keepSteps(undoLevels)
        }
    }

    private var held = HeldBytes() {
        didSet { total.add(held.count - oldValue.count) }
    }
    /// The bytes that all contexts hold together.
    private let total: HeldTotal

    init(
        id: String, reader: String, parent: EditingContext?, graph: ManagedObjectContext,
        limits: Limits, total: HeldTotal, waiting: Places
    ) {
        self.id = id
        self.reader = reader
        self.parent = parent
        family = parent?.family ?? ContextFamily(waiting)
        self.graph = graph
        self.total = total
        undoLevels = limits.undoLevels
        graph.evaluationLimit = limits.contextEvaluation
        isUndoEnabled = true
    }

    deinit { total.add(-held.count) }

    /// The name of its saves in the history while it has none of its own.
    static let savingRoute = "POST \(RoutePattern.contextSave.rawValue)"

    /// The number of contexts above it.
    var depth: Int { parent.map { $0.depth + 1 } ?? 0 }

    /// Whether changes can be undone. Disabling it forgets what could be undone.
    var isUndoEnabled: Bool {
        get { graph.undoManager != nil }
        set {
            if newValue == isUndoEnabled { return }
            graph.undoManager = newValue ? UndoManager() : nil
            graph.undoManager?.levelsOfUndo = undoLevels
            held.forgetSteps()
        }
    }

    /// Releases members that were read for an answer. The next request reads them again.
    func forgetWhatWasRead() {
        for one in sequence(first: self, next: \.parent) { one.graph.forgetReadMembers() }
    }

    // MARK: Memory

    /// Checks that the changes of a request fit.
    /// - Parameters:
    ///   - child: the changes, which are not made here yet.
    ///   - bytes: the size of the request's body.
    /// - Returns: the size of the changes, with the body.
    /// - Throws: `Problem`: 422 if the context is full, 429 if all contexts together are.
    func room(
        for child: ManagedObjectContext, bytes: Int, _ limits: Limits
    ) throws -> ChangeWeight {
        let most = limits.contextObjects
        if graph.unsavedObjectCount + child.unsavedObjectCount > most,
            graph.unsavedObjectCount(with: child) > most
        {
            throw Self.full("\(most) objects with unsaved changes")
        }
        var weight = graph.weight(of: child)
        weight.unsaved += bytes
        weight.step += bytes
        guard held.fits(weight, isInGroup: isInGroup, limits.contextBytes) else {
            throw Self.full(
                "about \(limits.contextBytes >> 20) MiB of unsaved changes, or in one undo group")
        }
        let more = max(weight.unsaved, weight.step)
        guard total.load() + more <= limits.allContextsBytes else {
            throw Problem(
                .contextLimit,
                "all editing contexts together hold "
                    + "\(limits.allContextsBytes >> 20) MiB of changes",
                hint: "save, or delete contexts that are no longer needed",
                headers: [("Retry-After", "60")])
        }
        return weight
    }

    private static func full(_ what: String) -> Problem {
        Problem(
            .contextFull, "an editing context holds at most \(what)",
            hint: "save, or roll back; rollback and reset also forget what can be undone")
    }

    private var isInGroup: Bool { (graph.undoManager?.groupingLevel ?? 0) > 0 }

    /// Records the changes of a request. The oldest undo steps beyond the limit are forgotten.
    func took(_ weight: ChangeWeight, _ limits: Limits) {
        held.add(weight, keeping: isUndoEnabled ? undoLevels : 0, isInGroup: isInGroup)
        guard let undo = graph.undoManager, let kept = held.dropSteps(beyond: limits.contextBytes)
        else { return }
        undo.levelsOfUndo = kept
        undo.levelsOfUndo = undoLevels
    }

    /// Begins a group of steps that count as one.
    func didBeginGroup() { held.beginGroup() }

    func didSave() { held.forgetUnsaved() }

    func didForgetAll() { held = HeldBytes() }
}

/// The approximate number of bytes that a context holds: in unsaved changes, and in undo steps,
/// which are mostly the same.
struct HeldBytes: Sendable {
    private var unsaved = 0
    private var steps: [Int] = []
    private var undoable = 0
    /// Whether the last step is that of the open group.
    private var isInGroup = false

    var count: Int { max(unsaved, undoable) }

    /// Whether the changes of a request fit. All steps may be forgotten for them but their own.
    func fits(_ weight: ChangeWeight, isInGroup: Bool, _ most: Int) -> Bool {
        let before = isInGroup && self.isInGroup ? steps.last ?? 0 : 0
        return max(unsaved + weight.unsaved, before + weight.step) <= most
    }

    /// - Parameters:
    ///   - levels: the number of steps to keep.
    ///   - isInGroup: whether a group is open, which the changes are then a part of.
    mutating func add(_ weight: ChangeWeight, keeping levels: Int, isInGroup: Bool) {
        unsaved += weight.unsaved
        guard levels > 0 else { return }
        if isInGroup, self.isInGroup, let last = steps.indices.last {
            steps[last] += weight.step
        } else {
            steps.append(weight.step)
        }
        self.isInGroup = isInGroup
        undoable += weight.step
        keepSteps(levels)
    }

    mutating func beginGroup() { isInGroup = false }

    mutating func keepSteps(_ levels: Int) {
        guard steps.count > levels else { return }
        undoable -= steps.prefix(steps.count - levels).reduce(0, +)
        steps.removeFirst(steps.count - levels)
    }

    /// Forgets the oldest steps, except the last one, while they are too large together.
    /// - Returns: the number of steps left; nil if none was forgotten.
    mutating func dropSteps(beyond most: Int) -> Int? {
        var (left, kept) = (undoable, steps.count)
        while left > most, kept > 1 {
            left -= steps[steps.count - kept]
            kept -= 1
        }
        guard kept < steps.count else { return nil }
        keepSteps(kept)
        return kept
    }

    mutating func forgetUnsaved() { unsaved = 0 }

    mutating func forgetSteps() {
        steps = []
        undoable = 0
    }
}

/// The number of bytes that all contexts hold together.
final class HeldTotal: Sendable {
    private let bytes = Atomic<Int>(0)

    func add(_ more: Int) { bytes.add(more, ordering: .relaxed) }

    func load() -> Int { bytes.load(ordering: .relaxed) }
}
