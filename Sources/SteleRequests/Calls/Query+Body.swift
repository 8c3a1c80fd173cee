// The parameters of a list as a JSON object, for a `where` that is too long for an address.

import SteleHTTP
import SteleJSON
import SteleModel
import StelePredicates

extension Query {
    /// Reads the parameters of `POST /{Entity}/query`, which are in the body and, in the `Link` to
    /// a next page, in the address.
    /// - Throws: as for a query string, and `Problem` for a value that no parameter takes.
    init(_ request: Request, body: JSONDocument, limits: Limits) throws {
        let address = try Self.pairs(request.query ?? "", limits: limits)
        var (pairs, variables) = try Self.pairs(body, limits: limits)
        if address.contains(where: { $0.name == "after" || $0.name == "offset" }) {
            pairs.removeAll { $0.name == "after" || $0.name == "offset" }
        }
        try self.init(pairs: address + pairs, given: variables, for: Parameter.followed)
    }

    private static func pairs(
        _ body: JSONDocument, limits: Limits
    ) throws -> (
        pairs: [(name: String, value: String)], variables: [(name: String, value: VariableValue)]
    ) {
        guard body.root.kind == .object else {
            throw Problem(
                .body, "the body must be an object of parameters, not \(body.root.kindName)",
                hint: #"for example {"where":"age > 40","limit":20}"#)
        }
        guard body.root.count <= limits.parameters else {
            throw Problem(.body, "the body has more than \(limits.parameters) parameters")
        }
        var pairs: [(name: String, value: String)] = []
        var variables: [(name: String, value: VariableValue)] = []
        try body.root.forEachMember { name, node in
            if name == "var", node.kind == .object {
                guard node.count <= limits.parameters else {
                    throw Problem(.body, "var has more than \(limits.parameters) variables")
                }
                try node.forEachMember { name, value in
                    variables.append((name, try variable(value, name)))
                }
            } else if name.hasPrefix("var.") {
                let name = String(name.dropFirst(4))
                variables.append((name, try variable(node, name)))
            } else if let text = try text(node, name) {
                pairs.append((name, text))
            }
        }
        return (pairs, variables)
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

    /// A variable's value, with the type that it has in JSON. An array is a list.
    private static func variable(_ node: JSONNode, _ name: String) throws -> VariableValue {
        if let value = value(node) { return .value(value) }
        guard node.kind == .array else {
            throw Problem(
                .body,
                "var.\(name.prefix(60)) must be a value or an array of values, not \(node.kindName)"
            )
        }
        var items: [Value] = []
        try node.forEachElement { item in
            guard let value = value(item) else {
                throw Problem(
                    .body, "the array of var.\(name.prefix(60)) contains \(item.kindName)")
            }
            items.append(value)
        }
        return .list(items)
    }

    /// The value of null, a text, a Boolean or a number, which is exact as a literal of the
    /// predicate language is; nil for an array or an object.
    private static func value(_ node: JSONNode) -> Value? {
        switch node.kind {
        case .null: return .null
        case .string: return node.string.map { .string($0) }
        case .bool: return node.bool.map { .bool($0) }
        case .integer, .real:
            guard let text = scalar(node),
                case .constant(let value)? = try? Expression(format: text)
            else { return node.real.map { .double($0) } }
            return value
        case .array, .object: return nil
        }
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
}
