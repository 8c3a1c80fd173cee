/// What a store refuses, and why.

import SteleModel
import StelePredicates

/// A store's refusal.
public enum StoreError: Error, Sendable {
    /// What the request was made from has changed; make it again from what is there now.
    case moved(String)
    /// Objects changed or deleted by another save (133020).
    case conflicts([MergeConflict])
    /// Values that must be unique are not (133021).
    case constraint(ConstraintConflict)
    /// The disk is full: SQLITE_FULL.
    case noRoom(String)
    /// Busy for longer than the caller is asked to wait.
    case busy(String)
    /// A statement ran longer than its deadline.
    case deadline(seconds: Double)
    /// A reader with a budget has used it up, or could not be had at once; one without will do.
    case overBudget
    /// The request asks for what this store cannot do yet; the text says what.
    case unsupported(String)
    /// The file is no store, or one of another model (134100 and kin): code, and a sentence.
    case incompatible(code: Int, String)
    /// A predicate or value that fails only when it runs, such as one out of range.
    case invalid(String)
    /// The same where it is the predicate's own fault: a regular expression that runs too long, or
    /// is none.
    case predicate(PredicateError)
    /// A predicate or a list of columns that is larger than what the store's own language takes:
    /// what of it there is too much of, and how much may be.
    case tooLarge(String)
    /// What came after that transaction has been deleted from the history (134301).
    case expired(after: Int64)
    /// Anything else that the store's library says (134180).
    case failed(String)
    /// The store is closed.
    case closed
}

extension StoreError {
    /// The mistake in a predicate or an expression that it comes from; nil for any other. Where it
    /// stands `PredicateError.located(in:)` finds.
    public var mistake: PredicateError? {
        switch self {
        case .predicate(let error): error
        case .tooLarge(let what):
            .tooDeep(
                "the expression is larger than what the store takes: \(what)",
                hint: "nest it less deeply, or ask in several requests")
        default: nil
        }
    }
}

/// One object that was changed by two (NSMergeConflict).
public struct MergeConflict: Sendable {
    public var entity: Int
    public var key: Int64
    /// What the saver had read.
    public var cached: Snapshot
    /// What is in the store, or nil where the object is deleted.
    public var persisted: Snapshot?
    /// The slots that the saver wanted to change.
    public var changedSlots: [Int]
    /// What it wanted to store, by slot; empty for a deletion.
    public var values: [Value]

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

/// Two objects with the same values where the model wants unique ones (NSConstraintConflict).
public struct ConstraintConflict: Sendable {
    /// Who has the values already.
    public struct Holder: Sendable {
        /// The index of its concrete entity.
        public var entity: Int
        /// Its key, as the request names it: negative for most that are new.
        public var key: Int64
        /// Whether the same save inserts it.
        public var isNew: Bool

        public init(entity: Int, key: Int64, isNew: Bool) {
            self.entity = entity
            self.key = key
            self.isNew = isNew
        }
    }

    /// The index of the refused object's concrete entity.
    public var entity: Int
    /// The refused object's key, as the request names it: negative for a new one, and 0 for one that
    /// is not made.
    public var key: Int64
    /// The constrained attributes.
    public var constraint: [String]
    /// The refused object's values for them, as it was asked for: a to-one may hold a new object's
    /// negative key.
    public var values: [Value]
    /// Who has these values, where that is known.
    public var holder: Holder?

    /// The key of the stored object that has the values; nil where it is another of the same save.
    public var databaseKey: Int64? {
        holder.flatMap { $0.isNew ? nil : $0.key }
    }

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
