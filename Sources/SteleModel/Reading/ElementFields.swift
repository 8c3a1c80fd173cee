/// The attributes of an XML element in a model file. Reading one removes it, so that unknown
/// attributes remain and can be reported.
struct ElementFields {
    /// The element's name in messages, such as `Person.name` or `Person`.
    let place: String
    private let findings: Findings
    private var left: [(name: String, value: String)]
    /// Attributes that are known and have no effect.
    private var kept: [UserInfoEntry] = []

    init(_ element: MarkupElement, place: String, _ findings: Findings) {
        self.place = place
        self.findings = findings
        left = element.attributes
    }

    /// The attribute's value; nil if it is absent.
    mutating func text(_ name: String) -> String? {
        guard let index = left.firstIndex(where: { $0.name == name }) else { return nil }
        return left.remove(at: index).value
    }

    /// The attribute's value; nil if it is absent or empty.
    mutating func nonempty(_ name: String) -> String? {
        guard let text = text(name) else { return nil }
        if !text.isEmpty { return text }
        keep(name, text)
        return nil
    }

    /// Keeps an attribute that was read and has no effect.
    mutating func keep(_ name: String, _ text: String) {
        kept.append(UserInfoEntry(key: name, value: text))
    }

    /// The value of YES or NO; nil if the attribute is absent.
    /// - Parameter isKept: whether the declaration keeps NO, too.
    mutating func flag(_ name: String, isKept: Bool = false) -> Bool? {
        guard let text = text(name) else { return nil }
        if let value = ValueText.bool(text) {
            if !value, !isKept { keep(name, text) }
            return value
        }
        findings.error(place, "its \(name) is neither YES nor NO but \(quoted(text))")
        return nil
    }

    /// The value of YES or NO, which is the usual one if the attribute is absent. An attribute that
    /// says the usual value is kept.
    mutating func flag(_ name: String, isUsually usual: Bool) -> Bool {
        guard let text = text(name) else { return usual }
        guard let value = ValueText.bool(text) else {
            findings.error(place, "its \(name) is neither YES nor NO but \(quoted(text))")
            return usual
        }
        if value == usual { keep(name, text) }
        return value
    }

    /// A count; nil if the attribute is absent.
    mutating func count(_ name: String) -> Int? {
        guard let text = text(name) else { return nil }
        if let value = Int(ValueText.trimmed(text)), 0...Int(Int32.max) ~= value {
            if value == 0 { keep(name, text) }
            return value
        }
        findings.error(place, "its \(name) is not a count: \(quoted(text))")
        return nil
    }

    /// The value with the given name; nil if the attribute is absent or empty.
    mutating func choice<Choice>(_ name: String, _ choices: [(String, Choice)]) -> Choice? {
        nonempty(name).flatMap { findings.choice($0, of: name, at: place, in: choices) }
    }

    /// The name in the previous version. A few tools write it as `renamingIdentifier`.
    mutating func renamingIdentifier() -> String? {
        let spelledOut = nonempty("renamingIdentifier")
        if let spelledOut { keep("renamingIdentifier", spelledOut) }
        return nonempty("elementID") ?? spelledOut
    }

    /// Keeps every attribute that has no effect, and reports those that were not read.
    func finish(_ declaration: inout some ToolMatter) {
        declaration.toolAttributes = kept
        for (name, value) in left {
            findings.note(
                place, "the attribute \(name)=\(quoted(value)) is not known and has no effect")
            declaration.toolAttributes.append(UserInfoEntry(key: name, value: value))
        }
    }
}

extension Findings {
    /// Reports a child element that is ignored.
    func unknown(_ element: MarkupElement, in place: String) {
        note(
            place,
            "the element <\(element.name)> on line \(element.line) is not known and has no effect")
    }
}
