/// Reads the records of a file one by one, in bounded memory.

import Glibc

/// Reads records as bytes: lines, elements of a JSON array, or rows of cells.
final class RecordReader {
    private let descriptor: Int32
    private let path: String
    private let format: DataFormat
    /// How cells are escaped.
    private let escapes: ImportOptions.Escapes?
    /// The most bytes of a record.
    private let longestRecord: Int
    /// The separator of a file of cells, once its header is read.
    var separator: UInt8?
    /// The separator that a first line `sep=;` names, which is no record; nil without one.
    private(set) var declared: UInt8?
    /// Whether blank lines are records, as in a file of one column.
    var keepsBlankLines = false
    private var buffer: [UInt8] = []
    private var start = 0
    private var isAtEnd = false
    /// The number of the line at `start`, from 1.
    private var line = 1
    /// For JSON, whether the file is an array, and whether an element of it has been read.
    private var isArray = false
    private var hasElement = false
    /// The number of the first line of the last record, from 1.
    private(set) var number = 0
    /// The bytes of the file read so far.
    private(set) var bytesRead = 0

    private static let chunk = 256 << 10

    /// - Throws: `ImportError` if the file cannot be opened.
    init(_ file: ImportPlan.File, _ plan: ImportPlan) throws {
        path = file.path
        format = file.format
        escapes = plan.options.escapes
        longestRecord = plan.longestRecord
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.failure(path) }
        while buffer.count < 10, !isAtEnd { try fill() }
        if buffer.starts(with: [0xEF, 0xBB, 0xBF]) { start = 3 }
        guard format.isCells else { return }
        let first = buffer[start...].prefix(7).prefix { $0 != 0x0A }
        declared = CellForm.separator(declaredBy: Array(first))
        guard declared != nil else { return }
        start = min(first.endIndex + 1, buffer.count)
        line = 2
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// The next record without its line break, and not blank unless blank lines are records; nil at
    /// the end.
    /// - Throws: `ImportError` if the file cannot be read, the record is longer than the plan takes or
    ///   does not end, or a JSON file is neither an array nor a sequence of objects.
    func next() throws -> [UInt8]? {
        if format == .json, try !skipToElement() { return nil }
        while let record = try take() {
            // A row of tabs has empty cells.
            let isRow = keepsBlankLines || separator.map(record.contains) ?? false
            if isRow || !record.allSatisfy(Self.isBlank) { return record }
        }
        return nil
    }

    /// The bytes up to the end of the record at `start`.
    private func take() throws -> [UInt8]? {
        var scan = RecordScan(format, escapes)
        while true {
            let end = buffer.withUnsafeBytes {
                scan.end(in: UnsafeRawBufferPointer(rebasing: $0[start...]))
            }
            if let end { return take(start + end) }
            if isAtEnd {
                guard start < buffer.count else { return nil }
                if let problem = scan.unfinished {
                    throw ImportError(problem, file: path, line: line)
                }
                return take(buffer.count)
            }
            guard buffer.count - start <= longestRecord else {
                let what = format == .ndjson ? "line" : "record"
                throw ImportError(
                    "the \(what) is longer than \(longestRecord >> 20) MiB", file: path, line: line)
            }
            try fill()
        }
    }

    private func take(_ end: Int) -> [UInt8] {
        let record = Array(buffer[start..<end])
        number = line
        if format == .json {
            line += record.count { $0 == 0x0A }
            start = end
        } else {
            line += format == .ndjson ? 1 : 1 + record.count { $0 == 0x0A }
            start = min(end + 1, buffer.count)
        }
        return record
    }

    /// Moves to the next object of a JSON file.
    /// - Returns: false at the end.
    private func skipToElement() throws -> Bool {
        var needsComma = isArray && hasElement
        while let byte = try peek() {
            switch byte {
            case UInt8(ascii: "{") where !needsComma:
                hasElement = true
                return true
            case UInt8(ascii: "[") where !isArray && !hasElement: isArray = true
            case UInt8(ascii: ",") where needsComma: needsComma = false
            case UInt8(ascii: "]") where isArray && (needsComma || !hasElement):
                start += 1
                guard try peek() == nil else { throw misplaced("after the array") }
                return false
            default: throw misplaced(needsComma ? "where a comma or ] must be" : "")
            }
            start += 1
        }
        if isArray { throw ImportError("the array does not end", file: path, line: line) }
        return false
    }

    private func misplaced(_ place: String) -> ImportError {
        let rest = buffer[start...].prefix(20).prefix { $0 != 0x0A }
        let text = String(decoding: rest, as: UTF8.self)
        let what =
            place.isEmpty
            ? "a JSON file must be an array of objects, and has"
            : "not JSON: unexpected text \(place):"
        return ImportError("\(what) \(text)", file: path, line: line)
    }

    /// The next byte that is not blank; nil at the end.
    private func peek() throws -> UInt8? {
        while true {
            while start < buffer.count {
                if !Self.isBlank(buffer[start]) { return buffer[start] }
                if buffer[start] == 0x0A { line += 1 }
                start += 1
            }
            if isAtEnd { return nil }
            try fill()
        }
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A
    }

    private func fill() throws {
        buffer.removeSubrange(..<start)
        start = 0
        let count = withUnsafeTemporaryAllocation(byteCount: Self.chunk, alignment: 1) { room in
            let count = read(descriptor, room.baseAddress, room.count)
            if count > 0 { buffer.append(contentsOf: UnsafeRawBufferPointer(room).prefix(count)) }
            return count
        }
        guard count >= 0 else { throw Self.failure(path) }
        bytesRead += count
        isAtEnd = count == 0
    }

    private static func failure(_ path: String) -> ImportError {
        ImportError("cannot be read: \(String(cString: strerror(errno)))", file: path)
    }

    /// The size of a regular file in bytes; nil for others, such as a pipe.
    static func size(_ path: String) -> Int? {
        var found = stat()
        guard stat(path, &found) == 0, found.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int(found.st_size)
    }
}

/// The search for the end of one record. It continues where it ended when more bytes are there.
private struct RecordScan {
    private let format: DataFormat
    private let escapes: ImportOptions.Escapes?
    private var place = 0
    private var isQuoted = false
    private var isEscaped = false
    private var depth = 0

    init(_ format: DataFormat, _ escapes: ImportOptions.Escapes?) {
        self.format = format
        self.escapes = escapes
    }

    /// What is wrong with a record that ends with the file; nil if it is complete.
    var unfinished: String? {
        switch format {
        case .ndjson: nil
        case .json: "not JSON: the file ends within an object"
        case .tsv where isQuoted && escapes == nil:
            "the file ends within a quoted cell (--escapes backslash reads files that do not quote "
                + "cells)"
        case .csv, .tsv: isQuoted ? "the file ends within a quoted cell" : nil
        }
    }

    /// The end of the record in the bytes, which begin with it; nil if they do not contain it.
    mutating func end(in bytes: UnsafeRawBufferPointer) -> Int? {
        switch format {
        case .ndjson,
            .csv where escapes == .backslash, .tsv where escapes == .backslash:
            guard place < bytes.count, let base = bytes.baseAddress else { return nil }
            let found = memchr(base + place, 0x0A, bytes.count - place)
            place = bytes.count
            return found.map { UnsafeRawPointer($0) - base }
        case .csv, .tsv:
            while place < bytes.count {
                let byte = bytes[place]
                if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
                if byte == 0x0A, !isQuoted { return place }
                place += 1
            }
            return nil
        case .json: return endOfObject(in: bytes)
        }
    }

    private mutating func endOfObject(in bytes: UnsafeRawBufferPointer) -> Int? {
        while place < bytes.count {
            let byte = bytes[place]
            place += 1
            if isEscaped {
                isEscaped = false
            } else if isQuoted {
                if byte == UInt8(ascii: "\\") { isEscaped = true }
                if byte == UInt8(ascii: "\"") { isQuoted = false }
            } else {
                switch byte {
                case UInt8(ascii: "\""): isQuoted = true
                case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
                case UInt8(ascii: "}"), UInt8(ascii: "]"):
                    depth -= 1
                    if depth == 0 { return place }
                default: break
                }
            }
        }
        return nil
    }
}
