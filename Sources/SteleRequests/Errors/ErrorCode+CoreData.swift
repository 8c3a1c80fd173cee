// The codes that Core Data has numbers for, as its documentation names them.

extension ErrorCode {
    package static let validation = ErrorCode(
        1550, "NSManagedObjectValidationError", 422, "The object is not valid",
        "A validation rule that has no code of its own does not hold.")
    package static let severalFailures = ErrorCode(
        1560, "NSValidationMultipleErrorsError", 422, "Several values are not valid",
        "`errors` has an entry for each.")
    package static let deniedDelete = ErrorCode(
        1600, "NSValidationRelationshipDeniedDeleteError", 409, "The delete rule denies it",
        "A relationship of the delete rule Deny has destinations still; delete or move them first.")
    package static let conflict = ErrorCode(
        133020, "NSManagedObjectMergeError", 409, "The object was changed by another save",
        "`conflicts` has the keys that differ, with both values.")
    package static let constraint = ErrorCode(
        133021, "NSManagedObjectConstraintMergeError", 409, "Another object has these values",
        "The model wants the values of these attributes to be unique together, in the store and "
            + "among the objects of one save.")
    static let incompatibleStore = ErrorCode(
        134100, "NSPersistentStoreIncompatibleVersionHashError", 500,
        "The store is of another model", "The store was made with a model that differs from this.")
    package static let expiredToken = ErrorCode(
        134301, "NSPersistentHistoryTokenExpiredError", 410,
        "The history does not reach back so far",
        "The token is of another store, or what came after it was purged; begin from now.")

    package static let numbers: [ErrorCode] = [
        validation,
        severalFailures,
        ErrorCode(
            1570, "NSValidationMissingMandatoryPropertyError", 422, "A value is missing",
            "The property is not optional and has no value."),
        ErrorCode(
            1580, "NSValidationRelationshipLacksMinimumCountError", 422, "Too few objects",
            "The relationship has fewer destinations than the model asks for."),
        ErrorCode(
            1590, "NSValidationRelationshipExceedsMaximumCountError", 422, "Too many objects",
            "The relationship has more destinations than the model allows."),
        deniedDelete,
        ErrorCode(
            1610, "NSValidationNumberTooLargeError", 422, "The number is too large",
            "It is above the attribute's maximum, or beyond its type."),
        ErrorCode(
            1620, "NSValidationNumberTooSmallError", 422, "The number is too small",
            "It is below the attribute's minimum, or beyond its type."),
        ErrorCode(
            1630, "NSValidationDateTooLateError", 422, "The date is too late",
            "It is after the attribute's maximum."),
        ErrorCode(
            1640, "NSValidationDateTooSoonError", 422, "The date is too soon",
            "It is before the attribute's minimum."),
        ErrorCode(
            1650, "NSValidationInvalidDateError", 422, "The date is not valid",
            "It is beyond what a date can be."),
        ErrorCode(
            1660, "NSValidationStringTooLongError", 422, "The text is too long",
            "It has more characters than the model allows."),
        ErrorCode(
            1670, "NSValidationStringTooShortError", 422, "The text is too short",
            "It has fewer characters than the model asks for."),
        ErrorCode(
            1680, "NSValidationStringPatternMatchingError", 422, "The text does not match",
            "It does not match the attribute's regular expression as a whole."),
        ErrorCode(
            1690, "NSValidationInvalidURIError", 422, "The URI is not valid",
            "The text cannot be read as a URI."),
        conflict, constraint, incompatibleStore,
        ErrorCode(
            134180, "NSSQLiteError", 500, "The store failed",
            "The store's library refused; the reason is in the log."),
        expiredToken,
    ]
}
