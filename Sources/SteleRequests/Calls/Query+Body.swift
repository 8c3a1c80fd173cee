// The parameters of a list as a JSON object: for a `where` that is too long for an address.

import SteleHTTP
import SteleJSON

extension Query {
    /// The parameters of `POST /{Entity}/query`: those of the body, and those of the address, as
    /// the `Link` to a next page has them.
    /// - Throws: as for a query string, and `Problem` for what no parameter can be.
    package init(_ request: Request, body: JSONDocument, limits: Limits) throws {
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
                .body,
                "the body is the parameters as an object, and \(body.root.kindName) "
                    + "stands there", hint: #"for example {"where":"age > 40","limit":20}"#)
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

    private static let lists: Set<String> = ["sort", "select", "groupBy", "include"]

    /// A parameter's value as an address has it; nil for null, which is one that is not given.
    private static func text(_ node: JSONNode, _ name: String) throws -> String? {
        if node.isNull { return nil }
        if let text = scalar(node) { return text }
        guard node.kind == .array, lists.contains(name) else {
            throw Problem(
                .body,
                "\(name.prefix(60)) is text, a number, true or false, and "
                    + "\(node.kindName) stands there")
        }
        var items: [String] = []
        try node.forEachElement { item in
            guard let text = item.string else {
                throw Problem(
                    .body, "\(name) is a list of texts, and \(item.kindName) stands in it")
            }
            items.append(text)
        }
        return items.joined(separator: ",")
    }

    /// A variable's value: null is nil, and an array a list.
    private static func variableText(_ node: JSONNode, _ name: String) throws -> String {
        if node.isNull { return "nil" }
        if let text = scalar(node) { return text }
        guard node.kind == .array else {
            throw Problem(
                .body,
                "var.\(name.prefix(60)) is a value or an array of such, and "
                    + "\(node.kindName) stands there")
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
                throw Problem(.body, "var.\(name.prefix(60)) has \(item.kindName) in its array")
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

    /// As a literal of the language.
    private static func quoted(_ text: String) -> String {
        let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return "\"\(escaped)\""
    }
}
