/// What can be taken back, in groups, and what of it can be done again.

/// A stack of groups of actions (NSUndoManager).
///
/// What contexts register for one event, the time between two runs of
/// `ManagedObjectContext.processPendingChanges`, is one action; it is a group of its own where no
/// group is open. A group may hold groups; the outermost is what `undo` takes back. Contexts
/// process their pending changes whenever a group begins or ends, and before anything is undone, so
/// that each change falls into the group that it was made in.
///
/// Not Sendable: it belongs to the thread of its contexts.
public final class UndoManager {
    /// One thing to take back: actions of their own, or a group.
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
    /// The groups that are open, the outermost first.
    private var open: [Group] = []
    private var disabled = 0
    private var contexts: [WeakContext] = []

    /// The most groups that can be taken back; 0 is without end. Older ones are dropped.
    public var levelsOfUndo = 0 {
        didSet { trim() }
    }

    /// Whether something is being taken back.
    public private(set) var isUndoing = false
    /// Whether something is being done again.
    public private(set) var isRedoing = false

    /// One with nothing to take back.
    public init() {}

    // MARK: Groups

    /// How deep groups nest at most: to take one back walks as deep.
    public static let deepest = 100

    /// How many groups are open, one in another.
    public var groupingLevel: Int { open.count }

    /// Opens a group: what is registered until its end is taken back together.
    /// - Throws: `UndoError.tooDeep` where `deepest` are open; what processing a context's pending
    ///   changes throws. No group is opened then.
    public func beginUndoGrouping() throws {
        if open.count >= Self.deepest { throw UndoError.tooDeep }
        try checkpoint()
        open.append(Group())
    }

    /// Ends the group opened last. One without actions leaves nothing behind.
    /// - Throws: `UndoError.noGroup`; what processing a context's pending changes throws, the
    ///   group being still open.
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

    /// Whether what is registered is kept.
    public var isUndoRegistrationEnabled: Bool { disabled == 0 }

    /// Drops what is registered from now on, until as many calls of `enableUndoRegistration`.
    /// Contexts register in `processPendingChanges`: call that first, and before enabling it again.
    public func disableUndoRegistration() { disabled += 1 }

    /// Keeps what is registered again; nothing happens where that was not disabled.
    public func enableUndoRegistration() { disabled = max(0, disabled - 1) }

    /// Registers how the last change is taken back. When it runs it registers in turn how it is
    /// done again. Anything new makes an end of what could be done again.
    public func registerUndo(_ action: @escaping () throws -> Void) {
        register(nil, action)
    }

    func register(_ target: ManagedObjectContext?, _ action: @escaping () throws -> Void) {
        guard isUndoRegistrationEnabled else { return }
        if !isUndoing && !isRedoing { redoStack = [] }
        let item = Item.action(target: target.map { ObjectIdentifier($0) }, action)
        if let group = open.last {
            group.items.append(item)
        } else {
            let group = Group()
            group.items = [item]
            close(group)
        }
    }

    /// Forgets everything, and keeps what is registered from now on (`removeAllActions`); groups
    /// that are open stay open, and empty.
    public func removeAllActions() {
        disabled = 0
        undoStack = []
        redoStack = []
        for group in open { group.items = [] }
    }

    /// Forgets what one context has registered (`removeAllActions(withTarget:)`).
    public func removeAllActions(withTarget context: ManagedObjectContext) {
        let target = ObjectIdentifier(context)
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

    /// Whether there is anything to take back, changes that no context has registered yet among it.
    public var canUndo: Bool {
        !undoStack.isEmpty || open.contains { !$0.items.isEmpty }
            || isUndoRegistrationEnabled && hasJournal
    }

    /// Whether there is anything to do again.
    public var canRedo: Bool {
        !redoStack.isEmpty && !hasJournal
    }

    /// Whether there are changes that no context has registered yet.
    private var hasJournal: Bool {
        contexts.contains { $0.context?.changes.journal.isEmpty == false }
    }

    /// The name of the group that is open, or of the last one.
    public func setActionName(_ name: String) {
        if let group = open.first ?? undoStack.last { group.name = name }
    }

    /// The name of what `undo` takes back; empty where it has none.
    public var undoActionName: String { (open.first ?? undoStack.last)?.name ?? "" }

    /// The name of what `redo` does again; empty where it has none.
    public var redoActionName: String { redoStack.last?.name ?? "" }

    /// Takes the last group back; a single open one is ended first. Nothing happens where there is
    /// none.
    /// - Throws: `UndoError.groupIsOpen` where a group in a group is open; what an action throws:
    ///   the group is where it was then, and what was taken back of it has been done again.
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

    /// Does again what was taken back last. Nothing happens where there is nothing.
    /// - Throws: as `undo`.
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

    /// Runs a group backwards; what its actions register is one group of the other stack.
    private func run(_ group: Group) throws {
        let answer = Group()
        answer.name = group.name
        open.append(answer)
        do {
            try perform(group)
            try checkpoint()
        } catch {
            // What is done already is taken back, as far as that can be.
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

/// A use of an undo manager that cannot be.
public enum UndoError: Error, Sendable, Hashable, CustomStringConvertible {
    /// No group is open that could be ended.
    case noGroup
    /// A group is open in another, or one where something shall be done again: end it first.
    case groupIsOpen
    /// As many groups are open as may be (`UndoManager.deepest`).
    case tooDeep

    /// The sentence for people.
    public var description: String {
        switch self {
        case .noGroup: "no undo group is open: begin one first"
        case .groupIsOpen: "an undo group is open: end it first"
        case .tooDeep: "undo groups nest \(UndoManager.deepest) deep at most: end one first"
        }
    }
}
