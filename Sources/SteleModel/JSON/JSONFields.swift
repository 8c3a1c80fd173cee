package import SteleJSON

/// The members of a JSON object in a model file. It records the keys that the reader asks for, so
/// that unknown keys can be reported.
package struct JSONFields {
    private let node: JSONNode
    /// The object's name in messages, such as `Person.name` or `Person`.
    package var place: String
    private let findings: Findings
    /// Every key that was asked for.
    private var known: [String] = []

    /// The members of an object.
    package init(_ node: JSONNode, place: String, _ findings: Findings) {
        self.node = node
        self.place = place
        self.findings = findings
    }

    /// The member; nil if it is absent or null.
    package mutating func take(_ key: String) -> JSONNode? {
        if !known.contains(key) { known.append(key) }
        return node[key].flatMap { $0.isNull ? nil : $0 }
    }

    /// Whether the key is present, even if its value is null.
    package func has(_ key: String) -> Bool { node[key] != nil }

    /// The member, which must be a text; nil if it is absent.
    package mutating func text(_ key: String) -> String? {
        guard let member = take(key) else { return nil }
        guard let text = member.string else { return wrong(key, member, wanted: "a text") }
        if !text.isInXML {
            findings.error(place, "its \(key) has a control character, which XML cannot represent")
        }
        return text
    }

    /// The text; nil if it is absent or empty.
    package mutating func nonempty(_ key: String) -> String? {
        text(key).flatMap { $0.isEmpty ? nil : $0 }
    }

    mutating func flag(_ key: String) -> Bool? {
        guard let member = take(key) else { return nil }
        return member.bool ?? wrong(key, member, wanted: "true or false")
    }

    mutating func count(_ key: String) -> Int? {
        guard let member = take(key) else { return nil }
        guard let number = member.wholeNumber, number >= 0, number <= Int64(Int32.max) else {
            return wrong(key, member, wanted: "a count")
        }
        return Int(number)
    }

    /// The elements of a list; empty if it is absent.
    package mutating func list(_ key: String) -> [JSONNode] {
        guard let member = take(key) else { return [] }
        guard member.kind == .array else { return wrong(key, member, wanted: "a list") ?? [] }
        return member.elements
    }

    /// The elements of a list of texts.
    mutating func texts(_ key: String) -> [String] { texts(list(key), of: key) }

    /// The elements of a list of lists of texts.
    mutating func textLists(_ key: String) -> [[String]] {
        list(key).compactMap { element in
            if element.kind == .array { return texts(element.elements, of: key) }
            findings.error(
                place,
                "its \(key) must be a list of lists of names, and contains \(element.kindName)",
                hint: "such as [[\"name\"]]")
            return nil
        }
    }

    private func texts(_ nodes: [JSONNode], of key: String) -> [String] {
        nodes.compactMap { element in
            if let text = element.string, text.isInXML {
                return text
            }
            findings.error(
                place, "its \(key) must be a list of names, and contains \(element.kindName)")
            return nil
        }
    }

    /// The value with the given name; nil if the member is absent.
    mutating func choice<Choice>(_ key: String, _ choices: [(String, Choice)]) -> Choice? {
        text(key).flatMap { findings.choice($0, of: key, at: place, in: choices) }
    }

    /// The members of an object of texts, in order.
    package mutating func entries(_ key: String) -> [UserInfoEntry] {
        guard let member = take(key) else { return [] }
        guard member.kind == .object else {
            return wrong(key, member, wanted: "an object of texts") ?? []
        }
        var entries: [UserInfoEntry] = []
        member.forEachMember { name, value in
            if let text = value.string, (name + text).isInXML {
                entries.append(UserInfoEntry(key: name, value: text))
            } else {
                findings.error(
                    place, "in its \(key), \(quoted(name)) must be a text, and is \(value.kindName)"
                )
            }
        }
        return entries
    }

    /// Reads what only the editor of a model file reads.
    mutating func toolMatter(_ declaration: inout some ToolMatter) {
        declaration.toolAttributes = toolAttributes("toolAttributes")
        declaration.toolElements = toolElements("toolElements")
    }

    private mutating func toolAttributes(_ key: String) -> [UserInfoEntry] {
        let entries = entries(key)
        for entry in entries { checkXMLName(entry.key) }
        return entries
    }

    private mutating func toolElements(_ key: String) -> [ToolElement] {
        list(key).compactMap { node in
            guard node.kind == .object else { return wrong(key, node, wanted: "a list of objects") }
            var fields = JSONFields(node, place: place, findings)
            var element = ToolElement(name: fields.text("name") ?? "")
            fields.checkXMLName(element.name)
            element.attributes = fields.toolAttributes("attributes")
            element.text = fields.text("text") ?? ""
            element.elements = fields.toolElements("elements")
            fields.finish()
            return element
        }
    }

    private func checkXMLName(_ name: String) {
        let isName =
            name.unicodeScalars.first.map { Identifier.canBegin($0) || $0 == ":" } ?? false
            && name.unicodeScalars.allSatisfy {
                Identifier.canContinue($0) || $0 == "-" || $0 == "." || $0 == ":"
            }
        if !isName { findings.error(place, "\(quoted(name)) is not a name of XML") }
    }

    /// Reports every key that was not asked for.
    package func finish() {
        node.forEachMember { key, _ in
            if known.contains(key) { return }
            findings.error(
                place, "the key \(quoted(key)) is not known",
                hint: Nearest.hint(to: key, among: known)
                    ?? "the known keys are \(known.joined(separator: ", "))")
        }
    }

    private func wrong<T>(_ key: String, _ member: JSONNode, wanted: String) -> T? {
        findings.error(place, "its \(key) must be \(wanted), and is \(member.kindName)")
        return nil
    }
}

extension JSONNode {
    /// The elements of an array.
    fileprivate var elements: [JSONNode] {
        var elements: [JSONNode] = []
        forEachElement { elements.append($0) }
        return elements
    }
}

/// A JSON value in a message, in quotes and truncated.
package func quoted(_ node: JSONNode) -> String { quoted(node.string ?? JSONValue(node).compact) }
