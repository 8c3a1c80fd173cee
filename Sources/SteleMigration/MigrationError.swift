/// The reasons why a store is not migrated.

/// A migration that cannot be planned, or that fails, with a code of Core Data.
public struct MigrationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The codes of the domain NSCocoaErrorDomain that migrations use.
    public enum Code: Int, Sendable, Hashable {
        /// A migration failed on the data (NSMigrationError).
        case migration = 134110
        /// The data violates a uniqueness constraint (NSMigrationConstraintViolationError).
        case constraintViolation = 134111
        /// No known model is the one that the store was made with
        /// (NSMigrationMissingSourceModelError).
        case missingSourceModel = 134130
        /// There is no way from one model to the other (NSMigrationMissingMappingModelError).
        case missingMappingModel = 134140
        /// A migration policy failed (NSEntityMigrationPolicyError).
        case entityMigrationPolicy = 134170
        /// No mapping can be inferred between two models (NSInferredMappingModelError).
        case inferredMappingModel = 134190
        /// A stage refers to a model that does not exist
        /// (NSManagedObjectModelReferenceNotFoundError).
        case modelReferenceNotFound = 134504
        /// The store lacks the checksum that staged migration needs
        /// (NSStagedMigrationFrameworkVersionMismatchError).
        case stagedFrameworkVersionMismatch = 134505
        /// The stages lead back to an older version (NSStagedMigrationBackwardMigrationError).
        case stagedBackwardMigration = 134506
    }

    /// Core Data's code.
    public var code: Code
    /// What cannot be done, or has failed.
    public var message: String
    /// Every reason, in a fixed order; empty if the message says it all.
    public var reasons: [String]
    /// The way out; nil if none is known.
    public var hint: String?

    /// Creates an error.
    public init(_ code: Code, _ message: String, reasons: [String] = [], hint: String? = nil) {
        self.code = code
        self.message = message
        self.reasons = reasons
        self.hint = hint
    }

    /// The error as a sentence; several reasons as a list.
    public var description: String {
        let ending = hint.map { " (\($0))" } ?? ""
        if reasons.isEmpty { return message + ending }
        if reasons.count == 1 { return "\(message): \(reasons[0])\(ending)" }
        return "\(message)\(ending):" + reasons.map { "\n  - \($0)" }.joined()
    }
}

extension MigrationError {
    /// Some objects have several links of a relationship that allows one for each object.
    /// - Parameters:
    ///   - relationship: its path, such as `Book.tags`.
    ///   - count: how many objects they are.
    package static func severalLinks(_ relationship: String, count: Int) -> MigrationError {
        MigrationError(
            .migration,
            "\(relationship) allows one link for each object, and \(count) "
                + "\(count == 1 ? "object has" : "objects have") several: change the data, or make "
                + "the relationship to-many with an inverse to-many")
    }
}
