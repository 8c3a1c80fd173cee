/// Time zones by their names, for dates without an offset.

import Glibc
import SteleJSON

extension ZoneRules {
    private static let folder = "/usr/share/zoneinfo"

    /// The zone of a name.
    /// - Parameter name: `UTC`, an offset such as `+02:00`, or a name of the time zone database, such
    ///   as `Europe/Zurich`, which the machine must have.
    /// - Throws: `ImportError` for others.
    public init(named name: String) throws {
        if name == "UTC" || name == "Z" {
            self.init(offset: 0)
            return
        }
        if let first = name.first, first == "+" || first == "-" {
            let noon = try? ISO8601.secondsSinceReferenceDate("2001-01-01T00:00:00\(name)")
            guard let noon else {
                throw ImportError("\(name) is no offset: write it as +02:00")
            }
            self.init(offset: -Int64(noon))
            return
        }
        let isName = name.utf8.allSatisfy {
            ($0 | 0x20) &- 0x61 < 26 || $0 &- 0x30 < 10 || "/_+-".utf8.contains($0)
        }
        guard isName, !name.hasPrefix("/"), let bytes = Self.bytes("\(Self.folder)/\(name)"),
            let rules = ZoneRules(tzif: bytes)
        else {
            throw ImportError(
                "\(Self.folder) of this machine has no time zone \(name): give UTC, an offset such as "
                    + "+02:00, or a name such as Europe/Zurich")
        }
        self = rules
    }

    /// The bytes of a file of at most 1 MiB; nil if it cannot be read.
    private static func bytes(_ path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        var count = 0
        while count < bytes.count {
            let more = bytes.withUnsafeMutableBytes { room in
                read(descriptor, room.baseAddress.map { $0 + count }, room.count - count)
            }
            if more < 0 { return nil }
            if more == 0 { break }
            count += more
        }
        return Array(bytes.prefix(count))
    }
}
