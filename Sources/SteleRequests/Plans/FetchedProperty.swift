/// A fetched property of the model, checked.

import SteleModel
import StelePredicates

/// A fetched property (NSFetchedPropertyDescription) of one entity.
package struct FetchedProperty: Sendable {
    package let name: String
    /// The number of the property in its family. It is negative: relationships have the others.
    package let index: Int
    /// The fetch, without the objects that `$FETCH_SOURCE` stands for.
    package let request: FetchRequest
    /// The maximum number of objects for each owner; nil if there is none.
    package let limit: Int?
    private let owner: Int

    /// - Throws: `PredicateError` and `Problem` for a mistake in the model.
    init(
        _ declared: FetchedPropertyDescription, of entity: Entity, _ model: Model
    ) throws {
        name = declared.name
        owner = entity.index
        index = Self.index(of: name, entity, model)
        limit = declared.request.fetchLimit > 0 ? declared.request.fetchLimit : nil
        let place = "the fetched property \(entity.name).\(declared.name)"
        guard let destination = model.entity(named: declared.request.entityName) else {
            throw Problem(
                .entity, "\(place) fetches \(declared.request.entityName), which is not an entity")
        }
        var request = FetchRequest(entity: destination)
        if let text = declared.request.predicateFormat, !text.isEmpty {
            do {
                let parsed = try Predicate(format: text).filled(for: declared)
                let names = Names(
                    model: model, entity: destination, variables: [], storeIdentifiers: [])
                request.predicate = try names.fetched(parsed, source: entity)
            } catch var error as PredicateError {
                error = error.located(in: text)
                error.message = "\(place) of the model: \(error.message)"
                throw error
            }
        }
        self.request = request
    }

    /// The number of a property, the same for the entity that declares it and all below.
    package static func index(of name: String, _ entity: Entity, _ model: Model) -> Int {
        let owner = model.entity(sharing: [name], of: entity)
        let place = owner.properties.firstIndex { $0.name == name } ?? 0
        return -1 - (owner.index << 16 | place)
    }

    package func request(for owners: [Int64]) -> FetchRequest {
        var request = request
        request.source = FetchSource(entity: owner, keys: owners)
        request.isChecked = true
        return request
    }
}
