/// Where an object's before-images are, kept in order by many at a time.

import SteleModel
import StelePersistence

/// Adds places for the before-images that have none yet; used by the writer.
struct ImagePlaces {
    /// How many images have no place yet.
    private(set) var waiting: Int

    /// How many may wait: a reader looks through all of them, and what is added at once shares
    /// pages the better the more it is.
    private static let most = 4_096

    private static let count = SQLText(
        "SELECT COUNT(*) FROM \(HistoryTables.beforeImages) WHERE Z_PK > \(mark)")
    private static let add = SQLText(
        "INSERT INTO \(HistoryTables.imagePlaces) (ZFAMILY, ZENTITYPK, ZIMAGE) "
            + "SELECT ZFAMILY, ZENTITYPK, Z_PK FROM \(HistoryTables.beforeImages) "
            + "WHERE Z_PK > \(mark) ORDER BY ZFAMILY, ZENTITYPK, Z_PK")
    private static let forgetMark = SQLText(
        "DELETE FROM \(HistoryTables.imagePlaces) WHERE ZFAMILY = \(HistoryTables.markFamily)")
    private static let setMark = SQLText(
        "INSERT INTO \(HistoryTables.imagePlaces) (ZFAMILY, ZENTITYPK, ZIMAGE) "
            + "SELECT \(HistoryTables.markFamily), 0, MAX(Z_PK) "
            + "FROM \(HistoryTables.beforeImages)")

    /// The last image that has a place, as SQL; 0 where none has.
    private static let mark =
        "(SELECT ifnull(MAX(ZIMAGE), 0) FROM \(HistoryTables.imagePlaces) "
        + "WHERE ZFAMILY = \(HistoryTables.markFamily))"

    /// Where the images of some objects of a family (?1) are, from ?3 on, newest first: those with
    /// places are found by them, the few others one by one. ?2 is a JSON object from each key to
    /// the first image that is of no use any more; some of the few may lie behind it.
    static let keys = SQLText(
        """
        SELECT Z_PK, ZENTITYPK, ZVERSION FROM \(HistoryTables.beforeImages) \
        WHERE Z_PK IN (SELECT p.ZIMAGE FROM json_each(?2) o \
        CROSS JOIN \(HistoryTables.imagePlaces) p ON p.ZFAMILY = ?1 \
        AND p.ZENTITYPK = CAST(o.key AS INTEGER) AND p.ZIMAGE >= ?3 AND p.ZIMAGE < o.value) \
        UNION ALL \
        SELECT Z_PK, ZENTITYPK, ZVERSION FROM \(HistoryTables.beforeImages) \
        WHERE Z_PK > \(mark) AND Z_PK >= ?3 AND ZFAMILY = ?1 \
        AND ZENTITYPK IN (SELECT CAST(key AS INTEGER) FROM json_each(?2)) \
        ORDER BY Z_PK DESC
        """)

    /// Counts those that wait; only right while the writer's lock is held.
    init(_ connection: any SQLConnection) throws(StoreError) {
        guard case .int(let count)? = try connection.rows(Self.count, [], [.integer]).first?.first
        else { throw .failed("the before-images could not be counted") }
        waiting = Int(count)
    }

    /// Notes images that are about to be written in this transaction.
    mutating func note(_ images: Int) { waiting += images }

    /// Gives places to all that wait, where they are many; they must be written.
    mutating func addIfMany(_ connection: any SQLConnection) throws(StoreError) {
        guard waiting >= Self.most else { return }
        try connection.execute(Self.add, [])
        try connection.execute(Self.forgetMark, [])
        try connection.execute(Self.setMark, [])
        waiting = 0
    }
}
