/// The sentences of validation errors.

import FoundationEssentials
import SteleModel
import StelePersistence

extension ValidationError {
    private init(
        _ kind: Kind, _ object: ManagedObject, _ property: String, _ value: Value, _ limit: Value,
        _ message: String, _ detail: String
    ) {
        self.init(
            kind, entity: object.entity, key: object.id.key, property: property, value: value,
            limit: limit, message: "\(property) \(message)",
            detail: "\(property) of \(object.entity.name) \(detail)")
    }

    static func missing(_ object: ManagedObject, _ property: String) -> ValidationError {
        ValidationError(
            .missingMandatoryProperty, object, property, .null, .null, "must have a value",
            "has no value, and the model asks for one")
    }

    static func wrongType(
        _ object: ManagedObject, _ slot: Int, _ value: Value, _ type: AttributeType
    ) -> ValidationError {
        let name = object.entity.slots[slot].name
        if case .date = value, type == .date {
            return ValidationError(
                .invalidDate, object, name, value, .null, "must be a date",
                "is a date that no store can keep: it is not a finite number of seconds")
        }
        return ValidationError(
            .invalid, object, name, value, .null, "must be \(type.name)",
            "is of the type \(type.name), and was given \(value.kindName)")
    }

    static func tooFew(
        _ object: ManagedObject, _ relationship: Relationship, count: Int, least: Int
    ) -> ValidationError {
        ValidationError(
            .relationshipLacksMinimumCount, object, relationship.name, .int(Int64(count)),
            .int(Int64(least)), "must have at least \(plural(least, "member"))",
            "has too few members: \(count), and the model asks for at least \(least)")
    }

    static func tooMany(
        _ object: ManagedObject, _ relationship: Relationship, count: Int, most: Int
    ) -> ValidationError {
        ValidationError(
            .relationshipExceedsMaximumCount, object, relationship.name, .int(Int64(count)),
            .int(Int64(most)), "can have at most \(plural(most, "member"))",
            "has too many members: \(count), and the model allows at most \(most)")
    }

    static func denied(
        _ object: ManagedObject, _ relationship: Relationship, _ other: Int64, _ entity: Entity
    ) -> ValidationError {
        ValidationError(
            .relationshipDeniedDelete, object, relationship.name, .key(other), .null,
            "must be empty before the object can be deleted",
            "still leads to \(ObjectID.name(entity.name, other)), and its delete rule is Deny")
    }

    static func tooLarge(
        _ object: ManagedObject, _ property: String, _ value: Value, most: Value
    ) -> ValidationError {
        ValidationError(
            .numberTooLarge, object, property, value, most, "must be at most \(number(most))",
            "is too large: \(number(value)), and the model allows at most \(number(most))")
    }

    static func tooSmall(
        _ object: ManagedObject, _ property: String, _ value: Value, least: Value
    ) -> ValidationError {
        ValidationError(
            .numberTooSmall, object, property, value, least, "must be at least \(number(least))",
            "is too small: \(number(value)), and the model asks for at least \(number(least))")
    }

    static func tooLate(
        _ object: ManagedObject, _ property: String, _ value: Double, latest: Double
    ) -> ValidationError {
        ValidationError(
            .dateTooLate, object, property, .date(value), .date(latest),
            "must not be later than \(moment(latest))",
            "is too late: \(moment(value)), and the model allows none after \(moment(latest))")
    }

    static func tooSoon(
        _ object: ManagedObject, _ property: String, _ value: Double, earliest: Double
    ) -> ValidationError {
        ValidationError(
            .dateTooSoon, object, property, .date(value), .date(earliest),
            "must not be earlier than \(moment(earliest))",
            "is too early: \(moment(value)), and the model allows none before \(moment(earliest))")
    }

    static func tooLong(
        _ object: ManagedObject, _ property: String, _ text: String, length: Int, most: Int
    ) -> ValidationError {
        ValidationError(
            .stringTooLong, object, property, .string(text), .int(Int64(most)),
            "can have at most \(plural(most, "character"))",
            "is too long: \(plural(length, "character")), and the model allows at most \(most)")
    }

    static func tooShort(
        _ object: ManagedObject, _ property: String, _ text: String, length: Int, least: Int
    ) -> ValidationError {
        ValidationError(
            .stringTooShort, object, property, .string(text), .int(Int64(least)),
            "must have at least \(plural(least, "character"))",
            "is too short: \(plural(length, "character")), and the model asks for at least \(least)"
        )
    }

    static func unmatched(
        _ object: ManagedObject, _ property: String, _ text: String, pattern: String,
        _ outcome: PatternMatch
    ) -> ValidationError {
        let reason =
            switch outcome {
            case .matches, .differs:
                "does not match the pattern that the model asks for: \(pattern)"
            case .tooSlow: "took too long to be matched with the model's pattern: \(pattern)"
            case .unreadable:
                "cannot be matched: the model's pattern is no regular expression: \(pattern)"
            }
        return ValidationError(
            .stringPatternMatching, object, property, .string(text), .string(pattern),
            "must match \(pattern)", reason)
    }

    static func invalidURI(
        _ object: ManagedObject, _ property: String, _ text: String
    ) -> ValidationError {
        ValidationError(
            .invalidURI, object, property, .string(text), .null, "must be a URI",
            "is no URI: what RFC 3986 does not allow must be percent-encoded")
    }
}

/// "1 character", "2 characters".
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

/// A date in seconds since 2001, as ISO 8601 in UTC.
private func moment(_ seconds: Double) -> String {
    Date(timeIntervalSinceReferenceDate: seconds).formatted(.iso8601)
}
