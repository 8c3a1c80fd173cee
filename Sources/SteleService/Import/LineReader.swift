/// A file line by line, in bounded memory.

import Glibc

/// Reads lines as bytes, without their line breaks.
final class LineReader {
    private let descriptor: Int32
    private let path: String
    private var buffer: [UInt8] = []
    private var start = 0
    private var isAtEnd = false
    /// The number of the line read last, from 1.
    private(set) var number = 0
    /// Bytes of the file that have been read so far.
    private(set) var bytesRead = 0

    private static let chunk = 1 << 20
    private static let longestLine = 64 << 20

    /// - Throws: `ImportError` where the file cannot be opened.
    init(_ path: String) throws {
        self.path = path
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.failure(path) }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// The next line, or nil at the end.
    /// - Throws: `ImportError` where the file cannot be read or the line is longer than 64 MiB.
    func next() throws -> [UInt8]? {
        var searched = start
        while true {
            if let end = buffer[searched...].firstIndex(of: 0x0A) { return take(upTo: end) }
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
        let before = buffer.count
        buffer.append(contentsOf: repeatElement(0, count: Self.chunk))
        let count = buffer.withUnsafeMutableBytes { bytes in
            read(descriptor, bytes.baseAddress?.advanced(by: before), Self.chunk)
        }
        guard count >= 0 else { throw Self.failure(path) }
        buffer.removeLast(Self.chunk - count)
        bytesRead += count
        isAtEnd = count == 0
    }

    private static func failure(_ path: String) -> ImportError {
        ImportError("cannot be read: \(String(cString: strerror(errno)))", file: path)
    }

    /// The file's size in bytes; 0 where it has none, such as a pipe.
    static func size(_ path: String) -> Int {
        var found = stat()
        return stat(path, &found) == 0 ? Int(found.st_size) : 0
    }
}
