import SteleModel
import StelePersistence

/// The metadata in Z_METADATA.
extension StoreMetadata {
    private static let reading = SQLText(
        "SELECT Z_UUID, Z_PLIST FROM Z_METADATA WHERE Z_VERSION = 1")
    private static let writing = SQLText(
        "UPDATE Z_METADATA SET Z_PLIST = ?1 WHERE Z_VERSION = 1")

    /// Reads a store's UUID and metadata; nil where it has none.
    package static func read(
        _ connection: any SQLConnection
    ) throws(StoreError) -> (identifier: String, metadata: Self)? {
        let row = try connection.rows(reading, [], [.text, .data]).first
        guard case .string(let identifier)? = row?[0], case .data(let list)? = row?[1] else {
            return nil
        }
        return (identifier, try Self(propertyList: list))
    }

    /// Writes the metadata.
    package func write(to connection: any SQLConnection) throws(StoreError) {
        try connection.execute(Self.writing, [.data(propertyList)])
    }
}
