// A program needs it for index paths.
@_exported import struct FoundationEssentials.IndexPath
import SteleModel

/// The differences between a result before and after some saves, as in the delegate methods of
/// NSFetchedResultsController.
///
/// The indexes of deletes and the `from` indexes of moves refer to the rows before the saves, all
/// others to the rows after them. Each list is in ascending order. To apply a difference, remove
/// the rows at the old indexes in descending order, then insert the rows at the new indexes in
/// ascending order. Other rows keep their order.
public struct ResultsDifference: Sendable, Equatable {
    /// A row that was removed from the result.
    public struct Delete: Sendable, Equatable {
        /// The index before the change.
        public var index: Int
        /// The key of the object.
        public var key: Int64
    }

    /// A row that was added to the result.
    public struct Insert: Sendable, Equatable {
        /// The index after the change.
        public var index: Int
        /// The key of the object.
        public var key: Int64
        /// The row's section; nil without sections.
        public var section: Value?
    }

    /// A row that has another position or section. Its values may have changed too.
    public struct Move: Sendable, Equatable {
        /// The index before the change.
        public var from: Int
        /// The index after the change.
        public var to: Int
        /// The key of the object.
        public var key: Int64
        /// The row's section; nil without sections.
        public var section: Value?
        /// The changed properties.
        public var updated: UpdatedKeys
    }

    /// A row that has other values and the same position.
    public struct Update: Sendable, Equatable {
        /// The index after the change.
        public var index: Int
        /// The key of the object.
        public var key: Int64
        /// The row's section; nil without sections.
        public var section: Value?
        /// The changed properties.
        public var updated: UpdatedKeys
    }

    /// A section that was removed or added.
    public struct SectionChange: Sendable, Equatable {
        /// The index among the old sections for a removed section, among the new ones for an added
        /// section.
        public var index: Int
        /// The value that the section's rows have in common.
        public var name: Value
    }

    /// The token of the last save included.
    public internal(set) var token: Int64
    /// Whether the difference covers all saves up to a view instead of a single save.
    public internal(set) var isOfView: Bool
    /// The removed rows.
    public internal(set) var deletes: [Delete] = []
    /// The added rows.
    public internal(set) var inserts: [Insert] = []
    /// The moved rows.
    public internal(set) var moves: [Move] = []
    /// The updated rows.
    public internal(set) var updates: [Update] = []
    /// The removed sections.
    public internal(set) var sectionDeletes: [SectionChange] = []
    /// The added sections.
    public internal(set) var sectionInserts: [SectionChange] = []
    /// All sections before the change; empty without sections.
    public internal(set) var sectionsBefore: [ResultsSection] = []
    /// All sections after the change; empty without sections.
    public internal(set) var sectionsAfter: [ResultsSection] = []

    init(token: Int64, isOfView: Bool) {
        self.token = token
        self.isOfView = isOfView
    }

    /// Whether the difference contains no changes.
    public var isEmpty: Bool {
        deletes.isEmpty && inserts.isEmpty && moves.isEmpty && updates.isEmpty
            && sectionDeletes.isEmpty && sectionInserts.isEmpty
    }

    /// The index path of a row before the change, by the `index` of a delete or the `from` of a
    /// move: its section, and its index there. Without sections all rows are in section 0.
    public func indexPath(before index: Int) -> IndexPath { sectionsBefore.indexPath(of: index) }

    /// The index path of a row after the change, by the `index` of an insert or an update or the
    /// `to` of a move.
    public func indexPath(after index: Int) -> IndexPath { sectionsAfter.indexPath(of: index) }

    /// The keys of the added, moved and updated rows.
    public var objectKeys: [Int64] {
        inserts.map(\.key) + moves.map(\.key) + updates.map(\.key)
    }

    /// Removes the updates of rows that look as before, by their keys. Of such a row that moves, no
    /// property has changed.
    package mutating func removeUpdates(where looksTheSame: (Int64) -> Bool) {
        updates.removeAll { looksTheSame($0.key) }
        for index in moves.indices where looksTheSame(moves[index].key) {
            moves[index].updated = UpdatedKeys()
        }
    }

    /// The keys of the rows after the difference.
    /// - Parameter keys: the keys of the rows before it.
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

/// The names of the changed properties of an object.
public struct UpdatedKeys: Sendable, Equatable {
    private var known: [String]? = []
    /// Whether more has changed, which is not named.
    private var hasMore = false

    /// The names without duplicates; nil if there is none that may be told.
    public var names: [String]? { hasMore && known?.isEmpty == true ? nil : known }

    /// No changes.
    public init() {}

    /// Unknown changes.
    public static var unknown: UpdatedKeys {
        var keys = UpdatedKeys()
        keys.known = nil
        return keys
    }

    /// Whether nothing has changed.
    public var isEmpty: Bool { names?.isEmpty ?? false }

    mutating func add(_ name: String) {
        if known?.contains(name) == false { known?.append(name) }
    }

    mutating func add(_ other: UpdatedKeys) {
        hasMore = hasMore || other.hasMore
        guard let more = other.known else {
            known = nil
            return
        }
        for name in more { add(name) }
    }

    /// Removes names that may not be told. What they stand for counts as changed.
    mutating func hideNames(where isHidden: (String) -> Bool) {
        guard let names = known, names.contains(where: isHidden) else { return }
        known = names.filter { !isHidden($0) }
        hasMore = true
    }
}

/// A section of a result: consecutive rows with the same value of the section key path
/// (NSFetchedResultsSectionInfo).
public struct ResultsSection: Sendable, Equatable {
    /// The value that the section's rows have in common.
    public var name: Value
    /// The number of rows.
    public var numberOfObjects: Int
}

extension [ResultsSection] {
    /// The only section of a result without a section key path.
    static func whole(of count: Int) -> [ResultsSection] {
        [ResultsSection(name: .null, numberOfObjects: count)]
    }

    /// The section of a row of the whole result, and the row's index in it.
    func indexPath(of row: Int) -> IndexPath {
        var left = row
        for (section, its) in enumerated() {
            if left < its.numberOfObjects { return [section, left] }
            left -= its.numberOfObjects
        }
        return isEmpty ? [0, row] : [count - 1, left + (last?.numberOfObjects ?? 0)]
    }

    /// The row of the whole result at an index path; nil if there is no such section, or no such
    /// row in it. Without sections, section 0 has all rows.
    func index(of indexPath: IndexPath) -> Int? {
        guard indexPath.count == 2, indexPath[0] >= 0, indexPath[1] >= 0 else { return nil }
        let (section, row) = (indexPath[0], indexPath[1])
        if isEmpty { return section == 0 ? row : nil }
        guard indices.contains(section), row < self[section].numberOfObjects else { return nil }
        return self[..<section].reduce(row) { $0 + $1.numberOfObjects }
    }
}
