/// The settings of declarations as text, for comparing two models.

internal import SteleJSON

/// A setting of a declaration: its key in the JSON form of a model (`Docs/Models.md`), and its
/// value. A setting with its usual value is omitted.
package typealias ModelSetting = (key: String, text: String)

extension EntityDescription {
    /// The entity's settings, without its properties.
    package var settings: [ModelSetting] {
        json().settings(
            without: ["attributes", "relationships", "fetchedProperties", "propertyOrder"])
    }
}

extension PropertyDescription {
    /// The property's settings.
    package var settings: [ModelSetting] {
        switch self {
        case .attribute(let it): it.settings
        case .relationship(let it): it.json().settings()
        case .fetchedProperty(let it): it.json().settings()
        }
    }

    /// The property's settings in a line, as in a summary of the model.
    package var summary: String {
        switch self {
        case .attribute(let it): it.summary
        case .relationship(let it): it.summary
        case .fetchedProperty(let it): it.summary
        }
    }
}

extension AttributeDescription {
    /// The attribute's settings.
    package var settings: [ModelSetting] { json().settings() }
}

extension FetchRequestTemplate {
    /// The template's settings.
    package var settings: [ModelSetting] { json().settings() }
}

extension JSONValue {
    /// The members of an object as text, without the name and the given keys.
    fileprivate func settings(without keys: [String] = []) -> [ModelSetting] {
        guard case .object(let members) = self else { return [] }
        return members.filter { !(["name"] + Self.ofEditors + keys).contains($0.0) }
            .map { ($0.0, $0.1.compared(as: $0.0).plainText) }
    }

    /// The keys of what only the editor of a model file reads.
    private static let ofEditors = ["toolAttributes", "toolElements"]

    /// The value of a key without what is no difference between models: what only the editor
    /// reads, the order of user info, the name of a fetched property's request, and how a derivation
    /// is written.
    private func compared(as key: String) -> JSONValue {
        switch self {
        case .object(let members) where key == "userInfo":
            return .object(members.sorted { $0.0 < $1.0 })
        case .object(let members):
            let without = Self.ofEditors + (key == "fetchRequest" ? ["name"] : [])
            let rest = members.filter { !without.contains($0.0) }
            // An element of an index that has nothing else is its name.
            if rest.count == 1, rest[0].0 == "property" { return rest[0].1 }
            return .object(rest.map { ($0.0, $0.1.compared(as: $0.0)) })
        case .string(let text) where key == "derivation":
            return .string(Derivation.plainText(text))
        case .array(let elements): return .array(elements.map { $0.compared(as: key) })
        default: return self
        }
    }

    /// The value as text: a string without quotation marks unless it is empty or has spaces around
    /// it, anything else as JSON.
    private var plainText: String {
        if case .string(let text) = self, !text.isEmpty, text.first != " ", text.last != " " {
            return text
        }
        var writer = ByteWriter(capacity: 64)
        write(to: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
