/// Parts of a value's bytes (RFC 9110, 14).

/// What `Range` asks for.
package enum ByteRange: Equatable {
    /// All of it: no range, several, or one in a unit or a form that is not read, which a server
    /// may pass over.
    case whole
    case part(Range<Int>)
    /// None of its bytes are there.
    case unsatisfiable

    /// - Parameters:
    ///   - field: the header's value.
    ///   - count: how many bytes there are.
    package init(_ field: String?, of count: Int) {
        self = .whole
        guard let field, field.lowercased().hasPrefix("bytes=") else { return }
        let spec = field.dropFirst("bytes=".count).filter { $0 != " " }
        guard let hyphen = spec.firstIndex(of: "-"), !spec.contains(",") else { return }
        let (from, to) = (spec[..<hyphen], spec[spec.index(after: hyphen)...])
        guard (from + to).utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return }
        if from.isEmpty {
            guard let last = Int(to) else { return }
            self = last == 0 || count == 0 ? .unsatisfiable : .part(max(0, count - last)..<count)
        } else if let first = Int(from) {
            let end = to.isEmpty ? count - 1 : Int(to) ?? Int.max - 1
            if end < first, !to.isEmpty { return }
            self = first >= count ? .unsatisfiable : .part(first..<min(end, count - 1) + 1)
        } else {
            self = .unsatisfiable
        }
    }
}
