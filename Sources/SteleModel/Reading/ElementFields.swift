/// An element's attributes, taken one by one, so that what nobody takes can be told.

/// The attributes of one XML element while it is being read.
struct ElementFields {
    /// What the element is in a message: `Person.name`, `Person`.
    let place: String
    private var left: [(name: String, value: String)]

    init(_ element: MarkupElement, place: String) {
        self.place = place
        left = element.attributes
    }

    /// The attribute's text, or nil where it is not written.
    mutating func text(_ name: String) -> String? {
        guard let index = left.firstIndex(where: { $0.name == name }) else { return nil }
        return left.remove(at: index).value
    }

    /// The attribute's text, or nil where it is not written or empty.
    mutating func nonempty(_ name: String) -> String? {
        text(name).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// YES or NO; nil where it is not written.
    mutating func flag(_ name: String, _ findings: inout Findings) -> Bool? {
        guard let text = text(name) else { return nil }
        if let value = ValueText.bool(text) { return value }
        findings.error(place, "its \(name) is neither YES nor NO but \(quoted(text))")
        return nil
    }

    /// A count; nil where it is not written.
    mutating func count(_ name: String, _ findings: inout Findings) -> Int? {
        guard let text = text(name) else { return nil }
        if let value = Int(text), value >= 0 { return value }
        findings.error(place, "its \(name) is not a count: \(quoted(text))")
        return nil
    }

    /// Tells of every attribute that nobody took.
    func finish(_ findings: inout Findings) {
        for (name, value) in left {
            findings.note(
                place, "the attribute \(name)=\(quoted(value)) is not known and has no effect")
        }
    }
}

extension Findings {
    /// Tells of a child element that the reader has no use for.
    mutating func unknown(_ element: MarkupElement, in place: String) {
        note(
            place,
            "the element <\(element.name)> on line \(element.line) is not known and has no effect")
    }
}

/// A text in a message: in quotes, and cut where it is long.
func quoted(_ text: String) -> String {
    text.count > 60 ? "\"\(text.prefix(60))…\"" : "\"\(text)\""
}
