/// What validation finds, with Core Data's codes and names.

import SteleModel

/// One property of one object that is not valid.
public struct ValidationError: Error, Sendable, Hashable {
    /// Core Data's code: 1550 … 1690.
    public var code: Int
    /// Core Data's name of the code, such as `NSValidationStringTooShortError`.
    public var name: String
    /// The object's concrete entity.
    public var entity: Entity
    /// The object's key; negative for one that is not saved yet.
    public var key: Int64
    /// The property, or nil where the object as a whole is meant.
    public var property: String?
    /// The value that was refused; for 1600 a destination that is in the way.
    public var value: Value
    /// The bound that it broke; null where there is none.
    public var limit: Value
    /// For people: "userId must have at least 3 characters".
    public var message: String
    /// For developers: "userId of Account is too short: 2 characters, and the model asks for at
    /// least 3".
    public var detail: String

    /// An error of that kind; code and name follow from it.
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

    /// Whether all is alike, and the entity the very same.
    public static func == (a: ValidationError, b: ValidationError) -> Bool {
        a.code == b.code && a.entity === b.entity && a.key == b.key && a.property == b.property
            && a.value == b.value && a.limit == b.limit && a.message == b.message
            && a.detail == b.detail
    }

    /// Hashes what tells errors of one save apart.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(entity.index)
        hasher.combine(key)
        hasher.combine(property)
    }
}

extension ValidationError {
    /// The validation codes that Stele gives (NSCocoaErrorDomain).
    public enum Kind: Int, Sendable, Hashable, CaseIterable {
        /// A value of another type than its attribute's, and what a subclass finds wrong that no
        /// other code says.
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

        /// Core Data's constant.
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

/// All that validation found in one save; never empty. Several are Core Data's 1560.
public struct ValidationErrors: Error, Sendable, Hashable {
    /// In the order of new objects, changed ones, counts, and denied deletes.
    public var errors: [ValidationError]

    /// - Parameter errors: one at least.
    public init(_ errors: [ValidationError]) { self.errors = errors }

    /// The one error's code, or 1560 for several (NSValidationMultipleErrorsError).
    public var code: Int { errors.count == 1 ? errors[0].code : 1560 }

    /// The one error's name, or that of 1560.
    public var name: String {
        errors.count == 1 ? errors[0].name : "NSValidationMultipleErrorsError"
    }
}
