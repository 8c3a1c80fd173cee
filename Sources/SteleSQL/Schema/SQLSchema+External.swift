import SteleModel
import StelePersistence

extension SQLSchema {
    /// Reads the before-images that mention external files.
    package func beforeImagesOfFiles(
        _ connection: any SQLConnection
    ) throws(StoreError) -> [String] {
        let families = Set(
            model.entities.filter { !externalSlots[$0.index].isEmpty }.map { number(of: $0.root) })
        let sql = SQLText(
            "SELECT ZVALUES FROM \(HistoryTables.beforeImages) WHERE ZFAMILY = ?1 "
                + "AND instr(ZVALUES, '\"external\":') > 0")
        var found: [String] = []
        for family in families {
            for row in try connection.rows(sql, [.int(Int64(family))], [.text]) {
                if case .string(let text) = row[0] { found.append(text) }
            }
        }
        return found
    }

    /// Returns a change's values as the columns store them, with marker bytes.
    func columnValues(_ change: ObjectChange) -> [Value] {
        let slots = markedSlots[change.entity]
        if slots.isEmpty { return change.values }
        var values = change.values
        for slot in slots where values.indices.contains(slot) {
            if case .data(let bytes) = values[slot] {
                values[slot] = .data([ExternalMarker.inline] + bytes)
            }
        }
        return values
    }
}

/// The first byte of a column with external storage, as Core Data writes it.
public enum ExternalMarker {
    /// The bytes of the value follow.
    public static let inline: UInt8 = 1
    /// The name of a file follows: 36 characters and a NUL.
    public static let file: UInt8 = 2

    /// Returns the column's content for a value in a file.
    public static func bytes(_ data: ExternalData) -> [UInt8] {
        [file] + Array(data.identifier.uuidString.utf8) + [0]
    }

    /// The bytes of a column that names a file.
    private static let size = 38

    /// Returns the value of a column's content. One that is neither marked nor the name of a file is
    /// read whole, so that no content but NULL is null.
    public static func value(_ bytes: UnsafeRawBufferPointer, folder: String) -> Value {
        if bytes.first == inline { return .data([UInt8](bytes.dropFirst())) }
        if let name = name(bytes) { return .external(ExternalData(name, in: folder)) }
        return .data([UInt8](bytes))
    }

    /// Returns the name of the file in a column's content; nil where it has none.
    private static func name(_ bytes: UnsafeRawBufferPointer) -> UUID? {
        guard bytes.count == size, bytes.first == file, bytes.last == 0 else { return nil }
        return UUID(uuidString: String(decoding: bytes[1..<(size - 1)], as: UTF8.self))
    }

    /// Whether a column's content begins as the name of a file, and is none.
    package static func isNoName(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.first == file && name(bytes) == nil
    }
}
