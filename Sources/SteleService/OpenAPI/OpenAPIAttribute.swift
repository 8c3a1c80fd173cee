/// The schema of an attribute's values, in answers and in bodies.

import SteleJSON
import SteleModel
import StelePredicates

/// Makes the schema of an attribute.
///
/// An answer has the types alone: a store may have values from before a rule of validation was
/// made stricter. A body also has the rules.
///
/// A value has one type besides null, of which generators make a type of their language. The other
/// forms that are read and written (texts for numbers) are in the document's description.
struct OpenAPIAttribute {
    /// Where a value is.
    enum Use {
        case answer
        /// The body of a new object, and of a change to an existing one.
        case create, change
    }

    let attribute: Attribute
    let use: Use
    /// Whether the document is that of editing contexts, where nothing is validated before the save.
    let isEditing: Bool
    /// The schema of a value in a file, and the title of one that may be in a file.
    let file: JSONValue
    let fileTitle: String

    private var declaration: AttributeDescription { attribute.declaration }
    private var isBody: Bool { use != .answer }
    private var isComputed: Bool { attribute.isDerived || attribute.isTransient }
    private var isNullable: Bool { attribute.isOptional || isComputed || isEditing }

    var schema: JSONValue {
        var members: [(String, JSONValue)]
        switch attribute.type {
        case .integer16, .integer32, .integer64: members = integer
        case .decimal, .double, .float: members = number
        case .string: members = typed("string") + lengths
        case .uri: members = typed("string") + [("format", "uri-reference")]
        case .boolean: members = typed("boolean")
        case .date: members = typed("string") + [("format", "date-time")]
        case .uuid: members = typed("string") + [("format", "uuid")]
        case .binary: members = binary
        case .transformable: members = []
        case .composite: members = composite
        case .undefined, .objectID: members = [("type", "null")]
        }
        if let description { members.append(("description", .string(description))) }
        if isComputed { members.append(("readOnly", true)) }
        if use == .create, let value = OpenAPIExample.json(declaration.defaultValue, attribute) {
            members.append(("default", value))
        }
        if attribute.type != .composite, let example = OpenAPIExample.value(of: attribute) {
            members.append(("examples", .array([example])))
        }
        return .object(members)
    }

    /// The member `type`, with null if there may be no value.
    private func typed(_ type: JSONValue) -> [(String, JSONValue)] {
        [("type", isNullable ? [type, "null"] : type)]
    }

    private var description: String? {
        switch attribute.type {
        case .transformable:
            return "JSON that the attribute's transformer "
                + (isBody ? "accepts." : "makes of the stored bytes.")
        case .date where isBody:
            let bounds = [("from", declaration.minimum), ("to", declaration.maximum)].compactMap {
                word, bound in
                OpenAPIExample.json(bound, attribute).map { "\(word) \($0.compact)" }
            }
            return bounds.isEmpty ? nil : "A date \(bounds.joined(separator: " "))."
        case .string where isBody && declaration.regularExpression != nil && pattern == nil:
            return "The whole text must match \(declaration.regularExpression ?? "")."
        default:
            return declaration.derivationExpression.map { "Derived from \($0)." }
        }
    }

    // MARK: Numbers

    private var integer: [(String, JSONValue)] {
        var members = typed("integer")
        members.append(("format", attribute.type == .integer64 ? "int64" : "int32"))
        // The other two have the range of their format.
        return members + range(orElse: attribute.type == .integer16 ? -32768...32767 : nil)
    }

    private var number: [(String, JSONValue)] {
        var members = typed("number")
        if attribute.type != .decimal {
            members.append(("format", attribute.type == .float ? "float" : "double"))
        }
        return members + range(orElse: nil)
    }

    /// The bounds of a number in a body: those of the model, else those of the type.
    private func range(orElse type: ClosedRange<Int64>?) -> [(String, JSONValue)] {
        guard isBody else { return [] }
        let bounds = [
            ("minimum", bound(declaration.minimum) ?? type.map { .integer($0.lowerBound) }),
            ("maximum", bound(declaration.maximum) ?? type.map { .integer($0.upperBound) }),
        ]
        return bounds.compactMap { name, value in value.map { (name, $0) } }
    }

    private func bound(_ value: Value) -> JSONValue? {
        value.isNull ? nil : OpenAPIExample.json(value, attribute)
    }

    // MARK: Text and bytes

    private var lengths: [(String, JSONValue)] {
        guard isBody else { return [] }
        var members: [(String, JSONValue)] = []
        if let least = bound(declaration.minimum) { members.append(("minLength", least)) }
        if let most = bound(declaration.maximum) { members.append(("maxLength", most)) }
        if let pattern { members.append(("pattern", .string("^(?:\(pattern))$"))) }
        return members
    }

    /// The model's regular expression, if it means the same in ECMA 262; nil if it may not.
    private var pattern: String? {
        guard let text = declaration.regularExpression else { return nil }
        let letters = Array(text.unicodeScalars)
        let repeats: Set<Unicode.Scalar> = ["*", "+", "?", "}"]
        var isInClass = false
        for (index, letter) in letters.enumerated() {
            let next = index + 1 < letters.count ? letters[index + 1] : nil
            let isEscaped = index > 0 && letters[index - 1] == "\\"
            switch letter {
            // Only escapes of punctuation are the same: \d and \w have more characters in ICU.
            case "\\":
                guard let next, next.isASCII, !next.properties.isAlphabetic,
                    next.properties.numericType == nil, next != "\\"
                else { return nil }
            case "[" where !isEscaped:
                if isInClass { return nil }
                isInClass = true
            case "]" where !isEscaped: isInClass = false
            // Sets of ICU: [a&&b], [a--b].
            case "&" where isInClass && next == "&": return nil
            case "-" where isInClass && next == "-": return nil
            case "(" where !isEscaped && !isInClass && next == "?":
                guard index + 2 < letters.count, letters[index + 2] == ":" else { return nil }
            // A possessive repetition.
            case "+"
            where !isEscaped && !isInClass && index > 0 && repeats.contains(letters[index - 1]):
                return nil
            case "{" where !isEscaped && !isInClass:
                guard let next, ("0"..."9").contains(next) else { return nil }
            default: if !letter.isASCII { return nil }
            }
        }
        return isInClass ? nil : text
    }

    /// RFC 4648, section 4, with padding.
    private static let base64: JSONValue =
        "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$"

    private var binary: [(String, JSONValue)] {
        let encoded: [(String, JSONValue)] = [
            ("contentEncoding", "base64"), ("pattern", Self.base64),
        ]
        guard attribute.isExternal, use != .create else { return typed("string") + encoded }
        let forms: [JSONValue] =
            [.object([("type", "string")] + encoded), file]
            + (isNullable ? [["type": "null"]] : [])
        return [("title", .string(fileTitle)), ("oneOf", .array(forms))]
    }

    // MARK: Composites

    private var composite: [(String, JSONValue)] {
        let elements = attribute.elements.map { element in
            (
                element.key,
                OpenAPIAttribute(
                    attribute: element, use: use, isEditing: isEditing, file: file,
                    fileTitle: fileTitle
                ).schema
            )
        }
        var members = typed("object") + [("properties", .object(elements))]
        if !isBody {
            members.append(("required", .array(attribute.elements.map { .string($0.key) })))
        }
        members.append(("additionalProperties", false))
        return members
    }
}
