/// The cells of a row, and how a file writes them.

/// How a file separates and writes its cells.
struct CellForm {
    let separator: UInt8
    /// How a cell has what separates cells and rows; nil if a cell that begins with a quote tells it,
    /// and a backslash in another one does not.
    let escapes: ImportOptions.Escapes?

    init(separator: UInt8, escapes: ImportOptions.Escapes?) {
        self.separator = separator
        self.escapes = escapes
    }

    /// The form of a file of cells, from its header.
    /// - Parameter declared: the separator that a line before the header names; nil without one.
    init(
        _ header: [UInt8], declared: UInt8?, _ file: ImportPlan.File, _ options: ImportOptions
    ) {
        let isTabs = file.format == .tsv
        escapes = options.escapes ?? (isTabs ? nil : .quotes)
        separator =
            options.separator ?? declared ?? (isTabs ? Self.tab : Self.separator(of: header))
    }

    /// The separator that a first line `sep=;` names, as Excel writes and reads it; nil for other
    /// lines.
    static func separator(declaredBy line: [UInt8]) -> UInt8? {
        let line = line.last == 0x0D ? line.dropLast() : line[...]
        guard line.count == 5, let separator = line.last, separator < 0x80, separator != quote,
            String(decoding: line.dropLast(), as: UTF8.self).lowercased() == "sep="
        else { return nil }
        return separator
    }

    private static let tab = UInt8(ascii: "\t")
    private static let quote = UInt8(ascii: "\"")
    private static let backslash = UInt8(ascii: "\\")

    /// The comma if a header has one outside quotes, otherwise a semicolon or a tab that it has.
    private static func separator(of header: [UInt8]) -> UInt8 {
        var isQuoted = false
        var found: Set<UInt8> = []
        for byte in header {
            if byte == quote { isQuoted.toggle() }
            if !isQuoted { found.insert(byte) }
        }
        let comma = UInt8(ascii: ",")
        return [comma, UInt8(ascii: ";"), tab].first(where: found.contains) ?? comma
    }

    /// The cells of a row.
    /// - Throws: `ImportError` for a quote in the middle of a cell (RFC 4180), and for a backslash
    ///   that can mean two things or none.
    func cells(_ row: [UInt8]) throws -> [Cell] {
        var row = row[...]
        if row.last == 0x0D { row.removeLast() }
        var cells: [Cell] = []
        var place = row.startIndex
        while true {
            if escapes != .backslash, place < row.endIndex, row[place] == Self.quote {
                cells.append(try quoted(row, &place))
                guard place == row.endIndex || row[place] == separator else {
                    throw ImportError(
                        "cell \(cells.count) has text after its closing quote; a quote in a quoted "
                            + "cell is written twice\(backslashHint)")
                }
            } else {
                let end = row[place...].firstIndex(of: separator) ?? row.endIndex
                cells.append(try plain(row[place..<end], cells.count + 1))
                place = end
            }
            if place == row.endIndex { return cells }
            place += 1
        }
    }

    private func plain(_ bytes: ArraySlice<UInt8>, _ number: Int) throws -> Cell {
        switch escapes {
        case .backslash: return try unescaped(bytes, number)
        case nil:
            let places = bytes.indices.filter { bytes[$0] == Self.backslash }
            if let place = places.first(where: { place in
                place + 1 < bytes.endIndex && "tnrN\\".utf8.contains(bytes[place + 1])
            }) {
                let pair = String(decoding: bytes[place...place + 1], as: UTF8.self)
                throw ImportError(
                    "cell \(number) has \(pair), which is either these two characters "
                        + "(--escapes quotes) or one that is escaped (--escapes backslash, for files "
                        + "of Miller, jq and COPY)")
            }
        case .quotes: break
        }
        if bytes.contains(Self.quote) {
            throw ImportError(
                "cell \(number) contains a quote and does not begin with one\(backslashHint)")
        }
        return Cell(text: try text(bytes, number))
    }

    private var backslashHint: String {
        escapes == nil ? " (--escapes backslash reads files that do not quote cells)" : ""
    }

    private func unescaped(_ bytes: ArraySlice<UInt8>, _ number: Int) throws -> Cell {
        if bytes.elementsEqual("\\N".utf8) { return Cell(text: "\\N", isNull: true) }
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count)
        var place = bytes.startIndex
        while place < bytes.endIndex {
            guard bytes[place] == Self.backslash else {
                text.append(bytes[place])
                place += 1
                continue
            }
            let next = place + 1 < bytes.endIndex ? bytes[place + 1] : 0
            guard let meaning = Self.escaped[next] else {
                let pair = String(decoding: bytes[place...].prefix(2), as: UTF8.self)
                throw ImportError(
                    "cell \(number) has \(pair), which is no escape: those are \\t \\n \\r \\b \\f "
                        + "\\v \\\\ and, for null, a cell of \\N")
            }
            text.append(meaning)
            place += 2
        }
        // What was escaped is not the text for null.
        return Cell(text: try self.text(text, number), isQuoted: text.count < bytes.count)
    }

    private static let escaped: [UInt8: UInt8] = [
        UInt8(ascii: "t"): 0x09, UInt8(ascii: "n"): 0x0A, UInt8(ascii: "r"): 0x0D,
        UInt8(ascii: "b"): 0x08, UInt8(ascii: "f"): 0x0C, UInt8(ascii: "v"): 0x0B,
        backslash: backslash,
    ]

    private func text(_ bytes: some Collection<UInt8>, _ number: Int?) throws -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            let cell = number.map { "cell \($0)" } ?? "a quoted cell"
            throw ImportError("\(cell) is not UTF-8; save the file as UTF-8")
        }
        return text
    }

    private func quoted(_ row: ArraySlice<UInt8>, _ place: inout Int) throws -> Cell {
        var text: [UInt8] = []
        place += 1
        while place < row.endIndex {
            if row[place] == Self.quote {
                place += 1
                guard place < row.endIndex, row[place] == Self.quote else {
                    return Cell(text: try self.text(text, nil), isQuoted: true)
                }
            }
            text.append(row[place])
            place += 1
        }
        throw ImportError("a quoted cell does not end\(backslashHint)")
    }
}

/// A cell of a row.
struct Cell: Equatable {
    var text: String
    var isQuoted = false
    /// Whether it is null. An empty cell without quotes is, unless its column has another text for
    /// null.
    var isNull: Bool

    init(text: String, isQuoted: Bool = false, isNull: Bool? = nil) {
        self.text = text
        self.isQuoted = isQuoted
        self.isNull = isNull ?? (text.isEmpty && !isQuoted)
    }
}

/// The texts that are null in cells.
struct NullTexts {
    /// Those of all columns; nil for the empty text.
    private let all: Set<String>?
    private let byColumn: [String: Set<String>]

    /// Whether only an empty cell can be null.
    var areDefault: Bool { all == nil && byColumn.isEmpty }

    init(_ options: ImportOptions) {
        var (all, byColumn): (Set<String>, [String: Set<String>]) = ([], [:])
        for null in options.nulls {
            if let column = null.column {
                byColumn[column, default: []].insert(null.text)
            } else {
                all.insert(null.text)
            }
        }
        self.all = all.isEmpty ? nil : all
        self.byColumn = byColumn
    }

    /// Whether a cell is null.
    /// - Parameter isText: whether its column has text. There a quoted cell is never null, unless the
    ///   text is given for the column.
    func contains(_ cell: Cell, column: String, isText: Bool) -> Bool {
        if cell.isNull, !cell.text.isEmpty { return true }
        if cell.text.isEmpty, !isText { return true }
        if !byColumn.isEmpty, let texts = byColumn[column] { return texts.contains(cell.text) }
        return (!isText || !cell.isQuoted) && (all?.contains(cell.text) ?? cell.text.isEmpty)
    }

    /// Words that other programs write for null, or for a number that no attribute can have.
    static let known: Set<String> = [
        "NA", "N/A", "n/a", "<NA>", "NaN", "nan", "NaT", "null", "NULL", "Null", "None", "nil",
        "\\N", "-", ".", "inf", "-inf", "Inf", "-Inf", "INF", "-INF", "Infinity", "-Infinity",
    ]
}
