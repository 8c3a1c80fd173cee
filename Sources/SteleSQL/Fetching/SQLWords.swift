/// The text of statements, put together from its parts.

/// Texts as one text, each copied once into a buffer of the right size: interpolation and `+` make
/// every part anew.
enum SQLWords {
    /// All of them, one behind the other.
    static func joined(
        _ a: String, _ b: String, _ c: String, _ d: String = "", _ e: String = "",
        _ f: String = "", _ g: String = ""
    ) -> String {
        let count =
            a.utf8.count + b.utf8.count + c.utf8.count + d.utf8.count + e.utf8.count
            + f.utf8.count + g.utf8.count
        return String(unsafeUninitializedCapacity: count) { buffer in
            var end = 0
            copy(a, to: buffer, &end)
            copy(b, to: buffer, &end)
            copy(c, to: buffer, &end)
            if !d.isEmpty { copy(d, to: buffer, &end) }
            if !e.isEmpty { copy(e, to: buffer, &end) }
            if !f.isEmpty { copy(f, to: buffer, &end) }
            if !g.isEmpty { copy(g, to: buffer, &end) }
            return end
        }
    }

    /// A list's texts with the same between them.
    static func joined(_ list: some Collection<String>, by separator: String) -> String {
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

    /// Puts a text behind what is in a buffer that has room for it.
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
