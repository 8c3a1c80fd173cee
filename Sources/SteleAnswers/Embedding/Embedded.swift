/// The objects that `include` embeds.

import SteleModel
import StelePersistence
import SteleRequests

/// What is embedded in the rows of an answer, by relationship.
package struct Embedded: Sendable {
    /// What is embedded for one relationship.
    ///
    /// It is a class because each row looks for its level.
    final class Level: Sendable {
        enum Content: Sendable {
            /// The destinations of a to-one relationship, by their keys.
            case destinations([Int64: Snapshot])
            /// The members of a to-many relationship by owner, in the relationship's order.
            case members([Int64: [Snapshot]])
            /// The ids of a to-many relationship by owner, if it is selected and not embedded.
            case keys([Int64: [Int64]])
        }

        /// `Relationship.index`, or `FetchedProperty.index`.
        let relationship: Int
        let content: Content
        let below: Embedded
        /// The slot of a to-one relationship in its owner's values; nil for a to-many.
        let slot: Int?
        /// The entities whose objects have that slot.
        let owners: Range<Int>
        /// The number of objects written for each destination or owner; nil if nothing is below.
        let weights: [Int64: Int]?
        /// The place of its objects among those of all answers.
        private let place: EmbeddedPlace?

        init(
            relationship: Int, content: Content, below: Embedded, slot: Int? = nil,
            owners: Range<Int> = 0..<0, place: EmbeddedPlace? = nil
        ) {
            self.place = place
            self.relationship = relationship
            self.content = content
            self.below = below
            self.slot = slot
            self.owners = owners
            weights = below.isEmpty ? nil : content.weights(with: below)
        }
    }

    var levels: [Level] = []
    /// What the columns with many values are read from, by `ManyPath.number`.
    var manys: [Int: Level] = [:]

    /// Nothing is embedded.
    package static let none = Embedded()

    package var isEmpty: Bool { levels.isEmpty }

    /// The ids of the members of to-many relationships, by `Relationship.index` and owner.
    package static func keys(_ all: [(relationship: Int, keys: [Int64: [Int64]])]) -> Embedded {
        Embedded(
            levels: all.map {
                Level(relationship: $0.relationship, content: .keys($0.keys), below: .none)
            })
    }

    /// In place of a relationship: the level with the whole objects of rows.
    static let rowObjects = Int.min

    /// The whole object of a row, if columns need it.
    func object(ofRow row: [Value]) -> Snapshot? {
        guard let level = level(Self.rowObjects), case .destinations(let all) = level.content
        else { return nil }
        return RowKey.id(of: row).flatMap { all[$0] }
    }

    func level(_ relationship: Int) -> Level? {
        levels.first { $0.relationship == relationship }
    }

    /// The objects that have the values of a column. As in the evaluation of the path, a to-one
    /// relationship that leads to none gives a nil, and a to-many relationship of a nil nothing.
    func objects(ofRow row: [Value], _ path: ManyPath) -> [Snapshot?] {
        guard var level = manys[path.number] else { return [] }
        var found = level.objects(
            path.place.map { RowKey.key(in: row, at: $0) } ?? RowKey.id(of: row))
        for relationship in path.relationships.dropFirst() {
            guard let next = level.below.level(relationship.index) else { return [] }
            found = found.flatMap { owner in next.objects(owner.flatMap(next.key)) }
            level = next
        }
        return found
    }
}

extension Embedded.Level {
    /// The destination with a key, or the members of the owner with that key.
    fileprivate func objects(_ key: Int64?) -> [Snapshot?] {
        switch content {
        case .destinations(let found): [key.flatMap { found[$0] }]
        case .members(let all): key.flatMap { all[$0] } ?? []
        case .keys: []
        }
    }

    /// The key of an owner's destination, or of the owner of members; nil for none.
    fileprivate func key(in owner: Snapshot) -> Int64? {
        guard let slot else { return owner.key }
        guard owners.contains(owner.entity), owner.values.indices.contains(slot),
            case .key(let key) = owner.values[slot]
        else { return nil }
        return key
    }
}

// MARK: Weights

extension Embedded.Level.Content {
    /// The number of objects written for each destination or owner.
    fileprivate func weights(with below: Embedded) -> [Int64: Int] {
        switch self {
        case .destinations(let found): found.mapValues { below.weight(with: $0) }
        case .members(let all):
            all.mapValues { members in
                members.reduce(0) { Embedded.sum($0, below.weight(with: $1)) }
            }
        case .keys: [:]
        }
    }
}

extension Embedded {
    /// The number of objects written for an object. It counts once for each path that leads to it.
    func weight(with snapshot: Snapshot) -> Int {
        levels.reduce(1) { Self.sum($0, $1.weight(in: snapshot)) }
    }

    /// The sum, or the maximum on overflow.
    static func sum(_ one: Int, _ other: Int) -> Int {
        let (sum, overflows) = one.addingReportingOverflow(other)
        return overflows ? .max : sum
    }
}

extension Embedded.Level {
    /// The number of objects written for a destination, or for the members of an owner.
    func weight(of key: Int64) -> Int {
        if let weights { return weights[key] ?? 0 }
        return switch content {
        case .destinations(let found): found[key] == nil ? 0 : 1
        case .members(let all): all[key]?.count ?? 0
        case .keys: 0
        }
    }

    fileprivate func weight(in owner: Snapshot) -> Int {
        key(in: owner).map(weight) ?? 0
    }
}
