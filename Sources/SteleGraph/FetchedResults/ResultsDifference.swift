/// What saves have changed of a result, as a value.

import SteleModel

/// The differences between a result before and after some saves, as an
/// NSFetchedResultsController's delegate is told them.
///
/// Indexes of deletes and of moves' `from` are of the rows before, all others of the rows after;
/// each list is in ascending order. Taking out the rows at the former, highest first, and putting
/// in those at the latter, lowest first, leads from one to the other; rows that are not named keep
/// their order.
public struct ResultsDifference: Sendable, Equatable {
    /// A row that is not there any more.
    public struct Delete: Sendable, Equatable {
        /// Its place before.
        public var index: Int
        /// The key of its object.
        public var key: Int64
    }

    /// A row that is new in the result.
    public struct Insert: Sendable, Equatable {
        /// Its place now.
        public var index: Int
        /// The key of its object.
        public var key: Int64
        /// The section that it is in; nil without sections.
        public var section: Value?
    }

    /// A row that stands elsewhere among the others, or in another section; its values may have
    /// changed, too.
    public struct Move: Sendable, Equatable {
        /// Its place before.
        public var from: Int
        /// Its place now.
        public var to: Int
        /// The key of its object.
        public var key: Int64
        /// The section that it is in; nil without sections.
        public var section: Value?
        /// Which of its properties have changed.
        public var updated: UpdatedKeys
    }

    /// A row that is where it was, with other values.
    public struct Update: Sendable, Equatable {
        /// Its place now.
        public var index: Int
        /// The key of its object.
        public var key: Int64
        /// The section that it is in; nil without sections.
        public var section: Value?
        /// Which of its properties have changed.
        public var updated: UpdatedKeys
    }

    /// A section that is gone or new.
    public struct SectionChange: Sendable, Equatable {
        /// Among the sections before for one that is gone, else among those after.
        public var index: Int
        /// The value that its rows have in common.
        public var name: Value
    }

    /// The last save that it tells.
    public internal(set) var token: Int64
    /// Whether it tells all up to a view that was read, and not one save alone.
    public internal(set) var isOfView: Bool
    /// Rows that are gone.
    public internal(set) var deletes: [Delete] = []
    /// Rows that are new.
    public internal(set) var inserts: [Insert] = []
    /// Rows that stand elsewhere.
    public internal(set) var moves: [Move] = []
    /// Rows with other values.
    public internal(set) var updates: [Update] = []
    /// Sections that are gone.
    public internal(set) var sectionDeletes: [SectionChange] = []
    /// Sections that are new.
    public internal(set) var sectionInserts: [SectionChange] = []

    init(token: Int64, isOfView: Bool) {
        self.token = token
        self.isOfView = isOfView
    }

    /// Whether nothing has changed.
    public var isEmpty: Bool {
        deletes.isEmpty && inserts.isEmpty && moves.isEmpty && updates.isEmpty
            && sectionDeletes.isEmpty && sectionInserts.isEmpty
    }

    /// The keys of the rows whose objects a listener needs: those that are new, moved or updated.
    public var objectKeys: [Int64] {
        inserts.map(\.key) + moves.map(\.key) + updates.map(\.key)
    }

    /// Leaves out updates of rows that show nothing of them.
    package mutating func removeUpdates(where shouldBeRemoved: (Update) -> Bool) {
        updates.removeAll(where: shouldBeRemoved)
    }

    /// The rows after it.
    /// - Parameter keys: the rows before it.
    public func applied(to keys: [Int64]) -> [Int64] {
        var keys = keys
        for index in (deletes.map(\.index) + moves.map(\.from)).sorted(by: >)
        where keys.indices.contains(index) {
            keys.remove(at: index)
        }
        let come = inserts.map { ($0.index, $0.key) } + moves.map { ($0.to, $0.key) }
        for (index, key) in come.sorted(by: { $0.0 < $1.0 }) {
            keys.insert(key, at: min(index, keys.count))
        }
        return keys
    }
}

/// Which of an object's properties have changed, by name.
public struct UpdatedKeys: Sendable, Equatable {
    /// The names, each once; nil where the history does not tell.
    public private(set) var names: [String]? = []

    /// Nothing.
    public init() {}

    /// Changes of which nothing is known.
    public static var unknown: UpdatedKeys {
        var keys = UpdatedKeys()
        keys.names = nil
        return keys
    }

    /// Whether nothing has changed.
    public var isEmpty: Bool { names?.isEmpty ?? false }

    mutating func add(_ name: String) {
        if names?.contains(name) == false { names?.append(name) }
    }

    mutating func add(_ other: UpdatedKeys) {
        guard let more = other.names else {
            names = nil
            return
        }
        for name in more { add(name) }
    }
}

/// A section of a result (NSFetchedResultsSectionInfo): rows that follow one another and have one
/// value of the section's key path.
public struct ResultsSection: Sendable, Equatable {
    /// The value that its rows have in common.
    public var name: Value
    /// How many rows it has.
    public var numberOfObjects: Int
}
