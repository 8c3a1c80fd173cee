import CSQLite

/// The header of a database's file in rollback-journal mode. Converting the file to a write-ahead
/// log and back changes what the header counts (https://sqlite.org/fileformat2.html#the_database_header).
struct FileHead {
    private let bytes: [UInt8]

    /// Reads the header.
    /// - Parameter connection: one that has read something.
    /// - Returns: nil where it cannot be read.
    init?(_ connection: Connection) {
        var bytes = [UInt8](repeating: 0, count: 100)
        guard stele_read_head(connection.handle, &bytes, Int32(bytes.count)) == 0 else {
            return nil
        }
        self.bytes = bytes
    }

    /// Writes the header back into a file that is as it was but for the conversions.
    /// - Parameter connection: one that keeps SQLite's exclusive lock, and is not used after that.
    func restore(_ connection: Connection) {
        guard let now = FileHead(connection) else { return }
        // The change counter, the version for which it is valid, and the library's version.
        let counters = [24..<28, 92..<100]
        let isOther = bytes.indices.contains { index in
            bytes[index] != now.bytes[index] && !counters.contains { $0.contains(index) }
        }
        if !isOther { _ = stele_write_head(connection.handle, bytes, Int32(bytes.count)) }
    }
}
