/// The model in a store's file.

internal import CZlib
import SteleModel

/// The model cache of an SQLite store (Z_MODELCACHE): a compiled model as raw DEFLATE.
package enum ModelCache {
    /// The greatest size of the archive, in bytes: a few bytes can inflate to very many.
    package static let byteLimit = 64 << 20

    /// Reads the model of a cache.
    /// - Parameters:
    ///   - bytes: the value of Z_CONTENT.
    ///   - name: the name of the model, which the archive does not have.
    ///   - path: the store's file, for messages.
    /// - Returns: the model, and notes on what it has that a model file cannot keep.
    /// - Throws: `ModelErrors` for bytes that are not raw DEFLATE or inflate to more than 64 MiB,
    ///   and as `CompiledModelReader`.
    package static func read(
        _ bytes: [UInt8], name: String, place path: String
    ) throws(ModelErrors) -> (ManagedObjectModel, notes: [ModelError]) {
        let archive = try inflate(bytes, path)
        return try CompiledModelReader.read(archive, name: name, place: "\(path), model cache")
    }

    /// The name that a model in a store has: that of the store's file without its extension.
    package static func name(of path: String) -> String {
        let last = path.lastIndex(of: "/").map { path[path.index(after: $0)...] } ?? path[...]
        return String(last.dropFirst().lastIndex(of: ".").map { last[..<$0] } ?? last)
    }

    /// The cache of a model, which a new store gets: its archive as raw DEFLATE.
    /// - Parameter present: the cache that the store has, which is not checked again.
    /// - Returns: nil for a model that no archive can have, such as one with composite attributes,
    ///   and for one that would be read from its archive as a model with other version hashes.
    package static func bytes(of model: Model, present: [UInt8]? = nil) -> [UInt8]? {
        guard let archive = try? CompiledModelWriter.bytes(of: model), archive.count <= byteLimit,
            let bytes = deflate(archive), bytes == present || isRead(archive, as: model)
        else { return nil }
        return bytes
    }

    /// Whether an archive is read as a model with the version hashes of the one that it is of.
    private static func isRead(_ archive: [UInt8], as model: Model) -> Bool {
        guard
            let read = try? CompiledModelReader.read(archive, name: model.name, place: model.name),
            let again = try? Model(read.0)
        else { return false }
        return again.hasVersionFacts(of: model)
    }

    /// Compresses an archive as raw DEFLATE; nil where there is no memory for it.
    package static func deflate(_ bytes: [UInt8]) -> [UInt8]? {
        var stream = z_stream()
        // Negative window bits make neither header nor checksum.
        guard
            deflateInit2_(
                &stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY,
                ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
        else { return nil }
        defer { deflateEnd(&stream) }
        let room = Int(deflateBound(&stream, UInt(bytes.count)))
        guard let size = UInt32(exactly: bytes.count), let bound = UInt32(exactly: room) else {
            return nil
        }
        var input = bytes
        var isComplete = false
        let result = [UInt8](unsafeUninitializedCapacity: room) { output, count in
            input.withUnsafeMutableBufferPointer { input in
                stream.next_in = input.baseAddress
                stream.avail_in = size
                stream.next_out = output.baseAddress
                stream.avail_out = bound
                isComplete = CZlib.deflate(&stream, Z_FINISH) == Z_STREAM_END
                count = room - Int(stream.avail_out)
            }
        }
        return isComplete ? result : nil
    }

    /// The archive in a cache.
    /// - Throws: `ModelErrors` for bytes that are not raw DEFLATE or inflate to more than 64 MiB.
    package static func inflate(_ bytes: [UInt8], _ path: String) throws(ModelErrors) -> [UInt8] {
        let malformed = ModelErrors(
            path, "its model cache is not compressed as raw DEFLATE, or is damaged", hint: remedy)
        var stream = z_stream()
        // Negative window bits ask for neither header nor checksum.
        guard
            inflateInit2_(&stream, -15, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
        else { throw ModelErrors(path, "there is no memory to inflate its model cache") }
        defer { inflateEnd(&stream) }
        guard let size = UInt32(exactly: bytes.count) else { throw malformed }
        var input = bytes
        var room = [UInt8](repeating: 0, count: 64 << 10)
        var result: [UInt8] = []
        let end = input.withUnsafeMutableBufferPointer { input -> Int32 in
            stream.next_in = input.baseAddress
            stream.avail_in = size
            while true {
                let status = room.withUnsafeMutableBufferPointer { room -> Int32 in
                    stream.next_out = room.baseAddress
                    stream.avail_out = UInt32(room.count)
                    return CZlib.inflate(&stream, Z_NO_FLUSH)
                }
                result += room.prefix(room.count - Int(stream.avail_out))
                guard status == Z_OK, result.count <= byteLimit else { return status }
            }
        }
        guard result.count <= byteLimit else {
            throw ModelErrors(
                path, "its model cache inflates to more than \(byteLimit >> 20) MiB", hint: remedy)
        }
        guard end == Z_STREAM_END else { throw malformed }
        return result
    }

    /// What to do about a store whose model cannot be read from its cache.
    package static let remedy =
        "give the model that the store was made with, and the store by --store"
}
