/// Binary attributes that allow external storage: their columns, and what stands in them.

import SteleModel
import StelePersistence

extension SQLSchema {
    /// The columns of such attributes, each with its table.
    public var externalColumns: [(table: String, column: String)] {
        tables.values.flatMap { table in
            table.columns.filter { $0.kind == .external }.map { (table.name, $0.name) }
        }
    }

    /// The before-images of objects that have such attributes, where they speak of files.
    public func beforeImagesOfFiles(
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

    /// A change's values as their columns have them; `values` itself where none has a marker.
    func columnValues(_ change: ObjectChange) -> [Value] {
        let slots = externalSlots[change.entity]
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

/// The first byte of such a column: Core Data's own two.
public enum ExternalMarker {
    /// The value's bytes follow.
    public static let inline: UInt8 = 1
    /// A file's name follows: 36 characters and a NUL.
    public static let file: UInt8 = 2

    /// The column's content for a value in a file.
    public static func bytes(_ data: ExternalData) -> [UInt8] {
        [file] + Array(data.identifier.uuidString.utf8) + [0]
    }

    /// The value that a column's content stands for; null for a name that cannot be one.
    public static func value(_ bytes: UnsafeRawBufferPointer, folder: String) -> Value {
        switch bytes.first {
        case inline: return .data([UInt8](bytes.dropFirst()))
        case file:
            let name = String(decoding: bytes.dropFirst().prefix { $0 != 0 }, as: UTF8.self)
            return UUID(uuidString: name).map { .external(ExternalData($0, in: folder)) } ?? .null
        default: return .data([UInt8](bytes))
        }
    }
}
