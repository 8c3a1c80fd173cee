import SteleJSON
import SteleModel
import StelePredicates

extension ManagedObject: CustomDebugStringConvertible {
    /// The object for a reader, which `print` shows as well unless a subclass has a description:
    /// `Player/p12 {goals: 17, name: "Amara Diallo", team: Team/p3}`.
    ///
    /// The name is that of `uriRepresentation()` without the store. Values that are null and
    /// to-many relationships are left out, long texts are cut, and nothing is read.
    public final var debugDescription: String {
        var marks: [String] = []
        if isInserted { marks.append("new") }
        if isDeleted { marks.append("deleted") }
        if isFault { marks.append("fault") }
        let name = Self.name(entity, objectID.key)
        let title = marks.isEmpty ? name : "\(name) (\(marks.joined(separator: ", ")))"
        if isFault { return title }
        let shown = zip(entity.slots, values).compactMap { slot, value in
            value.isNull ? nil : "\(slot.name): \(text(of: value, in: slot))"
        }
        return "\(title) {\(shown.sorted().joined(separator: ", "))}"
    }

    private static func name(_ entity: Entity, _ key: Int64) -> String {
        "\(entity.name)/\(key < 0 ? "t" : "p")\(key.magnitude)"
    }

    private func text(of value: Value, in slot: Property) -> String {
        switch value {
        case .key(let key):
            guard let relationship = entity.relationship(named: slot.name), let context else {
                return "p\(key)"
            }
            return Self.name(context.model.destination(of: relationship), key)
        case .data(let bytes): return "<\(bytes.count) bytes>"
        case .bool(let isTrue): return "\(isTrue)"
        case .uuid(let uuid): return uuid.uuidString
        case .string(let text)
        where text.utf8.count > Self.longestText && text.count > Self.longestText:
            return "\(Expression.constant(.string(String(text.prefix(Self.longestText)))))…"
        default: return value.shown
        }
    }

    /// The characters that are shown of a text.
    private static var longestText: Int { 100 }
}

extension Value {
    /// The value in a message: a date as answers have it, other values as in predicates.
    var shown: String {
        if case .date(let seconds) = self {
            return ISO8601.shown(secondsSinceReferenceDate: seconds)
        }
        return Expression.constant(self).description
    }
}
