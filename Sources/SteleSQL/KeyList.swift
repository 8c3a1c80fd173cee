import SteleJSON

/// A list of keys as one binding, for `json_each`.
public enum KeyList {
    /// Returns a JSON array, such as `[1,2,3]`.
    public static func json(_ keys: [Int64]) -> String {
        var writer = ByteWriter(capacity: keys.count * 8 + 2)
        write(keys, to: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// Writes a JSON array.
    static func write(_ keys: [Int64], to writer: inout ByteWriter) {
        writer.byte(UInt8(ascii: "["))
        for (index, key) in keys.enumerated() {
            if index > 0 { writer.byte(UInt8(ascii: ",")) }
            writer.integer(key)
        }
        writer.byte(UInt8(ascii: "]"))
    }
}
