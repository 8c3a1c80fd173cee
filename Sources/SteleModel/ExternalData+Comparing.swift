// Whether a file has some bytes, read in pieces: a value may be as large as a disk allows.

import Glibc

extension ExternalData {
    private static let bytesAtOnce = 1 << 16

    /// Whether the file has these bytes. It is read only if it has their size.
    package func has(_ bytes: [UInt8]) -> Bool {
        guard count == bytes.count, let descriptor = open() else { return false }
        defer { close(descriptor) }
        var room = [UInt8](repeating: 0, count: Self.bytesAtOnce)
        var place = 0
        while let read = Self.read(descriptor, into: &room) {
            if read == 0 { return place == bytes.count }
            guard read <= bytes.count - place else { return false }
            let isSame = bytes.withUnsafeBytes { all in
                room.withUnsafeBytes { piece in
                    Self.isSame(
                        UnsafeRawBufferPointer(rebasing: all[place..<(place + read)]),
                        UnsafeRawBufferPointer(rebasing: piece[..<read]))
                }
            }
            guard isSame else { return false }
            place += read
        }
        return false
    }

    /// Whether both files have the same bytes. They are read only if they have the same size.
    package func hasSameBytes(as other: ExternalData) -> Bool {
        if self == other { return true }
        guard let count, count == other.count, let first = open() else { return false }
        defer { close(first) }
        guard let second = other.open() else { return false }
        defer { close(second) }
        var (a, b) = (
            [UInt8](repeating: 0, count: Self.bytesAtOnce),
            [UInt8](repeating: 0, count: Self.bytesAtOnce)
        )
        while let read = Self.read(first, into: &a) {
            guard Self.read(second, into: &b) == read else { return false }
            if read == 0 { return true }
            let isSame = a.withUnsafeBytes { x in
                b.withUnsafeBytes { y in
                    Self.isSame(
                        UnsafeRawBufferPointer(rebasing: x[..<read]),
                        UnsafeRawBufferPointer(rebasing: y[..<read]))
                }
            }
            guard isSame else { return false }
        }
        return false
    }

    /// Reads the next bytes of a file.
    /// - Returns: how many; fewer than there is room for only at the end, and nil if they cannot be
    ///   read.
    private static func read(_ descriptor: Int32, into room: inout [UInt8]) -> Int? {
        room.withUnsafeMutableBytes { room -> Int? in
            var count = 0
            while count < room.count {
                let rest = UnsafeMutableRawBufferPointer(rebasing: room[count...])
                let read = Glibc.read(descriptor, rest.baseAddress, rest.count)
                if read == 0 { break }
                if read > 0 {
                    count += read
                } else if errno != EINTR {
                    return nil
                }
            }
            return count
        }
    }

    private static func isSame(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
        guard let x = a.baseAddress, let y = b.baseAddress else { return a.count == b.count }
        return a.count == b.count && memcmp(x, y, a.count) == 0
    }
}
