/// The input that is being tried, where it outlives the process.

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A file in memory with the number of the input that is tried and its bytes. What one process
/// has written before it ends another one reads.
public final class InputRecord {
    private let memory: UnsafeMutableRawPointer
    private static let size = 1 << 16

    /// - Parameter path: a file, which is made where there is none.
    /// - Throws: `FuzzFinding` where it cannot be had.
    public init(path: String) throws {
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0, ftruncate(file, off_t(Self.size)) == 0,
            let made = mmap(nil, Self.size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0),
            made != MAP_FAILED
        else { throw FuzzFinding("\(path) cannot be opened") }
        close(file)
        memory = made
    }

    deinit { munmap(memory, Self.size) }

    func note(_ input: [UInt8]) {
        let length = min(input.count, Self.size - 16)
        input.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return }
            memory.advanced(by: 16).copyMemory(from: start, byteCount: length)
        }
        memory.storeBytes(of: UInt64(length), toByteOffset: 8, as: UInt64.self)
        memory.storeBytes(of: count + 1, as: UInt64.self)
    }

    /// How many inputs were noted.
    public var count: UInt64 { memory.load(as: UInt64.self) }

    /// The last one.
    public var input: [UInt8] {
        let length = min(Int(memory.load(fromByteOffset: 8, as: UInt64.self)), Self.size - 16)
        return [UInt8](UnsafeRawBufferPointer(start: memory.advanced(by: 16), count: length))
    }
}
