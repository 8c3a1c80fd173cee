import SteleJSON
import SteleModel
import StelePersistence

extension ValidationError {
    private init(
        _ kind: Kind, of object: ManagedObject, _ property: String, value: Value = .null,
        limit: Value = .null, message: String, detail: String
    ) {
        self.init(
            kind, entity: object.entity, key: object.objectID.key, property: property, value: value,
            limit: limit, message: "\(property) \(message)",
            detail: "\(property) of \(object.entity.name) \(detail)")
    }

    static func missing(_ object: ManagedObject, _ property: String) -> ValidationError {
        ValidationError(
            .missingMandatoryProperty, of: object, property, message: "must have a value",
            detail: "has no value, and the model asks for one")
    }

    static func wrongType(
        _ object: ManagedObject, slot: Int, value: Value, type: AttributeType
    ) -> ValidationError {
        let name = object.entity.slots[slot].name
        if case .date = value, type == .date {
            return ValidationError(
                .invalidDate, of: object, name, value: value,
                message: "must be a date",
                detail: "is a date beyond the years that it can have, 3e18 seconds from 2001")
        }
        return ValidationError(
            .invalid, of: object, name, value: value, message: "must be \(type.name)",
            detail: "is of the type \(type.name), and was given \(value.kindName)")
    }

    static func tooFew(
        _ object: ManagedObject, _ relationship: Relationship, count: Int, least: Int
    ) -> ValidationError {
        ValidationError(
            .relationshipLacksMinimumCount, of: object, relationship.name,
            value: .int(Int64(count)), limit: .int(Int64(least)),
            message: "must have at least \(plural(least, "member"))",
            detail: "has too few members: \(count), and the model asks for at least \(least)")
    }

    static func tooMany(
        _ object: ManagedObject, _ relationship: Relationship, count: Int, most: Int
    ) -> ValidationError {
        ValidationError(
            .relationshipExceedsMaximumCount, of: object, relationship.name,
            value: .int(Int64(count)), limit: .int(Int64(most)),
            message: "can have at most \(plural(most, "member"))",
            detail: "has too many members: \(count), and the model allows at most \(most)")
    }

    static func denied(
        _ object: ManagedObject, _ relationship: Relationship, by other: Int64, of entity: Entity
    ) -> ValidationError {
        ValidationError(
            .relationshipDeniedDelete, of: object, relationship.name, value: .key(other),
            message: "must be empty before the object can be deleted",
            detail:
                "still leads to \(ObjectID.name(entity.name, other)), and its delete rule is Deny")
    }

    static func tooLarge(
        _ object: ManagedObject, _ property: String, _ value: Value, most: Value
    ) -> ValidationError {
        ValidationError(
            .numberTooLarge, of: object, property, value: value, limit: most,
            message: "must be at most \(number(most))",
            detail: "is too large: \(number(value)), and the model allows at most \(number(most))")
    }

    static func tooSmall(
        _ object: ManagedObject, _ property: String, _ value: Value, least: Value
    ) -> ValidationError {
        ValidationError(
            .numberTooSmall, of: object, property, value: value, limit: least,
            message: "must be at least \(number(least))",
            detail:
                "is too small: \(number(value)), and the model asks for at least \(number(least))")
    }

    static func tooLate(
        _ object: ManagedObject, _ property: String, _ value: Double, latest: Double
    ) -> ValidationError {
        ValidationError(
            .dateTooLate, of: object, property, value: .date(value), limit: .date(latest),
            message: "must not be later than \(moment(latest))",
            detail:
                "is too late: \(moment(value)), and the model allows none after \(moment(latest))")
    }

    static func tooSoon(
        _ object: ManagedObject, _ property: String, _ value: Double, earliest: Double
    ) -> ValidationError {
        ValidationError(
            .dateTooSoon, of: object, property, value: .date(value), limit: .date(earliest),
            message: "must not be earlier than \(moment(earliest))",
            detail:
                "is too early: \(moment(value)), and the model allows none before "
                + "\(moment(earliest))"
        )
    }

    static func tooLong(
        _ object: ManagedObject, _ property: String, _ text: String, length: Int, most: Int
    ) -> ValidationError {
        ValidationError(
            .stringTooLong, of: object, property, value: .string(text), limit: .int(Int64(most)),
            message: "can have at most \(plural(most, "character"))",
            detail:
                "is too long: \(plural(length, "character")), and the model allows at most \(most)")
    }

    static func tooShort(
        _ object: ManagedObject, _ property: String, _ text: String, length: Int, least: Int
    ) -> ValidationError {
        ValidationError(
            .stringTooShort, of: object, property, value: .string(text), limit: .int(Int64(least)),
            message: "must have at least \(plural(least, "character"))",
            detail:
                "is too short: \(plural(length, "character")), and the model asks for at least "
                + "\(least)"
        )
    }

    static func unmatched(
        _ object: ManagedObject, _ property: String, _ text: String, pattern: String,
        outcome: PatternMatch
    ) -> ValidationError {
        let reason =
            switch outcome {
            case .matches, .differs:
                "does not match the pattern that the model asks for: \(pattern)"
            case .tooSlow: "took too long to be matched with the model's pattern: \(pattern)"
            case .unreadable:
                "cannot be matched: the model's pattern is not a regular expression: \(pattern)"
            }
        return ValidationError(
            .stringPatternMatching, of: object, property, value: .string(text),
            limit: .string(pattern),
            message: "must match \(pattern)",
            detail: reason)
    }

    static func invalidURI(
        _ object: ManagedObject, _ property: String, _ text: String
    ) -> ValidationError {
        ValidationError(
            .invalidURI, of: object, property, value: .string(text), message: "must be a URI",
            detail: "is not a URI: characters that RFC 3986 does not allow must be percent-encoded")
    }
}

private func plural(_ count: Int, _ word: String) -> String {
    count == 1 ? "1 \(word)" : "\(count) \(word)s"
}

private func number(_ value: Value) -> String {
    switch value {
    case .int(let it): "\(it)"
    case .double(let it) where it == it.rounded() && abs(it) < 1e15: "\(Int64(it))"
    case .double(let it): "\(it)"
    case .decimal(let it): "\(it)"
    default: "\(value)"
    }
}

private func moment(_ seconds: Double) -> String {
    ISO8601.shown(secondsSinceReferenceDate: seconds)
}

extension ManagedObject {
    /// An error of the rules of a class, for `validateForInsert`, `validateForUpdate` and
    /// `validateForDelete` to throw.
    /// - Parameters:
    ///   - message: for users, such as "a task must be due after today".
    ///   - property: the name of the property that it concerns; nil for the whole object.
    public final func validationError(
        _ message: String, property: String? = nil
    ) -> ValidationError {
        ValidationError(
            .invalid, entity: entity, key: objectID.key, property: property,
            value: property.flatMap { try? value(forKey: $0) } ?? .null, message: message,
            detail: message)
    }
}
