// The texts of JSON and CSV as they stand in an answer: no parser of Stele's own comes between.

/// Splits JSON at its members and elements, and keeps their texts.
struct RawJSON {
    private let bytes: [UInt8]
    private var place = 0

    private init(_ text: String) { bytes = Array(text.utf8) }

    /// The texts of the elements of an array.
    static func elements(_ text: String) -> [String] {
        var reader = RawJSON(text)
        guard reader.skip("[") else { return [] }
        var found: [String] = []
        while !reader.skip("]"), let element = reader.value() {
            found.append(element)
            _ = reader.skip(",")
        }
        return found
    }

    /// The texts of the members of an object, by name.
    static func members(_ text: String) -> [String: String] {
        var reader = RawJSON(text)
        guard reader.skip("{") else { return [:] }
        var found: [String: String] = [:]
        while !reader.skip("}"), let name = reader.value(), reader.skip(":"),
            let value = reader.value()
        {
            found[String(name.dropFirst().dropLast())] = value
            _ = reader.skip(",")
        }
        return found
    }

    private mutating func skip(_ mark: Unicode.Scalar) -> Bool {
        while place < bytes.count, [0x20, 0x0A, 0x0D, 0x09].contains(bytes[place]) { place += 1 }
        guard place < bytes.count, bytes[place] == UInt8(ascii: mark) else { return false }
        place += 1
        return true
    }

    /// The text of the value that begins here.
    private mutating func value() -> String? {
        let start = place
        var (depth, isInString) = (0, false)
        while place < bytes.count {
            let byte = bytes[place]
            if isInString {
                if byte == UInt8(ascii: "\\") { place += 1 }
                if byte == UInt8(ascii: "\"") { isInString = false }
            } else {
                switch byte {
                case UInt8(ascii: "\""): isInString = true
                case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
                case UInt8(ascii: "]"), UInt8(ascii: "}"), UInt8(ascii: ","), UInt8(ascii: ":"):
                    let isInner = byte != UInt8(ascii: "]") && byte != UInt8(ascii: "}")
                    if depth == 0 { return text(from: start) }
                    if !isInner { depth -= 1 }
                default: break
                }
            }
            place += 1
        }
        return text(from: start)
    }

    private func text(from start: Int) -> String? {
        let end = min(place, bytes.count)
        return start < end ? String(decoding: bytes[start..<end], as: UTF8.self) : nil
    }
}

/// The cells of CSV (RFC 4180), as they stand there: with their quotes.
enum RawCSV {
    static func rows(_ text: String) -> [[String]] {
        var (rows, row, cell): ([[String]], [String], [UInt8]) = ([], [], [])
        var isQuoted = false
        for byte in text.utf8 {
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            switch byte {
            case UInt8(ascii: ",") where !isQuoted:
                row.append(String(decoding: cell, as: UTF8.self))
                cell = []
            case 0x0A where !isQuoted:
                if cell.last == 0x0D { cell.removeLast() }
                rows.append(row + [String(decoding: cell, as: UTF8.self)])
                (row, cell) = ([], [])
            default: cell.append(byte)
            }
        }
        return rows
    }
}
