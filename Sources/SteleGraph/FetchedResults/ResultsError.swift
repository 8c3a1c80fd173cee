import StelePersistence

/// An error of following a result, in addition to the store's errors.
public enum ResultsError: Error, Sendable, Equatable {
    /// More rows match than the query's maximum.
    case tooManyRows(maximum: Int)
    /// The object whose members, or whose fetched property's objects, are the rows is not there.
    case ownerDeleted(ObjectID)
}
