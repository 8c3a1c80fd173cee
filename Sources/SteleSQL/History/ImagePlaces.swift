import SteleModel
import StelePersistence

/// Maintains the table of places, which finds an object's before-images; used by the writer.
struct ImagePlaces {
    /// The number of before-images without a place.
    private(set) var waiting: Int

    /// The most before-images without a place. Readers scan all of them; adding more at once writes
    /// fewer pages.
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

    /// The last before-image with a place, as SQL; 0 for none.
    private static let mark =
        "(SELECT COALESCE(MAX(ZIMAGE), 0) FROM \(HistoryTables.imagePlaces) "
        + "WHERE ZFAMILY = \(HistoryTables.markFamily))"

    /// Finds the before-images of objects of a family (?1) from ?3 on, newest first: by their
    /// places, and by a scan of those without a place. ?2 is a JSON object from each object's key
    /// to the first before-image that is not needed; the scan may return some beyond it. The last
    /// column is the entity's number for the image of a deletion, and NULL for any other.
    static func keys(_ dialect: SQLDialect) -> SQLText {
        let deleted =
            "(SELECT c.ZENTITY FROM ACHANGE c WHERE c.Z_PK = b.Z_PK "
            + "AND c.ZCHANGETYPE = \(ObjectChange.Kind.delete.rawValue))"
        return SQLText(
            """
            SELECT b.Z_PK, b.ZENTITYPK, b.ZVERSION, \(deleted) FROM \(HistoryTables.beforeImages) b \
            WHERE b.Z_PK IN (SELECT p.ZIMAGE FROM \(dialect.members("?2")) o \
            \(dialect.orderedJoin) \(HistoryTables.imagePlaces) p ON p.ZFAMILY = ?1 \
            AND p.ZENTITYPK = CAST(o.key AS BIGINT) AND p.ZIMAGE >= ?3 AND p.ZIMAGE < o.value) \
            UNION ALL \
            SELECT b.Z_PK, b.ZENTITYPK, b.ZVERSION, \(deleted) FROM \(HistoryTables.beforeImages) b \
            WHERE b.Z_PK > \(mark) AND b.Z_PK >= ?3 AND b.ZFAMILY = ?1 \
            AND b.ZENTITYPK IN (SELECT CAST(o.key AS BIGINT) FROM \(dialect.members("?2")) o) \
            ORDER BY 1 DESC
            """)
    }

    /// Counts the before-images without a place. The caller holds the write lock.
    init(_ connection: any SQLConnection) throws(StoreError) {
        waiting = Int(try connection.integer(Self.count) ?? 0)
    }

    /// Counts before-images that are about to be written.
    mutating func note(_ images: Int) { waiting += images }

    /// Finds the places of all before-images again, after their families have changed.
    static func rebuild(_ connection: any SQLConnection) throws(StoreError) {
        try connection.execute(SQLText("DELETE FROM \(HistoryTables.imagePlaces)"), [])
        var places = try ImagePlaces(connection)
        if places.waiting == 0 { return }
        places.waiting = most
        try places.addIfMany(connection)
    }

    /// Adds the places of all before-images where many have none. They must be written.
    mutating func addIfMany(_ connection: any SQLConnection) throws(StoreError) {
        guard waiting >= Self.most else { return }
        try connection.execute(Self.add, [])
        try connection.execute(Self.forgetMark, [])
        try connection.execute(Self.setMark, [])
        waiting = 0
    }
}
