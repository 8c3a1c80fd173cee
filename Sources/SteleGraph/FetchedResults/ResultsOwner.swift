import SteleModel
import StelePersistence
import StelePredicates

/// The object that a result belongs to: the rows are the members of one of its relationships, or
/// the objects that one of its fetched properties gives. Without the owner there is no result.
public struct ResultsOwner: Sendable {
    /// The owner's ID.
    public let id: ObjectID
    /// The relationship whose members are the rows; nil for a fetched property, whose owner is the
    /// source of the request.
    public let relationship: Relationship?
    let entity: Entity
    /// The rule by which the owner is seen; nil if everyone sees it.
    private let rule: Predicate?

    /// Creates an owner.
    /// - Parameters:
    ///   - entity: an entity that the object is of.
    ///   - relationship: a to-many relationship of the entity; nil for a fetched property.
    ///   - sight: what is visible; nil for everything.
    package init(_ id: ObjectID, entity: Entity, relationship: Relationship?, sight: Sight? = nil) {
        self.id = id
        self.entity = entity
        self.relationship = relationship
        rule = sight?.rule(of: entity)
    }

    /// Whether a change of any object may hide the owner or show it.
    var isSeenByRule: Bool { rule != nil }

    /// The condition that the members fulfil by their to-one inverse; nil if they are known by the
    /// owner alone.
    func membership(in model: Model) -> Predicate? {
        guard let relationship, let inverse = model.toOneInverse(of: relationship) else {
            return nil
        }
        return .comparison(Comparison(.key(inverse.name), .equal, .constant(.key(id.key))))
    }

    /// The keys of the members, in their order, or of what the fetched property gives.
    /// - Parameter request: the request for the rows, whose source is the owner of a fetched
    ///   property.
    /// - Throws: `StoreError`.
    func members(
        _ request: FetchRequest, _ reader: any StoreReader
    ) throws(StoreError) -> [Int64] {
        if let relationship {
            return try reader.members(of: relationship, owners: [id.key])[id.key] ?? []
        }
        var all = FetchRequest(entity: request.entity)
        all.includesSubentities = request.includesSubentities
        all.predicate = request.predicate
        all.source = request.source
        all.isChecked = true
        return try reader.fetch(all).map(\.key)
    }

    /// The request for rows that are made of the members alone.
    /// - Parameter members: what `members` gives.
    func restricting(_ request: FetchRequest, to members: [Int64]) -> FetchRequest {
        var request = request
        if relationship == nil { (request.predicate, request.source) = (nil, nil) }
        return request.and(.isOne(of: members))
    }

    /// - Throws: `ResultsError.ownerDeleted` if one of the saves deletes the owner.
    func check(_ saves: some Sequence<HistoryTransaction>, in model: Model) throws(ResultsError) {
        let isDeleted = saves.contains { save in
            save.changes.contains { change in
                change.kind == .delete && change.key == id.key
                    && model.entities.indices.contains(change.entity)
                    && model.entities[change.entity].root == id.root
            }
        }
        if isDeleted { throw ResultsError.ownerDeleted(id) }
    }

    /// - Throws: `ResultsError.ownerDeleted` if the store does not have the owner, or it is not
    ///   seen; `StoreError`.
    func check(_ reader: any StoreReader) throws {
        var request = FetchRequest(entity: entity)
        request.predicate = rule
        request = request.and(.isOne(of: [id.key]))
        if try reader.count(request) == 0 { throw ResultsError.ownerDeleted(id) }
    }
}
