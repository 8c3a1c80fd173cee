import SteleModel
import StelePredicates

/// An error of a store.
public enum StoreError: Error, Sendable {
    /// The state that the request was made from has changed; the request must be made again. The
    /// text names the change.
    case moved(String)
    /// Objects changed or deleted by another save (133020).
    case conflicts([MergeConflict])
    /// Values of a uniqueness constraint exist already (133021).
    case constraint(ConstraintConflict)
    /// A rule of the database refuses the save, such as a CHECK of another program's table, or a
    /// derived value is out of its attribute's range (1550). The text names the table and the rule, or
    /// the object and the attribute.
    case refused(String)
    /// The disk is full (SQLITE_FULL).
    case noRoom(String)
    /// An entity has no keys left for new objects. The text names it, and the way out.
    case noKeys(String)
    /// The store's file is no longer where it was opened. Nothing is saved. The text names it.
    case gone(String)
    /// A file of the store was damaged while the store was open, or is damaged where it is read: it
    /// does not have what was written to it. An open store saves nothing more until it is opened
    /// again. The text names the file, and what is wrong.
    case damaged(String)
    /// The store is open for reading only. The text names its file.
    case readOnly(String)
    /// The store stayed busy for longer than the caller may wait.
    case busy(String)
    /// The database cannot be reached, or something in it must be mended before the store works
    /// again. The text says what.
    case unavailable(String)
    /// A save to several stores was committed in some of them and not in others (134040). The text
    /// names both, and the cause.
    case incompleteSave(String)
    /// A statement exceeded its deadline.
    case deadline(seconds: Double)
    /// The budget of a reader is used up, or no reader was free at once. A reader without a budget
    /// succeeds.
    case overBudget
    /// The store does not support the request; the text names what it does not support.
    case unsupported(String)
    /// The file is not a store, or a store of another model (134100 and related codes).
    case incompatible(code: Int, String)
    /// A value is invalid, or a predicate fails when it is evaluated, such as by an overflow.
    case invalid(String)
    /// A predicate fails when it is evaluated, by its own fault: its regular expression is invalid
    /// or takes too long.
    case predicate(PredicateError)
    /// A predicate or a list of columns exceeds a limit of the store's query language. The text
    /// names the limit.
    case tooLarge(String)
    /// Transactions after this one have been deleted from the history (134301).
    case expired(after: Int64)
    /// Any other error of the store's library (134180).
    case failed(String)
    /// The store is closed.
    case closed
}

extension StoreError: CustomStringConvertible {
    /// The error message.
    public var description: String { sentence }
}

extension StoreError {
    /// The error in a predicate or expression that caused this one; nil for any other cause.
    /// `PredicateError.located(in:)` finds its position in the text.
    package var mistake: PredicateError? {
        switch self {
        case .predicate(let error): error
        case .tooLarge(let what):
            .tooDeep(
                "the expression exceeds a limit of the store: \(what)",
                hint: "nest it less deeply, or split it into several requests")
        default: nil
        }
    }

    /// The error as a sentence.
    package var sentence: String {
        switch self {
        case .incompatible(_, let text), .noRoom(let text), .busy(let text), .moved(let text),
            .unsupported(let text), .invalid(let text), .tooLarge(let text), .failed(let text),
            .incompleteSave(let text), .readOnly(let text), .gone(let text), .refused(let text),
            .unavailable(let text), .damaged(let text), .noKeys(let text):
            text
        case .predicate(let error): error.description
        case .overBudget: "a statement has exceeded its reader's budget"
        case .deadline(let seconds): "a statement has run for more than \(seconds) seconds"
        case .conflicts: "another program has changed the objects meanwhile"
        case .constraint(let conflict):
            "\(conflict.constraint.joined(separator: ", ")) must be unique, and is not"
        case .expired: "the history of the saves meanwhile is deleted"
        case .closed: "the store is closed"
        }
    }
}

/// A conflict between two saves of one object (NSMergeConflict).
public struct MergeConflict: Sendable {
    /// The index of the concrete entity.
    public var entity: Int
    /// The object's key (Z_PK).
    public var key: Int64
    /// The object as this save's context had read it (`cachedSnapshot`).
    public var cached: Snapshot
    /// The object in the store (`persistedSnapshot`); nil where it is deleted.
    public var persisted: Snapshot?
    /// The slots that this save changes.
    public var changedSlots: [Int]
    /// The values that this save stores, by slot (`objectSnapshot`); empty for a deletion.
    public var values: [Value]

    /// Creates a conflict.
    public init(
        entity: Int, key: Int64, cached: Snapshot, persisted: Snapshot?, changedSlots: [Int],
        values: [Value]
    ) {
        self.values = values
        self.entity = entity
        self.key = key
        self.cached = cached
        self.persisted = persisted
        self.changedSlots = changedSlots
    }
}

extension MergeConflict {
    /// The object whose changes are in conflict (the ID of `sourceObject`).
    /// - Parameter model: the model of the store or context that has thrown the error.
    /// - Returns: nil for a model that does not have the entity.
    public func objectID(in model: Model) -> ObjectID? {
        guard model.entities.indices.contains(entity) else { return nil }
        return ObjectID(root: model.entities[entity].root, key: key)
    }
}

/// A violation of a uniqueness constraint (NSConstraintConflict).
public struct ConstraintConflict: Sendable {
    /// The object that has the values already.
    public struct Holder: Sendable {
        /// The index of the concrete entity.
        public var entity: Int
        /// The key as the request names it; negative for most new objects.
        public var key: Int64
        /// Whether the same save inserts it.
        public var isNew: Bool

        /// Creates a holder.
        public init(entity: Int, key: Int64, isNew: Bool) {
            self.entity = entity
            self.key = key
            self.isNew = isNew
        }
    }

    /// The index of the rejected object's concrete entity.
    public var entity: Int
    /// The rejected object's key as the request names it: negative for a new object, 0 for one that
    /// was not created.
    public var key: Int64
    /// The names of the constrained attributes.
    public var constraint: [String]
    /// The rejected object's values of these attributes. A to-one relationship may hold a new
    /// object's negative key.
    public var values: [Value]
    /// The object that has these values already; nil where it is not known.
    public var holder: Holder?

    /// The key of the stored object that has the values (`databaseObject`); nil where that object
    /// is inserted by the same save.
    public var databaseKey: Int64? {
        holder.flatMap { $0.isNew ? nil : $0.key }
    }

    /// Creates a conflict.
    public init(
        entity: Int, key: Int64, constraint: [String], values: [Value], holder: Holder?
    ) {
        self.entity = entity
        self.key = key
        self.constraint = constraint
        self.values = values
        self.holder = holder
    }
}
