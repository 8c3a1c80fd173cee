/// Reads the class of a Transformable attribute as a Swift type.

/// Reads `[String]`, `[String: Int]`, `Set<UUID>` and the like: types of the standard library and
/// Foundation whose values convert to JSON.
struct TransformableType {
    private static let plain: Set = [
        "Bool", "Data", "Date", "Decimal", "Double", "Float", "Int", "Int16", "Int32", "Int64",
        "String", "URL", "UUID",
    ]
    private static let depthLimit = 32

    private var rest: Substring
    /// Writes the name of a type as code.
    private let code: (String) -> String

    /// The type as code; nil if it is not supported.
    /// - Parameter code: writes the name of a type as code.
    static func read(_ text: String, code: @escaping (String) -> String) -> String? {
        var reader = TransformableType(rest: text[...], code: code)
        guard let type = reader.type(0) else { return nil }
        reader.skipSpace()
        return reader.rest.isEmpty ? type : nil
    }

    private mutating func type(_ depth: Int) -> String? {
        guard depth < Self.depthLimit else { return nil }
        guard var type = take("[") ? bracketed(depth) : named(depth) else { return nil }
        if depth > 0, take("?") { type += "?" }
        return type
    }

    private mutating func bracketed(_ depth: Int) -> String? {
        guard let element = type(depth + 1) else { return nil }
        if take("]") { return "[\(element)]" }
        guard take(":"), let value = type(depth + 1), take("]") else { return nil }
        return "[\(element): \(value)]"
    }

    private mutating func named(_ depth: Int) -> String? {
        skipSpace()
        let name = String(rest.prefix { $0.isLetter || $0.isNumber })
        rest = rest.dropFirst(name.count)
        if Self.plain.contains(name) { return code(name) }
        guard ["Array", "Set", "Dictionary"].contains(name), take("<"),
            let first = type(depth + 1)
        else { return nil }
        guard name == "Dictionary" else { return take(">") ? "\(code(name))<\(first)>" : nil }
        guard take(","), let second = type(depth + 1), take(">") else { return nil }
        return "\(code(name))<\(first), \(second)>"
    }

    private mutating func take(_ character: Character) -> Bool {
        skipSpace()
        guard rest.first == character else { return false }
        rest = rest.dropFirst()
        return true
    }

    private mutating func skipSpace() { rest = rest.drop { $0 == " " } }
}
