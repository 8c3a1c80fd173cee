/// Writes one property as Swift.

import SteleModel

/// Writes properties as lines of code.
struct PropertyWriter {
    let names: SwiftNames
    /// The access level of keys, with a space. A class that is written by hand may be internal.
    var keyAccess: String?
    /// What accessors are called on: nothing in a class, `object.` in the view of a composite.
    var receiver = ""
    /// The keyword of a setter.
    var setter = "set"

    private var access: String { names.access.modifier }

    // MARK: Attributes

    /// - Parameters:
    ///   - name: its name in Swift.
    ///   - key: its key, as code.
    func lines(_ attribute: AttributeDescription, name: String, key: String) -> [String] {
        switch attribute.type {
        case .composite: return composite(attribute, name: name, key: key)
        case .transformable: return transformable(attribute, name: name, key: key)
        default: break
        }
        let (type, zero) = valueType(attribute)
        let read = "\(receiver)attribute(forKey: \(key))" + (zero.map { " ?? \($0)" } ?? "")
        let head = "\(access)var \(SwiftIdentifier.code(name)): \(type)\(zero == nil ? "?" : "")"
        // The store computes a derived attribute, so it has no setter.
        if attribute.derivationExpression != nil { return ["\(head) { \(read) }"] }
        return [
            "\(head) {", "    get { \(read) }",
            "    \(setter) { \(receiver)setAttribute(newValue, forKey: \(key)) }", "}",
        ]
    }

    /// The type, and the value of null in a scalar.
    private func valueType(_ attribute: AttributeDescription) -> (type: String, zero: String?) {
        let (name, zero): (String, String?) =
            switch attribute.type {
            case .integer16: ("Int16", "0")
            case .integer32: ("Int32", "0")
            case .integer64: ("Int64", "0")
            case .double: ("Double", "0")
            case .float: ("Float", "0")
            case .boolean: ("Bool", "false")
            case .decimal: ("Decimal", nil)
            case .string: ("String", nil)
            case .date: ("Date", nil)
            case .binary: ("Data", nil)
            case .uuid: ("UUID", nil)
            case .uri: ("URL", nil)
            case .undefined, .objectID, .transformable, .composite: ("Value", nil)
            }
        let type = name == "Value" ? names.library(name) : names.type(name)
        return (type, attribute.usesScalarValueType == true ? zero : nil)
    }

    private func transformable(
        _ attribute: AttributeDescription, name: String, key: String
    ) -> [String] {
        let known = attribute.customClassName.flatMap {
            TransformableType.read($0, code: names.type)
        }
        let type = known ?? names.library("JSONValue")
        return [
            "\(access)var \(SwiftIdentifier.code(name)): \(type)? {",
            "    get throws { try \(receiver)transformable(forKey: \(key)) }", "}", "",
            "\(access)func set\(SwiftIdentifier.capitalized(name))(_ value: \(type)?) throws {",
            "    try \(receiver)setTransformable(value, forKey: \(key))", "}",
        ]
    }

    private func composite(
        _ attribute: AttributeDescription, name: String, key: String
    ) -> [String] {
        guard let type = attribute.compositeName.flatMap({ names.composites[$0] }) else {
            return []
        }
        let code = SwiftIdentifier.code(type)
        let owner = receiver.isEmpty ? "self" : "object"
        return [
            "\(access)var \(SwiftIdentifier.code(name)): \(code) { \(code)(\(owner), keyPath: \(key)) }"
        ]
    }

    // MARK: Relationships

    func lines(_ relationship: Relationship, name: String) -> [String] {
        let type = names.classCode(names.model.destination(of: relationship))
        let key = "\"\(relationship.name)\""
        guard relationship.isToMany else { return toOne(name, type, key) }
        return toMany(name, type, key, isOrdered: relationship.isOrdered)
    }

    private func toOne(_ name: String, _ type: String, _ key: String) -> [String] {
        [
            "\(access)var \(SwiftIdentifier.code(name)): \(type)? {",
            "    get { object(forKey: \(key)) }",
            "    set { setObject(newValue, forKey: \(key)) }", "}", "",
            "@available(*, deprecated, message: \"set the property, or setDestination(_:forKey:)\")",
            "\(access)func set\(SwiftIdentifier.capitalized(name))(_ value: \(type)?) throws {",
            "    try setDestination(value, forKey: \(key))", "}",
        ]
    }

    private func toMany(
        _ name: String, _ type: String, _ key: String, isOrdered: Bool
    ) -> [String] {
        let set = names.standard("Set")
        let all = isOrdered ? "[\(type)]" : "\(set)<\(type)>"
        let suffix = SwiftIdentifier.capitalized(name)
        var lines = [
            "\(access)var \(SwiftIdentifier.code(name)): \(all) {",
            "    get throws { try members(forKey: \(key)) }", "}",
        ]
        func add(_ head: String, _ call: String) {
            lines += ["", "\(access)func \(head) throws {", "    try \(call)", "}"]
        }
        add("set\(suffix)(_ values: \(all))", "setMembers(values, forKey: \(key))")
        add("addTo\(suffix)(_ value: \(type))", "addMembers([value], forKey: \(key))")
        add("addTo\(suffix)(_ values: \(all))", "addMembers(values, forKey: \(key))")
        add("removeFrom\(suffix)(_ value: \(type))", "removeMembers([value], forKey: \(key))")
        add("removeFrom\(suffix)(_ values: \(all))", "removeMembers(values, forKey: \(key))")
        guard isOrdered else { return lines }
        let at = "at index: \(names.standard("Int"))"
        add(
            "insertInto\(suffix)(_ value: \(type), \(at))",
            "insertMembers([value], forKey: \(key), at: index)")
        add(
            "insertInto\(suffix)(_ values: \(all), \(at))",
            "insertMembers(values, forKey: \(key), at: index)")
        add("removeFrom\(suffix)(\(at))", "removeMember(forKey: \(key), at: index)")
        add(
            "replace\(suffix)(\(at), with value: \(type))",
            "replaceMember(forKey: \(key), at: index, with: value)")
        return lines
    }

    // MARK: Keys

    /// The key of an attribute for predicates; nil for one that they cannot compare.
    func key(_ attribute: AttributeDescription, name: String) -> String? {
        if attribute.isTransient { return nil }
        let head = "\(keyAccess ?? access)var \(SwiftIdentifier.code(name))"
        switch attribute.type {
        case .transformable: return nil
        case .composite:
            guard let type = attribute.compositeName.flatMap({ names.composites[$0] }) else {
                return nil
            }
            return "\(head): \(names.library("CompositeKeys"))<\(SwiftIdentifier.code(type))> { "
                + "self[composite: \"\(attribute.name)\"] }"
        default:
            return "\(head): \(names.library("AttributeKey"))<\(valueType(attribute).type)> { "
                + "self[attribute: \"\(attribute.name)\"] }"
        }
    }

    /// The key of a relationship for predicates.
    func key(_ relationship: Relationship, name: String) -> String {
        let type = names.classCode(names.model.destination(of: relationship))
        let (keys, label) =
            relationship.isToMany ? ("ToManyKeys", "toMany") : ("ObjectKeys", "toOne")
        return
            "\(keyAccess ?? access)var \(SwiftIdentifier.code(name)): \(names.library(keys))<\(type)> { "
            + "self[\(label): \"\(relationship.name)\"] }"
    }

    // MARK: Fetched properties

    func lines(_ property: FetchedPropertyDescription, name: String) -> [String] {
        let destination = names.model.entity(named: property.request.entityName)
        let type = destination.map(names.classCode) ?? names.library("ManagedObject")
        return [
            "\(access)var \(SwiftIdentifier.code(name)): [\(type)] {",
            "    get throws { try fetched(forKey: \"\(property.name)\") }", "}",
        ]
    }
}
