/// The forms of files that are imported and exported.

import SteleModel

/// The form of a file of objects.
public enum DataFormat: String, Sendable, CaseIterable {
    /// One JSON object a line.
    case ndjson
    /// An array of JSON objects.
    case json
    /// Comma-separated values with a header (RFC 4180).
    case csv
    /// The same with tabs in place of commas.
    case tsv

    /// The form that a file's name tells; `ndjson` for other names.
    public init(ofFile path: String) {
        let name = path.split(separator: "/").last ?? ""
        let ending = name.lastIndex(of: ".").map { name[name.index(after: $0)...].lowercased() }
        self =
            switch ending {
            case "json": .json
            case "csv": .csv
            case "tsv", "tab": .tsv
            default: .ndjson
            }
    }

    /// Whether a record is a row of cells.
    var isCells: Bool { self == .csv || self == .tsv }
}

extension Model {
    /// The most bytes of a record in a file. A Binary value in a file beside the store may have 1 GiB,
    /// and has a third more as base64. Without such values a text that is no file of records is
    /// refused before it takes much memory.
    var longestRecord: Int { hasExternalAttributes ? 2 << 30 : 64 << 20 }
}
