/// The tables of the history: Core Data's three, and Stele's own beside them.

/// Names and statements of the history's tables.
public enum HistoryTables {
    /// Core Data's fixed numbers for the history's own rows.
    public static let change = 16001
    public static let transaction = 16002
    public static let transactionString = 16003

    static let entities: [(number: Int, name: String)] = [
        (change, "CHANGE"), (transaction, "TRANSACTION"), (transactionString, "TRANSACTIONSTRING"),
    ]

    /// What an update's or a delete's object was before it, by the key of its row in ACHANGE:
    /// the family's Z_ENT, the object's key, its version after an update or before a delete, and
    /// the old values as a JSON object.
    public static let beforeImages = "STELE_BEFOREIMAGE"

    /// Which before-images an object has: those up to a mark. The writer adds many at once, sorted,
    /// when they have become enough (`HistoryWriter`): with each update its object's place would be
    /// another page of the log, for no two updates of a commit are neighbours here.
    public static let imagePlaces = "STELE_IMAGEPLACE"

    /// The family whose one row says up to which image there are places; no Z_ENT is 0.
    static let markFamily = 0

    static let creation = [
        "CREATE TABLE ACHANGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "
            + "ZCHANGETYPE INTEGER, ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, "
            + "ZCOLUMNS BLOB )",
        "CREATE TABLE ATRANSACTION ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "
            + "ZAUTHORTS INTEGER, ZBUNDLEIDTS INTEGER, ZCONTEXTNAMETS INTEGER, "
            + "ZPROCESSIDTS INTEGER, ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR, ZBUNDLEID VARCHAR, "
            + "ZCONTEXTNAME VARCHAR, ZPROCESSID VARCHAR, ZQUERYGEN BLOB )",
        "CREATE TABLE ATRANSACTIONSTRING ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, "
            + "Z_OPT INTEGER, ZNAME VARCHAR )",
        "CREATE INDEX ACHANGE_ZTRANSACTIONID_INDEX ON ACHANGE (ZTRANSACTIONID)",
        "CREATE INDEX ATRANSACTION_ZAUTHORTS_INDEX ON ATRANSACTION (ZAUTHORTS)",
        "CREATE INDEX ATRANSACTION_ZBUNDLEIDTS_INDEX ON ATRANSACTION (ZBUNDLEIDTS)",
        "CREATE INDEX ATRANSACTION_ZCONTEXTNAMETS_INDEX ON ATRANSACTION (ZCONTEXTNAMETS)",
        "CREATE INDEX ATRANSACTION_ZPROCESSIDTS_INDEX ON ATRANSACTION (ZPROCESSIDTS)",
        "CREATE INDEX Z_TRANSACTION_TransactionAuthorIndex ON ATRANSACTION "
            + "(ZAUTHOR COLLATE BINARY ASC)",
        "CREATE INDEX Z_TRANSACTION_TransactionTimestampIndex ON ATRANSACTION "
            + "(ZTIMESTAMP COLLATE BINARY ASC)",
        "CREATE UNIQUE INDEX Z_TRANSACTIONSTRING_UNIQUE_NAME ON ATRANSACTIONSTRING "
            + "(ZNAME COLLATE BINARY ASC)",
        "CREATE TABLE \(beforeImages) ( Z_PK INTEGER PRIMARY KEY, ZFAMILY INTEGER, "
            + "ZENTITYPK INTEGER, ZVERSION INTEGER, ZVALUES VARCHAR )",
        placesCreation,
    ]

    private static let placesCreation =
        "CREATE TABLE \(imagePlaces) ( ZFAMILY INTEGER, ZENTITYPK INTEGER, ZIMAGE INTEGER, "
        + "PRIMARY KEY (ZFAMILY, ZENTITYPK, ZIMAGE) ) WITHOUT ROWID"

    /// What brings a store up to date that has no table of places, but an index instead.
    public static let upgrade = [
        "DROP INDEX IF EXISTS \(beforeImages)_OBJECT_INDEX", placesCreation,
    ]
}
