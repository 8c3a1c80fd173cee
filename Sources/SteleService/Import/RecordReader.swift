/// Reads a file line by line, in bounded memory.

import Glibc

/// Reads lines as bytes, without their line breaks.
final class LineReader {
    private let descriptor: Int32
    private let path: String
    private var buffer: [UInt8] = []
    private var start = 0
    private var isAtEnd = false
    /// The number of the last line read, from 1.
    private(set) var number = 0
    /// The bytes of the file read so far.
    private(set) var bytesRead = 0

    private static let chunk = 256 << 10
    private static let longestLine = 64 << 20

    /// - Throws: `ImportError` if the file cannot be opened.
    init(_ path: String) throws {
        self.path = path
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.failure(path) }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// The next line, or nil at the end.
    /// - Throws: `ImportError` if the file cannot be read, or the line is longer than 64 MiB.
    func next() throws -> [UInt8]? {
        var searched = start
        while true {
            if let end = lineBreak(from: searched) { return take(upTo: end) }
            if isAtEnd { return start < buffer.count ? take(upTo: buffer.count) : nil }
            let waiting = buffer.count - start
            guard waiting <= Self.longestLine else {
                throw ImportError("the line is longer than 64 MiB", file: path, line: number + 1)
            }
            try fill()
            searched = waiting
        }
    }

    private func take(upTo end: Int) -> [UInt8] {
        number += 1
        var line = buffer[start..<end]
        if number == 1, line.starts(with: [0xEF, 0xBB, 0xBF]) { line = line.dropFirst(3) }
        start = min(end + 1, buffer.count)
        return Array(line)
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

    private func lineBreak(from start: Int) -> Int? {
        buffer.withUnsafeBytes { bytes in
            guard start < bytes.count, let base = bytes.baseAddress,
                let found = memchr(base + start, 0x0A, bytes.count - start)
            else { return nil }
            return UnsafeRawPointer(found) - base
        }
    }

    private static func failure(_ path: String) -> ImportError {
        ImportError("cannot be read: \(String(cString: strerror(errno)))", file: path)
    }

    /// The size of a file in bytes; 0 for one without a size, such as a pipe.
    static func size(_ path: String) -> Int {
        var found = stat()
        return stat(path, &found) == 0 ? Int(found.st_size) : 0
    }
}
