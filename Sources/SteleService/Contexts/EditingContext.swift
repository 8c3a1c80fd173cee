/// A context that the service keeps: a client's scratch pad.

import SteleGraph
import SteleJSON
import StelePersistence
import SteleRequests
import SteleSystem

/// What a context and its children share: they read from one another, so they take turns together.
///
// `temporaries` is used by who has the turn.
final class ContextFamily: @unchecked Sendable {
    let turn: Turn
    var temporaries = TemporaryIDs()

    init(_ waiting: WaitingPlaces) { turn = Turn(waiting) }
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
    var undoLevels: Int {
        didSet {
            graph.undoManager?.levelsOfUndo = undoLevels
            held.keepSteps(undoLevels)
        }
    }

    private var held = HeldBytes() {
        didSet { total.add(held.count - oldValue.count) }
    }
    /// What all contexts hold together.
    private let total: HeldTotal

    init(
        id: String, reader: String, parent: EditingContext?, graph: ManagedObjectContext,
        limits: Limits, total: HeldTotal, waiting: WaitingPlaces
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

    /// Lets go of members that were read for an answer: the next request reads them anew, under
    /// what is unsaved.
    func forgetWhatWasRead() {
        for one in sequence(first: self, next: \.parent) { one.graph.forgetReadMembers() }
    }

    // MARK: What it holds

    /// - Parameters:
    ///   - child: the request's changes, which are not made here yet.
    ///   - bytes: those of its body.
    /// - Returns: what the request's changes will take here, with what its body brings.
    /// - Throws: `Problem`, 422, where it would hold too much with what a request brings; 429 where
    ///   all contexts together would.
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
                "all editing contexts together hold \(limits.allContextsBytes >> 20) MiB of changes",
                hint: "save, or delete contexts that are done with",
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

    /// Remembers what a request has brought. Steps of undo beyond the bound are forgotten, the
    /// oldest first.
    func took(_ weight: ChangeWeight, _ limits: Limits) {
        held.add(weight, keeping: isUndoEnabled ? undoLevels : 0, isInGroup: isInGroup)
        guard let undo = graph.undoManager, let kept = held.dropSteps(beyond: limits.contextBytes)
        else { return }
        undo.levelsOfUndo = kept
        undo.levelsOfUndo = undoLevels
    }

    /// A group of steps begins that are one from now on.
    func didBeginGroup() { held.beginGroup() }

    func didSave() { held.forgetUnsaved() }

    func didForgetAll() { held = HeldBytes() }
}

/// About how many bytes a context holds on to: in changes that are not saved, and in steps that can
/// be taken back, which are mostly the same.
struct HeldBytes: Sendable {
    private var unsaved = 0
    private var steps: [Int] = []
    private var undoable = 0
    /// Whether the last step is that of the group that is open.
    private var isInGroup = false

    var count: Int { max(unsaved, undoable) }

    /// Whether what a request brings can be held. Steps may be forgotten for it, but for the one
    /// that it belongs to.
    func fits(_ weight: ChangeWeight, isInGroup: Bool, _ most: Int) -> Bool {
        let before = isInGroup && self.isInGroup ? steps.last ?? 0 : 0
        return max(unsaved + weight.unsaved, before + weight.step) <= most
    }

    /// - Parameters:
    ///   - levels: how many steps are kept.
    ///   - isInGroup: whether a group is open, so that it is a part of that.
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

    /// Forgets the oldest steps as long as they are too much together, but for the last.
    /// - Returns: how many are left; nil where none was forgotten.
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

/// The bytes that all contexts hold.
final class HeldTotal: Sendable {
    private let bytes = Atomic<Int>(0)

    func add(_ more: Int) { bytes.add(more, ordering: .relaxed) }

    func load() -> Int { bytes.load(ordering: .relaxed) }
}
