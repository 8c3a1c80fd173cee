import SteleModel
import StelePersistence

extension SQLDialect {
    /// The dialect of a database as its file is: another program may have made it with texts in
    /// UTF-16.
    /// - Throws: errors of the database.
    package init(of connection: any SQLConnection) throws(StoreError) {
        self = connection.dialect
        guard let query = encoding else { return }
        let rows = try connection.rows(SQLText(query), [], [.text])
        guard case .string(let name)? = rows.first?.first, name != "UTF-8" else { return }
        sortsByScalars = false
        let isBigEndian = name == "UTF-16be"
        text = { text, _ in SQLDialect.utf16Literal(of: text, isBigEndian: isBigEndian) }
        concatenation = SQLDialect.evenConcatenation
    }

    /// Returns a byte and the data after it, where `||` drops the last byte of an odd number.
    @Sendable private static func evenConcatenation(of byte: String, _ data: String) -> String {
        """
        CASE LENGTH(CAST(\(data) AS BLOB)) % 2 \
        WHEN 0 THEN SUBSTR(CAST(X'00' || \(byte) || \(data) AS BLOB), 2) \
        ELSE CAST(\(byte) || \(data) AS BLOB) END
        """
    }

    /// Returns the literal of a text in a file in UTF-16: a cast takes bytes as they are in the file.
    private static func utf16Literal(of text: String, isBigEndian: Bool) -> String {
        var digits = ""
        for unit in text.utf16 {
            let number = String(isBigEndian ? unit : unit.byteSwapped, radix: 16)
            digits += String(repeating: "0", count: 4 - number.count) + number
        }
        return "CAST(X'\(digits)' AS TEXT)"
    }
}
