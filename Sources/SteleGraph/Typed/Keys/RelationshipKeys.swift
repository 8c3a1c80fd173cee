import StelePredicates

/// Keys that lead to related objects: those of a to-one or of a to-many relationship.
public protocol RelationshipKeys: Sendable {
    /// The key path of the relationship, such as `team.league`.
    var relationshipKeyPath: String { get }
}

extension ObjectKeys: RelationshipKeys {
    /// The key path of the to-one relationship; empty for the keys of the evaluated object.
    public var relationshipKeyPath: String { expression.joinedKeys }
}

extension ToManyKeys: RelationshipKeys {
    /// The key path of the to-many relationship.
    public var relationshipKeyPath: String { expression.joinedKeys }
}

extension Expression {
    fileprivate var joinedKeys: String {
        if case .keyPath(_, let keys) = self { keys.joined(separator: ".") } else { "" }
    }
}

extension TypedFetchRequest {
    /// Also reads the objects of relationships, with one query for each relationship of each path:
    /// `request.prefetch { [$0.team.league, $0.matches] }`. A path that goes on behind a to-many
    /// relationship is a text in `relationshipKeyPathsForPrefetching`.
    /// - Parameter paths: the relationships, which are added to those of the request.
    public mutating func prefetch(_ paths: (ObjectKeys<Result>) -> [any RelationshipKeys]) {
        relationshipKeyPathsForPrefetching += paths(ObjectKeys()).map(\.relationshipKeyPath)
            .filter { !$0.isEmpty }
    }
}
