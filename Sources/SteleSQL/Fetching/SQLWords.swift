/// Joins texts, copying each once into a buffer of the final size. Interpolation and `+` copy more.
enum SQLWords {
    /// Returns the texts of a list, with a separator between them.
    static func joined(_ list: some Collection<String>, by separator: String = "") -> String {
        var count = separator.utf8.count * max(list.count - 1, 0)
        for text in list { count += text.utf8.count }
        return String(unsafeUninitializedCapacity: count) { buffer in
            var end = 0
            var isFirst = true
            for text in list {
                if !isFirst { copy(separator, to: buffer, &end) }
                isFirst = false
                copy(text, to: buffer, &end)
            }
            return end
        }
    }

    /// Appends a text to a buffer that has room for it.
    @inline(__always)
    static func copy(
        _ text: String, to buffer: UnsafeMutableBufferPointer<UInt8>, _ end: inout Int
    ) {
        let copied: Void? = text.utf8.withContiguousStorageIfAvailable { bytes in
            end = buffer[end...].initialize(fromContentsOf: bytes)
        }
        if copied == nil { end = buffer[end...].initialize(from: text.utf8).index }
    }
}
