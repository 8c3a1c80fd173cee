// The errors that have a code of Core Data.

extension ErrorCode {
    package static let validation = ErrorCode(
        1550, name: "NSManagedObjectValidationError", status: 422, "The object is not valid",
        "A validation rule without a code of its own is broken, such as the range of a derived value, "
            + "or a rule that another program has made in the database, such as a trigger, a CHECK or "
            + "a unique index, also where it calls a function that only that program has.")
    package static let severalFailures = ErrorCode(
        1560, name: "NSValidationMultipleErrorsError", status: 422, "Several values are not valid",
        "`errors` has an entry for each.")
    package static let deniedDelete = ErrorCode(
        1600, name: "NSValidationRelationshipDeniedDeleteError", status: 409,
        "The delete rule denies it",
        "A relationship with the delete rule Deny still has destinations; delete or move them "
            + "first.")
    package static let conflict = ErrorCode(
        133020, name: "NSManagedObjectMergeError", status: 409,
        "The object was changed by another save",
        "`conflicts` has the keys that differ, with both values.")
    package static let constraint = ErrorCode(
        133021, name: "NSManagedObjectConstraintMergeError", status: 409,
        "Another object has these values",
        "The model requires the values of these attributes to be unique together, in the "
            + "store and among the objects of one save.")
    package static let incompleteSave = ErrorCode(
        134040, name: "NSPersistentStoreIncompleteSaveError", status: 500,
        "The save is in some stores and not in others",
        "It changed several stores, and one failed after another had committed; the message names "
            + "both. Read the objects again, and repeat what is missing.")
    static let incompatibleStore = ErrorCode(
        134100, name: "NSPersistentStoreIncompatibleVersionHashError", status: 500,
        "The store belongs to another model",
        "The store was made with a model that differs from this one.")
    package static let expiredToken = ErrorCode(
        134301, name: "NSPersistentHistoryTokenExpiredError", status: 410,
        "The history does not reach that far back",
        "The token is of another store, or the history after it was purged; start from now.")

    static let numbers: [ErrorCode] = [
        validation,
        severalFailures,
        ErrorCode(
            1570, name: "NSValidationMissingMandatoryPropertyError", status: 422,
            "A value is missing", "The property is not optional and has no value."),
        ErrorCode(
            1580, name: "NSValidationRelationshipLacksMinimumCountError", status: 422,
            "Too few objects", "The relationship has fewer destinations than the model requires."),
        ErrorCode(
            1590, name: "NSValidationRelationshipExceedsMaximumCountError", status: 422,
            "Too many objects", "The relationship has more destinations than the model allows."),
        deniedDelete,
        ErrorCode(
            1610, name: "NSValidationNumberTooLargeError", status: 422, "The number is too large",
            "It is above the attribute's maximum, or outside the range of its type."),
        ErrorCode(
            1620, name: "NSValidationNumberTooSmallError", status: 422, "The number is too small",
            "It is below the attribute's minimum, or outside the range of its type."),
        ErrorCode(
            1630, name: "NSValidationDateTooLateError", status: 422, "The date is too late",
            "It is after the attribute's maximum."),
        ErrorCode(
            1640, name: "NSValidationDateTooSoonError", status: 422, "The date is too soon",
            "It is before the attribute's minimum."),
        ErrorCode(
            1650, name: "NSValidationInvalidDateError", status: 422, "The date is not valid",
            "It is outside the range of dates."),
        ErrorCode(
            1660, name: "NSValidationStringTooLongError", status: 422, "The text is too long",
            "It has more characters than the model allows."),
        ErrorCode(
            1670, name: "NSValidationStringTooShortError", status: 422, "The text is too short",
            "It has fewer characters than the model requires."),
        ErrorCode(
            1680, name: "NSValidationStringPatternMatchingError", status: 422,
            "The text does not match",
            "The whole text must match the attribute's regular expression."),
        ErrorCode(
            1690, name: "NSValidationInvalidURIError", status: 422, "The URI is not valid",
            "The text cannot be read as a URI."),
        conflict, constraint, incompleteSave, incompatibleStore,
        ErrorCode(
            134180, name: "NSSQLiteError", status: 500, "The store failed",
            "The database library reported an error; the log has the reason."),
        expiredToken,
    ]
}
