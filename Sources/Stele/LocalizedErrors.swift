// The errors' sentences as `localizedDescription`, which alerts and logs of Swift programs show.

import protocol FoundationEssentials.LocalizedError
import SteleFiles
import SteleGraph
import SteleMigration
import SteleModel
import StelePersistence
import StelePredicates

extension ModelError: LocalizedError {
    /// The error as a sentence.
    public var errorDescription: String? { description }
}

extension ModelErrors: LocalizedError {
    /// The errors as sentences.
    public var errorDescription: String? { description }
}

extension TransformationError: LocalizedError {
    /// The error as a sentence.
    public var errorDescription: String? { description }
}

extension PredicateError: LocalizedError {
    /// The error as a sentence.
    public var errorDescription: String? { description }
}

extension StoreError: LocalizedError {
    /// The error as a sentence.
    public var errorDescription: String? { description }
}

extension MetadataError: LocalizedError {
    /// The error as a sentence.
    public var errorDescription: String? { description }
}

extension MigrationError: LocalizedError {
    /// The error as a sentence.
    public var errorDescription: String? { description }
}

extension ContextError: LocalizedError {
    /// The error as a sentence.
    public var errorDescription: String? { description }
}

extension ResultsError: LocalizedError {
    /// The error as a sentence.
    public var errorDescription: String? { description }
}

extension UndoError: LocalizedError {
    /// The error as a sentence.
    public var errorDescription: String? { description }
}

extension ValidationError: LocalizedError {
    /// The error as a sentence.
    public var errorDescription: String? { description }
}

extension ValidationErrors: LocalizedError {
    /// The errors as sentences.
    public var errorDescription: String? { description }
}

extension TypedObjectError: LocalizedError {
    /// The error as a sentence.
    public var errorDescription: String? { description }
}
