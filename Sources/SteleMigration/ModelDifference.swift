/// What differs between two models.

import SteleModel

/// The differences between two models: entities and properties that are added, removed, renamed or
/// changed. What only Xcode reads of the `model` element and the order in the files are not
/// compared.
public struct ModelDifference: Sendable, Hashable {
    /// A setting that differs.
    public struct Change: Sendable, Hashable {
        /// The setting's key in the JSON form of a model, such as `optional`.
        public var key: String
        /// The value before; nil if there was none.
        public var before: String?
        /// The value now; nil if there is none.
        public var after: String?
    }

    /// An element of a model that is added, removed, renamed or changed.
    public struct Element: Sendable, Hashable {
        /// The kind of an element.
        public enum Kind: String, Sendable, Hashable, CaseIterable {
            case entity, composite
            case fetchRequest = "fetch request"
            case configuration, attribute, relationship
            case fetchedProperty = "fetched property"
        }

        /// The kind of the element.
        public var kind: Kind
        /// The name before; nil if the element is added.
        public var before: String?
        /// The name now; nil if the element is removed.
        public var after: String?
        /// The settings of an element that is added or removed, in a line.
        public var summary = ""
        /// The settings that differ, in the order of the JSON form.
        public var changes: [Change] = []
        /// The properties of an entity or the attributes of a composite that differ. Those of a
        /// removed element are not listed.
        public var elements: [Element] = []

        /// Whether the element is in both models under different names.
        public var isRenamed: Bool { before != nil && after != nil && before != after }
    }

    /// The name of the model before.
    public var source: String
    /// The name of the model now.
    public var destination: String
    /// The settings of the model itself that differ.
    public var changes: [Change]
    /// The elements that differ, by kind; removed ones last.
    public var elements: [Element]

    /// Compares two models.
    public init(from source: Model, to destination: Model) {
        self.source = source.name
        self.destination = destination.name
        let (old, new) = (Declared(source), Declared(destination))
        changes = old.changes(to: new)
        elements = Declared.differences(old.parts, new.parts)
    }

    /// Whether the models are equal.
    public var isEmpty: Bool { changes.isEmpty && elements.isEmpty }

    /// The differences as lines: `+` is an addition, `-` a removal and `~` a change, with the
    /// settings below it.
    public var lines: [String] { changes.map(\.line) + elements.flatMap { $0.lines(indent: "") } }
}

extension ModelDifference.Change {
    /// The setting with both values in a line.
    fileprivate var line: String { "\(key): \(text(before)) → \(text(after))" }

    /// A value; the opposite of a truth value where there is none, otherwise `none`.
    private func text(_ value: String?) -> String {
        if let value { return value }
        switch before ?? after {
        case "true": return "false"
        case "false": return "true"
        default: return "none"
        }
    }
}

extension ModelDifference.Element {
    fileprivate func lines(indent: String) -> [String] {
        let details = summary.isEmpty ? "" : ": \(summary)"
        let inner = indent + "    "
        var lines: [String]
        switch (before, after) {
        case (let before?, let after?):
            let old = before == after ? "" : " (\(before) before)"
            lines = ["\(indent)~ \(kind.rawValue) \(after)\(old)"]
        case (_, let after?): lines = ["\(indent)+ \(kind.rawValue) \(after)\(details)"]
        default: lines = ["\(indent)- \(kind.rawValue) \(before ?? "")\(details)"]
        }
        lines += changes.map { inner + $0.line }
        return lines + elements.flatMap { $0.lines(indent: inner) }
    }
}
