/// Ranges of a value's bytes (RFC 9110, 14).

/// The bytes that `Range` asks for.
package enum ByteRange: Equatable {
    /// The whole value: there is no range, there are several, or the field has a unit or form that
    /// is not supported, which a server may ignore.
    case whole
    case part(Range<Int>)
    /// None of the value's bytes are in the range.
    case unsatisfiable

    /// - Parameters:
    ///   - field: the value of the header.
    ///   - count: the number of bytes of the value.
    package init(_ field: String?, of count: Int) {
        self = .whole
        guard let field, field.lowercased().hasPrefix("bytes=") else { return }
        let spec = field.dropFirst("bytes=".count)
        guard let hyphen = spec.firstIndex(of: "-"), !spec.contains(",") else { return }
        let (from, to) = (spec[..<hyphen], spec[spec.index(after: hyphen)...])
        guard (from + to).utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return }
        if from.isEmpty {
            guard !to.isEmpty else { return }
            let last = Int(to) ?? Int.max
            // The last bytes of an empty value are the whole of it (RFC 9110, 14.1.3), which no
            // Content-Range can name.
            if last > 0, count == 0 { return }
            self = last == 0 ? .unsatisfiable : .part(max(0, count - last)..<count)
        } else if let first = Int(from) {
            let end = to.isEmpty ? count - 1 : Int(to) ?? Int.max - 1
            if end < first, !to.isEmpty { return }
            self = first >= count ? .unsatisfiable : .part(first..<min(end, count - 1) + 1)
        } else {
            self = .unsatisfiable
        }
    }
}
