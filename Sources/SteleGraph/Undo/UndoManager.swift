/// A stack of undo groups and a stack of redo groups (NSUndoManager).
///
/// A context registers the changes of one event, the time between two calls of
/// `ManagedObjectContext.processPendingChanges`, as one action. Without an open group, the action
/// is a group by itself. Groups can be nested; `undo` undoes the outermost. Contexts process their
/// pending changes whenever a group begins or ends and before an undo, so each change belongs to
/// the group in which it was made.
///
/// An undo manager is not Sendable. It must be used on the thread of its contexts.
public final class UndoManager {
    /// An action or a nested group.
    private enum Item {
        case action(target: ObjectIdentifier?, () throws -> Void)
        case group(Group)
    }

    private final class Group {
        var items: [Item] = []
        var name = ""
    }

    private var undoStack: [Group] = []
    private var redoStack: [Group] = []
    /// The open groups, outermost first.
    private var open: [Group] = []
    /// The names of the next groups of contexts, whose changes they have not registered yet.
    private var pendingNames: [ObjectIdentifier: String] = [:]
    private var disabled = 0
    private var contexts: [WeakContext] = []

    /// The maximum number of groups on each stack; 0 means no limit (`levelsOfUndo`). Older groups
    /// are removed.
    public var levelsOfUndo = 0 {
        didSet { trim() }
    }

    /// Whether an undo is in progress (`isUndoing`).
    public private(set) var isUndoing = false
    /// Whether a redo is in progress (`isRedoing`).
    public private(set) var isRedoing = false

    /// Creates an undo manager with empty stacks.
    public init() {}

    // MARK: Groups

    /// The maximum nesting depth of groups. Undoing a group recurses to its depth.
    public static let deepest = 100

    /// The number of open groups (`groupingLevel`).
    public var groupingLevel: Int { open.count }

    /// Begins a group (`beginUndoGrouping`). The actions registered until its end are undone
    /// together.
    /// - Throws: `UndoError.tooDeep` if `deepest` groups are open; the errors of processing a
    ///   context's pending changes. No group is opened then.
    public func beginUndoGrouping() throws {
        if open.count >= Self.deepest { throw UndoError.tooDeep }
        try checkpoint()
        open.append(Group())
    }

    /// Ends the innermost open group (`endUndoGrouping`). A group without actions is discarded.
    /// - Throws: `UndoError.noGroup`; the errors of processing a context's pending changes. The
    ///   group stays open then.
    public func endUndoGrouping() throws {
        try checkpoint()
        guard let group = open.popLast() else { throw UndoError.noGroup }
        close(group)
    }

    private func close(_ group: Group) {
        if group.items.isEmpty { return }
        if let outer = open.last {
            outer.items.append(.group(group))
            if outer.name.isEmpty { outer.name = group.name }
        } else if isUndoing {
            redoStack.append(group)
        } else {
            undoStack.append(group)
            trim()
        }
    }

    private func trim() {
        guard levelsOfUndo > 0 else { return }
        undoStack.removeFirst(max(0, undoStack.count - levelsOfUndo))
        redoStack.removeFirst(max(0, redoStack.count - levelsOfUndo))
    }

    // MARK: Registration

    /// Whether actions are registered (`isUndoRegistrationEnabled`).
    public var isUndoRegistrationEnabled: Bool { disabled == 0 }

    /// Disables registration until `enableUndoRegistration` has been called as often
    /// (`disableUndoRegistration`). Contexts register in `processPendingChanges`, so call that
    /// before disabling and before enabling.
    public func disableUndoRegistration() { disabled += 1 }

    /// Enables registration again (`enableUndoRegistration`). It does nothing if registration is
    /// enabled.
    public func enableUndoRegistration() { disabled = max(0, disabled - 1) }

    /// Registers an undo action for the last change (`registerUndo`). When the action runs, it
    /// registers the redo action. A new action clears the redo stack.
    public func registerUndo(_ action: @escaping () throws -> Void) {
        register(nil, action)
    }

    func register(_ target: ManagedObjectContext?, _ action: @escaping () throws -> Void) {
        let target = target.map { ObjectIdentifier($0) }
        let name = target.flatMap { pendingNames.removeValue(forKey: $0) } ?? ""
        guard isUndoRegistrationEnabled else { return }
        if !isUndoing && !isRedoing { redoStack = [] }
        let item = Item.action(target: target, action)
        if let group = open.last {
            group.items.append(item)
        } else {
            let group = Group()
            group.items = [item]
            group.name = name
            close(group)
        }
    }

    /// Clears both stacks and enables registration (`removeAllActions`). Open groups stay open and
    /// become empty.
    public func removeAllActions() {
        disabled = 0
        pendingNames = [:]
        undoStack = []
        redoStack = []
        for group in open { group.items = [] }
    }

    /// Removes the actions of one context (`removeAllActions(withTarget:)`).
    public func removeAllActions(withTarget context: ManagedObjectContext) {
        let target = ObjectIdentifier(context)
        pendingNames[target] = nil
        func strip(_ group: Group) {
            group.items.removeAll { item in
                switch item {
                case .action(let its, _): return its == target
                case .group(let inner):
                    strip(inner)
                    return inner.items.isEmpty
                }
            }
        }
        for group in undoStack + redoStack + open { strip(group) }
        undoStack.removeAll { $0.items.isEmpty }
        redoStack.removeAll { $0.items.isEmpty }
    }

    // MARK: Undo and redo

    /// Whether there is an action to undo, including changes that a context has not registered yet
    /// (`canUndo`).
    public var canUndo: Bool {
        !undoStack.isEmpty || open.contains { !$0.items.isEmpty }
            || isUndoRegistrationEnabled && hasJournal
    }

    /// Whether there is an action to redo (`canRedo`).
    public var canRedo: Bool {
        !redoStack.isEmpty && !hasJournal
    }

    /// Whether a context has changes that it has not registered yet.
    private var hasJournal: Bool { !journaling.isEmpty }

    private var journaling: [ManagedObjectContext] {
        contexts.compactMap(\.context).filter { !$0.changes.journal.isEmpty }
    }

    /// Sets the name of the open group, of the changes that a context has not registered yet, or of
    /// the last undo group (`setActionName(_:)`).
    public func setActionName(_ name: String) {
        if let group = open.first {
            group.name = name
        } else if isUndoRegistrationEnabled, hasJournal {
            for context in journaling { pendingNames[ObjectIdentifier(context)] = name }
        } else {
            undoStack.last?.name = name
        }
    }

    /// The name of the action that `undo` undoes; empty without a name (`undoActionName`).
    public var undoActionName: String {
        if let group = open.first { return group.name }
        guard isUndoRegistrationEnabled, let last = journaling.last else {
            return undoStack.last?.name ?? ""
        }
        return pendingNames[ObjectIdentifier(last)] ?? ""
    }

    /// The name of the action that `redo` redoes; empty without a name (`redoActionName`).
    public var redoActionName: String { redoStack.last?.name ?? "" }

    /// Undoes the last group, ending a single open group first (`undo`). It does nothing if the
    /// stack is empty.
    /// - Throws: `UndoError.groupIsOpen` if a nested group is open; the errors of an action. In the
    ///   latter case the group stays on the stack, and the actions already undone are redone.
    public func undo() throws {
        try checkpoint()
        if open.count > 1 { throw UndoError.groupIsOpen }
        if let group = open.popLast() { close(group) }
        guard let group = undoStack.popLast() else { return }
        isUndoing = true
        defer { isUndoing = false }
        do { try run(group) } catch {
            undoStack.append(group)
            throw error
        }
    }

    /// Redoes the last undone group (`redo`). It does nothing if the stack is empty.
    /// - Throws: the errors of `undo`; `UndoError.groupIsOpen` if any group is open.
    public func redo() throws {
        try checkpoint()
        if !open.isEmpty { throw UndoError.groupIsOpen }
        guard let group = redoStack.popLast() else { return }
        isRedoing = true
        defer { isRedoing = false }
        do { try run(group) } catch {
            redoStack.append(group)
            throw error
        }
    }

    /// Runs a group's actions in reverse order. The actions that they register form one group on
    /// the other stack.
    private func run(_ group: Group) throws {
        let answer = Group()
        answer.name = group.name
        open.append(answer)
        do {
            try perform(group)
            try checkpoint()
        } catch {
            // Actions that have already run are reverted as far as possible.
            for held in contexts { held.context?.registerJournal() }
            try? perform(answer)
            open.removeAll()
            for held in contexts { _ = held.context?.changes.takeJournal() }
            throw error
        }
        open.removeAll()
        close(answer)
    }

    private func perform(_ group: Group) throws {
        for item in group.items.reversed() {
            switch item {
            case .action(_, let action): try action()
            case .group(let inner): try perform(inner)
            }
        }
    }

    // MARK: Contexts

    func add(_ context: ManagedObjectContext) {
        contexts.removeAll { $0.context == nil }
        contexts.append(WeakContext(context: context))
    }

    func remove(_ context: ManagedObjectContext) {
        contexts.removeAll { $0.context == nil || $0.context === context }
        removeAllActions(withTarget: context)
    }

    private func checkpoint() throws {
        for held in contexts { try held.context?.processPendingChanges() }
    }
}

@available(*, unavailable)
extension UndoManager: Sendable {}

/// An invalid use of an undo manager.
public enum UndoError: Error, Sendable, Hashable, CustomStringConvertible {
    /// There is no open group to end.
    case noGroup
    /// A nested group is open, or any group in the case of `redo`. End it first.
    case groupIsOpen
    /// The maximum number of groups is open (`UndoManager.deepest`).
    case tooDeep

    /// The error message.
    public var description: String {
        switch self {
        case .noGroup: "no undo group is open: begin one first"
        case .groupIsOpen: "an undo group is open: end it first"
        case .tooDeep: "undo groups nest \(UndoManager.deepest) deep at most: end one first"
        }
    }
}
