internal import SteleJSON

/// The members of a JSON object in a model file. It records the keys that the reader asks for, so
/// that unknown keys can be reported.
struct JSONFields {
    let node: JSONNode
    /// The object's name in messages, such as `Person.name` or `Person`.
    var place: String
    /// Every key that was asked for.
    private var known: [String] = []

    init(_ node: JSONNode, place: String) {
        self.node = node
        self.place = place
    }

    /// The member; nil if it is absent or null.
    mutating func take(_ key: String) -> JSONNode? {
        known.append(key)
        return node[key].flatMap { $0.isNull ? nil : $0 }
    }

    /// Whether the key is present, even if its value is null.
    func has(_ key: String) -> Bool { node[key] != nil }

    mutating func text(_ key: String, _ findings: inout Findings) -> String? {
        guard let member = take(key) else { return nil }
        guard let text = member.string else { return wrong(key, member, "a text", &findings) }
        if !text.unicodeScalars.allSatisfy(Self.isAllowed) {
            findings.error(place, "its \(key) has a control character, which XML cannot hold")
        }
        return text
    }

    /// The text; nil if it is absent or empty.
    mutating func nonempty(_ key: String, _ findings: inout Findings) -> String? {
        text(key, &findings).flatMap { $0.isEmpty ? nil : $0 }
    }

    mutating func flag(_ key: String, _ findings: inout Findings) -> Bool? {
        guard let member = take(key) else { return nil }
        return member.bool ?? wrong(key, member, "true or false", &findings)
    }

    mutating func count(_ key: String, _ findings: inout Findings) -> Int? {
        guard let member = take(key) else { return nil }
        guard let number = member.integer, number >= 0, number <= Int64(Int32.max) else {
            return wrong(key, member, "a count", &findings)
        }
        return Int(number)
    }

    /// The elements of a list; empty if it is absent.
    mutating func list(_ key: String, _ findings: inout Findings) -> [JSONNode] {
        guard let member = take(key) else { return [] }
        guard member.kind == .array else { return wrong(key, member, "a list", &findings) ?? [] }
        var elements: [JSONNode] = []
        member.forEachElement { elements.append($0) }
        return elements
    }

    /// The elements of a list of texts.
    mutating func texts(_ key: String, _ findings: inout Findings) -> [String] {
        Self.texts(list(key, &findings), key, place, &findings)
    }

    /// The elements of a list of lists of texts.
    mutating func textLists(_ key: String, _ findings: inout Findings) -> [[String]] {
        var lists: [[String]] = []
        for element in list(key, &findings) {
            guard element.kind == .array else {
                findings.error(
                    place, "its \(key) is a list of lists of names, and has \(element.kindName)",
                    hint: "such as [[\"name\"]]")
                continue
            }
            var nodes: [JSONNode] = []
            element.forEachElement { nodes.append($0) }
            lists.append(Self.texts(nodes, key, place, &findings))
        }
        return lists
    }

    private static func texts(
        _ nodes: [JSONNode], _ key: String, _ place: String, _ findings: inout Findings
    ) -> [String] {
        nodes.compactMap { element in
            guard let text = element.string, text.unicodeScalars.allSatisfy(isAllowed) else {
                findings.error(place, "its \(key) is a list of names, and has \(element.kindName)")
                return nil
            }
            return text
        }
    }

    /// The value with the given name; an error for a name that is not in the list.
    mutating func choice<Choice>(
        _ key: String, _ choices: [(String, Choice)], _ findings: inout Findings
    ) -> Choice? {
        guard let text = text(key, &findings) else { return nil }
        if let found = choices.first(where: { $0.0 == text }) { return found.1 }
        let names = choices.map(\.0)
        let near = Nearest.hint(to: text, among: names)
        findings.error(
            place, "its \(key) \(quoted(text)) is not known",
            hint: near ?? "it is one of \(names.joined(separator: ", "))")
        return nil
    }

    /// The members of an object of texts, in order.
    mutating func entries(_ key: String, _ findings: inout Findings) -> [UserInfoEntry] {
        guard let member = take(key) else { return [] }
        guard member.kind == .object else {
            return wrong(key, member, "an object of texts", &findings) ?? []
        }
        var entries: [UserInfoEntry] = []
        member.forEachMember { name, value in
            if let text = value.string, (name + text).unicodeScalars.allSatisfy(Self.isAllowed) {
                entries.append(UserInfoEntry(key: name, value: text))
            } else {
                findings.error(
                    place, "in its \(key), \(quoted(name)) must be a text, and is \(value.kindName)"
                )
            }
        }
        return entries
    }

    /// Reports every key that was not asked for.
    func finish(_ findings: inout Findings) {
        node.forEachMember { key, _ in
            guard !known.contains(key) else { return }
            let near = Nearest.hint(to: key, among: known)
            findings.error(
                place, "the key \(quoted(key)) is not known",
                hint: near ?? "known are \(known.joined(separator: ", "))")
        }
    }

    private func wrong<T>(
        _ key: String, _ member: JSONNode, _ wanted: String, _ findings: inout Findings
    ) -> T? {
        findings.error(place, "its \(key) must be \(wanted), and is \(member.kindName)")
        return nil
    }

    /// Whether XML can represent the character, so that every model can be written as XML.
    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A, 0x0D: true
        case 0..<0x20, 0xFFFE, 0xFFFF: false
        default: true
        }
    }
}

/// A JSON value in a message, in quotes and truncated.
func quoted(_ node: JSONNode) -> String { quoted(node.string ?? JSONValue(node).compact) }
