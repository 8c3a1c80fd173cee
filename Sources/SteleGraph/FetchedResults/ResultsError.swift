import StelePersistence

/// An error of following a result, in addition to the store's errors.
public enum ResultsError: Error, Sendable, Equatable {
    /// More rows match than the query's maximum.
    case tooManyRows(maximum: Int)
    /// The object whose members, or whose fetched property's objects, are the rows is not there.
    case ownerDeleted(ObjectID)
}

extension ResultsError: CustomStringConvertible {
    /// The error as a sentence.
    public var description: String {
        switch self {
        case .tooManyRows(let maximum): "more than \(maximum) rows match, the query's maximum"
        case .ownerDeleted: "the object whose members are followed has been deleted"
        }
    }
}
