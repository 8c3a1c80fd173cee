import SteleModel
import StelePredicates

/// Which store of a group has which entities and objects.
///
/// A family of entities is in one store or in several. Its keys tell the stores apart: the store at
/// the index i gives out keys from i × 2^40 on. So an object keeps its identity whichever stores
/// are opened beside its own, as long as their order stays.
struct GroupLayout: Sendable {
    /// The number of keys of a family that one store can give out.
    static let keysAStore: Int64 = 1 << 40

    let model: Model
    /// The indexes of the stores that have a family, by root entity.
    private let places: [[Int]]

    /// - Parameter models: the models of the stores, in their order.
    /// - Throws: `StoreError.invalid` where an entity is in no store, or where a relationship leads
    ///   from a store to objects that can only be in another one.
    init(_ model: Model, _ models: [Model]) throws(StoreError) {
        self.model = model
        let stored = models.map { Set($0.storedEntities.map(\.index)) }
        places = model.entities.map { entity in
            stored.indices.filter { stored[$0].contains(entity.root) }
        }
        for root in model.entities where root.parent == nil && places[root.index].isEmpty {
            throw .invalid(
                "no store has the entity \(root.name): add a store for a configuration that has it")
        }
        for relationship in model.relationships {
            let destination = model.destination(of: relationship)
            let (here, there) = (places[relationship.owner], places[destination.root])
            if Set(here).isDisjoint(with: there) {
                let owner = model.entities[relationship.owner].name
                throw .invalid(
                    "the relationship \(owner).\(relationship.name) leads to \(destination.name), "
                        + "which is in another store: put both entities in one configuration, or "
                        + "use a fetched property")
            }
        }
    }

    /// Whether any family is in several stores.
    var hasShared: Bool { places.contains { $0.count > 1 } }

    /// Returns the indexes of the stores that have objects of an entity's family.
    func places(of entity: Int) -> [Int] { places[model.entities[entity].root] }

    /// Returns the index of the only store that has an entity's family; nil where several have it.
    func onlyPlace(of entity: Int) -> Int? {
        let all = places(of: entity)
        return all.count == 1 ? all[0] : nil
    }

    /// Returns the index of the store that has a saved object, if it exists; nil for a key that no
    /// store gives out.
    func place(of id: ObjectID) -> Int? {
        guard places.indices.contains(id.root) else { return nil }
        let all = places[id.root]
        if all.count == 1 { return all[0] }
        let place = Int(clamping: id.key / Self.keysAStore)
        return all.contains(place) ? place : nil
    }

    /// Returns keys of a family by store.
    func divide(_ keys: [Int64], root: Int) -> [(place: Int, keys: [Int64])] {
        if let only = onlyPlace(of: root) { return [(only, keys)] }
        var found: [Int: [Int64]] = [:]
        for key in keys {
            if let place = place(of: ObjectID(root: root, key: key)) {
                found[place, default: []].append(key)
            }
        }
        return found.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// Returns the reservations by which a store begins to give out keys of its own.
    func reservations(of place: Int) -> [ObjectID] {
        guard place > 0 else { return [] }
        return model.entities.filter {
            $0.parent == nil && places[$0.index].count > 1 && places[$0.index].contains(place)
        }.map { ObjectID(root: $0.index, key: Int64(place) * Self.keysAStore) }
    }

    /// Checks that a store's keys of shared families are its own.
    /// - Throws: `StoreError.invalid` for others: of a store that was opened at another place.
    func check(_ store: any PersistentStore, at place: Int) throws(StoreError) {
        let reader = try store.reader()
        defer { reader.close() }
        for root in model.entities where root.parent == nil {
            guard places[root.index].count > 1, places[root.index].contains(place) else { continue }
            for isAscending in [true, false] {
                var request = FetchRequest(entity: root)
                request.sortDescriptors = [SortDescriptor(.key("_id"), ascending: isAscending)]
                request.fetchLimit = 1
                do throws(PredicateError) { request = try request.checked(in: model) } catch {
                    throw .predicate(error)
                }
                guard let row = try reader.fetch(request).first else { continue }
                if self.place(of: ObjectID(root: root.index, key: row.key)) == place { continue }
                let name = model.configuration.map { " of the configuration \($0)" } ?? ""
                throw .invalid(
                    "the store\(name) at place \(place + 1) has "
                        + "\(model.entities[row.entity].name) \(row.key), whose key belongs to "
                        + "another place, because the entity is in several stores: open the "
                        + "stores in the order in which they were created, or export the "
                        + "objects and import them with new ids")
            }
        }
    }
}
