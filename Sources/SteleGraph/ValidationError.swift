import SteleModel

/// A validation error of one property of an object, with Core Data's code and name.
public struct ValidationError: Error, Sendable, Hashable {
    /// Core Data's code, 1550 to 1690.
    public var code: Int
    /// The name of Core Data's code, such as `NSValidationStringTooShortError`.
    public var name: String
    /// The object's entity.
    public var entity: Entity
    /// The object's key; negative if the object is not saved yet.
    public var key: Int64
    /// The property's name, or nil if the error concerns the whole object.
    public var property: String?
    /// The invalid value; for code 1600, an object that prevents the deletion.
    public var value: Value
    /// The violated bound; null if there is none.
    public var limit: Value
    /// The message for users, such as "userId must have at least 3 characters".
    public var message: String
    /// The message for developers, such as "userId of Account is too short: 2 characters, and the
    /// model asks for at least 3".
    public var detail: String

    /// Creates an error with the code and the name of a kind.
    public init(
        _ kind: Kind, entity: Entity, key: Int64, property: String?, value: Value = .null,
        limit: Value = .null, message: String, detail: String
    ) {
        code = kind.rawValue
        name = kind.name
        self.entity = entity
        self.key = key
        self.property = property
        self.value = value
        self.limit = limit
        self.message = message
        self.detail = detail
    }

    /// Whether all properties are equal. Entities are compared by identity.
    public static func == (a: ValidationError, b: ValidationError) -> Bool {
        a.code == b.code && a.entity === b.entity && a.key == b.key && a.property == b.property
            && a.value == b.value && a.limit == b.limit && a.message == b.message
            && a.detail == b.detail
    }

    /// Hashes the code, the entity, the key and the property.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(entity.index)
        hasher.combine(key)
        hasher.combine(property)
    }
}

extension ValidationError {
    /// The validation error codes (NSCocoaErrorDomain).
    public enum Kind: Int, Sendable, Hashable, CaseIterable {
        /// A value that does not have the attribute's type, or an error of a subclass for which
        /// there is no other code.
        case invalid = 1550
        case missingMandatoryProperty = 1570
        case relationshipLacksMinimumCount = 1580
        case relationshipExceedsMaximumCount = 1590
        case relationshipDeniedDelete = 1600
        case numberTooLarge = 1610
        case numberTooSmall = 1620
        case dateTooLate = 1630
        case dateTooSoon = 1640
        case invalidDate = 1650
        case stringTooLong = 1660
        case stringTooShort = 1670
        case stringPatternMatching = 1680
        case invalidURI = 1690

        /// The name of Core Data's constant.
        public var name: String {
            switch self {
            case .invalid: "NSManagedObjectValidationError"
            case .missingMandatoryProperty: "NSValidationMissingMandatoryPropertyError"
            case .relationshipLacksMinimumCount: "NSValidationRelationshipLacksMinimumCountError"
            case .relationshipExceedsMaximumCount:
                "NSValidationRelationshipExceedsMaximumCountError"
            case .relationshipDeniedDelete: "NSValidationRelationshipDeniedDeleteError"
            case .numberTooLarge: "NSValidationNumberTooLargeError"
            case .numberTooSmall: "NSValidationNumberTooSmallError"
            case .dateTooLate: "NSValidationDateTooLateError"
            case .dateTooSoon: "NSValidationDateTooSoonError"
            case .invalidDate: "NSValidationInvalidDateError"
            case .stringTooLong: "NSValidationStringTooLongError"
            case .stringTooShort: "NSValidationStringTooShortError"
            case .stringPatternMatching: "NSValidationStringPatternMatchingError"
            case .invalidURI: "NSValidationInvalidURIError"
            }
        }
    }
}

/// All validation errors of one save; never empty. Several errors correspond to Core Data's code
/// 1560.
public struct ValidationErrors: Error, Sendable, Hashable {
    /// The errors, ordered by inserted objects, updated objects, counts, and denied deletions.
    public var errors: [ValidationError]

    /// Creates an error from several.
    /// - Parameter errors: at least one error.
    public init(_ errors: [ValidationError]) { self.errors = errors }

    /// The code of a single error, or 1560 for several (NSValidationMultipleErrorsError).
    public var code: Int { errors.count == 1 ? errors[0].code : 1560 }

    /// The name of a single error, or that of code 1560.
    public var name: String {
        errors.count == 1 ? errors[0].name : "NSValidationMultipleErrorsError"
    }
}

extension ValidationError: CustomStringConvertible {
    /// The object, if it is saved, and the message for developers.
    public var description: String { key > 0 ? "\(entity.name) \(key): \(detail)" : detail }
}

extension ValidationErrors: CustomStringConvertible {
    /// The error; of several their number and the first 20, each on a line.
    public var description: String {
        guard errors.count > 1 else { return errors.first?.description ?? "an object is not valid" }
        let rest = errors.count - Self.listed
        return
            (["\(errors.count) values are not valid:"]
            + errors.prefix(Self.listed).map { "- \($0)" }
            + (rest > 0 ? ["and \(rest) more"] : []))
            .joined(separator: "\n")
    }

    private static let listed = 20
}
