/// The before-images of some objects, one after the other.

import SteleModel
import StelePersistence

/// Where images are is read at once, and their texts a few at a time: an object that has changed
/// often may have left more of them behind than fits into memory.
struct ImageWalk {
    /// One image, still unread.
    struct Place {
        let key: Int64
        let object: Int64
        /// The version that the change made; nil where it is not known.
        let version: Int64?
    }

    /// Those that are to come, in their order.
    private var places: ArraySlice<Place>
    /// The texts of the first of them.
    private var texts: [Int64: String] = [:]
    private var step = 16
    private let connection: any SQLConnection

    /// About how many bytes of text are read at once.
    private static let bytesWanted = 1 << 20
    private static let longestStep = 4_096

    private static let texts = SQLText(
        "SELECT Z_PK, ZVALUES FROM \(HistoryTables.beforeImages) "
            + "WHERE Z_PK IN (SELECT value FROM json_each(?1))")

    /// - Parameters:
    ///   - objects: the keys of objects of one family, each with the key of the first image that is
    ///     of no use any more.
    ///   - first: the key of the first image that is of use.
    init(
        _ connection: any SQLConnection, family: Int, objects: [Int64: Int64], from first: Int64
    ) throws(StoreError) {
        self.connection = connection
        let found = try connection.rows(
            ImagePlaces.keys,
            [.int(Int64(family)), .string(Self.json(objects)), .int(first)],
            [.integer, .integer, .integer])
        places =
            found.compactMap { row -> Place? in
                guard case .int(let key) = row[0], case .int(let object) = row[1],
                    key < objects[object] ?? .min
                else { return nil }
                guard case .int(let version) = row[2] else {
                    return Place(key: key, object: object, version: nil)
                }
                return Place(key: key, object: object, version: version)
            }[...]
    }

    /// `{"1":90,"2":91}`.
    private static func json(_ objects: [Int64: Int64]) -> String {
        "{" + objects.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
    }

    /// Leaves out some before any is read.
    mutating func remove(where isOut: (Place) -> Bool) { places.removeAll(where: isOut) }

    /// From the oldest to the newest; otherwise the newest comes first.
    mutating func reverse() { places.reverse() }

    /// The key of the image that comes next.
    var nextKey: Int64? { places.first?.key }

    /// The next image; its text is nil where it has none.
    mutating func next() throws(StoreError) -> (place: Place, text: String?)? {
        guard let place = places.first else { return nil }
        if texts.isEmpty { try read() }
        places.removeFirst()
        return (place, texts.removeValue(forKey: place.key))
    }

    private mutating func read() throws(StoreError) {
        let next = places.prefix(step).map(\.key)
        let rows = try connection.rows(
            Self.texts, [.string(KeyList.json(next))], [.integer, .text])
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
