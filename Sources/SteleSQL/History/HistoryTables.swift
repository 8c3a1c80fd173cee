/// The names and statements of the history's tables: Core Data's three, and two of Stele.
package enum HistoryTables {
    /// Core Data's fixed entity numbers of the history's rows.
    static let change = 16001
    static let transaction = 16002
    static let transactionString = 16003

    package static let entities: [(number: Int, name: String)] = [
        (change, "CHANGE"), (transaction, "TRANSACTION"), (transactionString, "TRANSACTIONSTRING"),
    ]

    /// The texts of the history: authors, names of contexts and of programs.
    static let strings = "ATRANSACTIONSTRING"

    /// Before-images, by the key of the row in ACHANGE: the family's Z_ENT, the object's key, its
    /// version after an update or before a deletion, and the old values as a JSON object.
    package static let beforeImages = "STELE_BEFOREIMAGE"

    /// The before-images of each object, up to a mark. The writer adds many at once, sorted by
    /// object. Adding one with each update would write another page each time, because the objects
    /// of one commit are scattered.
    package static let imagePlaces = "STELE_IMAGEPLACE"

    /// The family of the row with the mark; no Z_ENT is 0.
    static let markFamily = 0

    package static let creation = [
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

    /// The names of all tables.
    static let names: Set<String> = [
        "ACHANGE", "ATRANSACTION", strings, beforeImages, imagePlaces,
    ]

    /// The tables of Stele.
    package static let own = Array(creation.suffix(2))

    /// The statements that upgrade a store with an index instead of the table of places.
    package static let upgrade = [
        "DROP INDEX IF EXISTS \(beforeImages)_OBJECT_INDEX", placesCreation,
    ]
}
