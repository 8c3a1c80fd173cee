/// The indexes of large saves that roles have asked for.

import StelePersistence

/// Keeps the indexes of large saves: several requests and streams go through the same save, a piece
/// at a time. What the roles share of a save is kept once.
final class SaveIndexes: Sendable {
    struct Key: Hashable {
        let save: Int64
        let sight: Sight
    }

    /// The most memory of each kind, in bytes: the places of 700,000 changes.
    private static let mostBytes = 16 << 20

    /// What later saves have changed of relationships.
    let members = MemberHistoryCache()
    let places = SharedValues<Int64, SavePlaces>(mostBytes: mostBytes, \.bytes)
    let indexes = SharedValues<Key, SaveIndex>(mostBytes: mostBytes, \.bytes)
}
