import SteleModel
import StelePersistence

/// The before-images of some objects in order. Their keys are read at once, and their texts a few
/// at a time, because the texts of an object that changes often may not fit into memory.
struct ImageWalk {
    /// The key of one before-image.
    struct Place {
        let key: Int64
        let object: Int64
        /// The version after the change, or before a deletion; nil where it is not known.
        let version: Int64?
        /// The number of the entity of an object that the change has deleted; nil for another change.
        let deleted: Int64?
    }

    /// The remaining before-images, in order.
    private var places: ArraySlice<Place>
    /// The texts read of the first of them.
    private var texts: [Int64: String] = [:]
    private var step = 16
    private let connection: any SQLConnection

    /// The approximate size of the texts read at once, in bytes.
    private static let bytesWanted = 1 << 20
    private static let longestStep = 4_096

    private let readingTexts: SQLText

    /// - Parameters:
    ///   - objects: the keys of objects of one inheritance tree, each with the key of the first
    ///     before-image that is not needed.
    ///   - first: the key of the first before-image that is needed.
    init(
        _ connection: any SQLConnection, family: Int, objects: [Int64: Int64], from first: Int64
    ) throws(StoreError) {
        self.connection = connection
        let dialect = connection.dialect
        readingTexts = SQLText(
            "SELECT Z_PK, ZVALUES FROM \(HistoryTables.beforeImages) "
                + "WHERE Z_PK \(dialect.isOneOf("?1"))")
        let found = try connection.rows(
            ImagePlaces.keys(dialect),
            [.int(Int64(family)), .string(Self.json(objects)), .int(first)],
            [.integer, .integer, .integer, .integer])
        places =
            found.compactMap { row -> Place? in
                guard case .int(let key) = row[0], case .int(let object) = row[1],
                    key < objects[object] ?? .min
                else { return nil }
                return Place(
                    key: key, object: object, version: row[2].integer, deleted: row[3].integer)
            }[...]
    }

    /// Returns a JSON object, such as `{"1":90,"2":91}`.
    private static func json(_ objects: [Int64: Int64]) -> String {
        "{" + objects.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
    }

    /// Skips some before-images, before any is read.
    mutating func remove(where isOut: (Place) -> Bool) { places.removeAll(where: isOut) }

    /// Changes the order from newest first to oldest first.
    mutating func reverse() { places.reverse() }

    /// The keys of those that are left, in order.
    var keys: [Int64] { places.map(\.key) }

    /// The key of the next before-image.
    var nextKey: Int64? { places.first?.key }

    /// Returns the next before-image; its text is nil where it has none.
    mutating func next() throws(StoreError) -> (place: Place, text: String?)? {
        guard let place = places.first else { return nil }
        if texts.isEmpty { try read() }
        places.removeFirst()
        return (place, texts.removeValue(forKey: place.key))
    }

    private mutating func read() throws(StoreError) {
        let next = places.prefix(step).map(\.key)
        let rows = try connection.rows(
            readingTexts, [.string(KeyList.json(next))], [.integer, .text])
        var bytes = 0
        for row in rows {
            guard case .int(let key) = row[0], case .string(let text) = row[1] else { continue }
            texts[key] = text
            bytes += text.utf8.count
        }
        let fitting = Self.bytesWanted / max(bytes / max(next.count, 1), 1)
        step = max(1, min(4 * step, Self.longestStep, fitting))
    }
}
