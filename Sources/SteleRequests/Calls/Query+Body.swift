// The parameters of a list as a JSON object, for a `where` that is too long for an address.

import SteleHTTP
import SteleJSON

extension Query {
    /// Reads the parameters of `POST /{Entity}/query`, which are in the body and, in the `Link` to
    /// a next page, in the address.
    /// - Throws: as for a query string, and `Problem` for a value that no parameter takes.
    init(_ request: Request, body: JSONDocument, limits: Limits) throws {
        let address = try Self.pairs(request.query ?? "", limits: limits)
        var pairs = try Self.pairs(body, limits: limits)
        if address.contains(where: { $0.name == "after" || $0.name == "offset" }) {
            pairs.removeAll { $0.name == "after" || $0.name == "offset" }
        }
        try self.init(pairs: address + pairs, for: Parameter.followed)
    }

    private static func pairs(
        _ body: JSONDocument, limits: Limits
    ) throws -> [(name: String, value: String)] {
        guard body.root.kind == .object else {
            throw Problem(
                .body, "the body must be an object of parameters, not \(body.root.kindName)",
                hint: #"for example {"where":"age > 40","limit":20}"#)
        }
        guard body.root.count <= limits.parameters else {
            throw Problem(.body, "the body has more than \(limits.parameters) parameters")
        }
        var pairs: [(name: String, value: String)] = []
        try body.root.forEachMember { name, node in
            if name == "var", node.kind == .object {
                guard node.count <= limits.parameters else {
                    throw Problem(.body, "var has more than \(limits.parameters) variables")
                }
                try node.forEachMember { variable, value in
                    pairs.append(("var." + variable, try variableText(value, variable)))
                }
            } else if name.hasPrefix("var.") {
                pairs.append((name, try variableText(node, String(name.dropFirst(4)))))
            } else if let text = try text(node, name) {
                pairs.append((name, text))
            }
        }
        return pairs
    }

    package static let lists: Set<String> = ["sort", "select", "groupBy", "include"]

    /// A parameter's value as in an address; nil for null, which means that it is not given.
    private static func text(_ node: JSONNode, _ name: String) throws -> String? {
        if node.isNull { return nil }
        if let text = scalar(node) { return text }
        guard node.kind == .array, lists.contains(name) else {
            throw Problem(
                .body,
                "\(name.prefix(60)) must be text, a number, true or false, not \(node.kindName)")
        }
        var items: [String] = []
        try node.forEachElement { item in
            guard let text = item.string else {
                throw Problem(
                    .body, "\(name) must be an array of texts, and contains \(item.kindName)")
            }
            items.append(text)
        }
        return items.joined(separator: ",")
    }

    /// A variable's value: null is nil, and an array is a list.
    private static func variableText(_ node: JSONNode, _ name: String) throws -> String {
        if node.isNull { return "nil" }
        if let text = scalar(node) { return text }
        guard node.kind == .array else {
            throw Problem(
                .body,
                "var.\(name.prefix(60)) must be a value or an array of values, not \(node.kindName)"
            )
        }
        var items: [String] = []
        try node.forEachElement { item in
            if item.isNull {
                items.append("nil")
            } else if let text = item.string {
                items.append(quoted(text))
            } else if let text = scalar(item) {
                items.append(text)
            } else {
                throw Problem(
                    .body, "the array of var.\(name.prefix(60)) contains \(item.kindName)")
            }
        }
        return "{" + items.joined(separator: ", ") + "}"
    }

    private static func scalar(_ node: JSONNode) -> String? {
        if let text = node.string { return text }
        if let flag = node.bool { return flag ? "true" : "false" }
        if let text = node.longNumberText { return text }
        if let number = node.integer { return String(number) }
        return node.real.map { number in
            var writer = ByteWriter(capacity: 32)
            writer.double(number)
            return String(decoding: writer.bytes, as: UTF8.self)
        }
    }

    /// The text as a literal of the predicate language.
    private static func quoted(_ text: String) -> String {
        let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return "\"\(escaped)\""
    }
}
