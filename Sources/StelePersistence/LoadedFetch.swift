import SteleModel
import StelePredicates
import SteleSystem

/// A fetch that is evaluated in memory, over all objects that it may need: for a request that a
/// store cannot evaluate itself. It has the meaning of the in-memory store.
package struct LoadedFetch {
    /// The most objects that are loaded.
    package static let objects = 1_000_000

    private let fetch: InMemoryFetch

    /// Loads the objects of the request's family, and of all families that its expressions may lead
    /// to.
    /// - Parameters:
    ///   - reason: why they are loaded, for the error where they are too many.
    ///   - limits: those of MATCHES.
    ///   - readers: the readers that have the objects of an entity.
    ///   - links: returns the members of a to-many relationship, by owner.
    /// - Throws: `.tooLarge` for more objects than `objects`; the errors of the readers.
    package init(
        _ request: FetchRequest, in model: Model, because reason: @autoclosure () -> String,
        matching limits: MatchLimits = .standard,
        from readers: (Entity) -> [any StoreReader],
        links: (Relationship, [Int64]) throws(StoreError) -> [Int64: [Int64]]
    ) throws(StoreError) {
        let text = request.words
        var (roots, toManys): (Set<Int>, [Relationship]) = ([], [])
        var next = [request.entity.root]
        if let source = request.source { next.append(model.entities[source.entity].root) }
        while let root = next.popLast() {
            guard roots.insert(root).inserted else { continue }
            for it in model.relationships
            where model.entities[it.owner].root == root && text.contains(it.name) {
                if it.isToMany { toManys.append(it) }
                next.append(model.destination(of: it).root)
            }
        }
        var families: [[Int64: Snapshot]] = Array(repeating: [:], count: model.entities.count)
        var room = Self.objects
        for root in roots {
            var all = FetchRequest(entity: model.entities[root])
            all.isChecked = true
            for reader in readers(all.entity) {
                room -= try reader.count(all)
                guard room >= 0 else { throw .tooLarge("\(Self.objects) objects \(reason())") }
                for row in try reader.fetch(all) { families[root][row.key] = row }
            }
        }
        var members: [InMemoryContents.Place: [Int64]] = [:]
        for it in toManys {
            let owners = families[model.entities[it.owner].root].values
                .filter { model.entities[it.owner].isKind($0.entity) }.map(\.key)
            for (owner, keys) in try links(it, owners) {
                members[.init(relationship: it.index, owner: owner)] = keys
            }
        }
        let contents = InMemoryContents(
            model: model, families: families, members: members,
            nextKeys: Array(repeating: 1, count: model.entities.count),
            metadata: StoreMetadata(model: model, generation: "", storeType: InMemoryStore.type))
        fetch = InMemoryFetch(
            InMemoryView(contents), request, matching: limits,
            until: MonotonicClock.now &+ StatementTime.limit)
    }

    /// As `StoreReader.fetch`.
    package func snapshots() throws(StoreError) -> [Snapshot] { try fetch.snapshots() }

    /// As `StoreReader.fetchRows`.
    package func rows() throws(StoreError) -> [[Value]] { try fetch.rows() }

    /// As `StoreReader.count`.
    package func count() throws(StoreError) -> Int { try fetch.count() }

    /// As `StoreReader.position`.
    package func position(of key: Int64) throws(StoreError) -> [Value] {
        try fetch.position(of: key)
    }
}

extension FetchRequest {
    /// The text of all expressions. A relationship that they use is named in it.
    fileprivate var words: String {
        let expressions =
            propertiesToFetch.map(\.expression) + propertiesToGroupBy
            + sortDescriptors.map(\.expression)
        let predicates = [predicate, havingPredicate].compactMap { $0 }
        return (expressions.map(\.description) + predicates.map(\.description))
            .joined(separator: " ")
    }
}
