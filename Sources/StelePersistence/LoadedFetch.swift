import SteleModel
import StelePredicates
import SteleSystem

/// A fetch that is evaluated in memory, over all objects that it may need: for a request that a
/// store cannot evaluate itself. It has the meaning of the in-memory store.
package struct LoadedFetch {
    /// The most objects that are loaded, and the most bytes of them.
    package static let objects = 1_000_000
    private static let bytes = 1 << 30
    /// How many objects are read at a time.
    private static let step = 1_000

    private let view: InMemoryView
    private let request: FetchRequest
    private let limits: MatchLimits
    private let end: UInt64
    private let isWanted: () -> Bool

    /// Loads the objects of the request's family, and of all families that its expressions may lead
    /// to.
    /// - Parameters:
    ///   - reason: why they are loaded, for the error where they are too many.
    ///   - limits: those of MATCHES.
    ///   - isWanted: whether the result is still wanted.
    ///   - readers: the readers that have the objects of an entity.
    ///   - links: returns the members of a to-many relationship, by owner.
    /// - Throws: `.tooLarge` for more objects than `objects`, or more than 1 GiB of them; `.deadline`
    ///   where it takes too long or is not wanted; the errors of the readers.
    package init(
        _ request: FetchRequest, in model: Model, because reason: @autoclosure () -> String,
        matching limits: MatchLimits = .standard,
        while isWanted: @escaping () -> Bool = { true },
        from readers: (Entity) -> [any StoreReader],
        links: (Relationship, [Int64]) throws(StoreError) -> [Int64: [Int64]]
    ) throws(StoreError) {
        end = MonotonicClock.now &+ StatementTime.limit
        let names = request.names
        var (roots, toManys): (Set<Int>, [Relationship]) = ([], [])
        var next = [request.entity.root]
        if let source = request.source { next.append(model.entities[source.entity].root) }
        while let root = next.popLast() {
            guard roots.insert(root).inserted else { continue }
            for it in model.relationships
            where model.entities[it.owner].root == root && names.contains(it.name) {
                if it.isToMany { toManys.append(it) }
                next.append(model.destination(of: it).root)
            }
        }
        var families: [[Int64: Snapshot]] = Array(repeating: [:], count: model.entities.count)
        var room = (objects: Self.objects, bytes: Self.bytes)
        for root in roots {
            var all = FetchRequest(entity: model.entities[root])
            all.isChecked = true
            for reader in readers(all.entity) {
                let cursor = try reader.cursor(all)
                while case .objects(let rows) = try cursor.next(Self.step), !rows.isEmpty {
                    guard MonotonicClock.now < end, isWanted() else {
                        throw .deadline(seconds: Double(StatementTime.limit) / 1e9)
                    }
                    room.objects -= rows.count
                    guard room.objects >= 0 else {
                        throw .tooLarge("\(Self.objects) objects \(reason())")
                    }
                    for row in rows {
                        room.bytes -= row.values.reduce(64) {
                            $0 + MemoryLayout<Value>.stride + $1.bytesBeside
                        }
                        families[root][row.key] = row
                    }
                    guard room.bytes >= 0 else { throw .tooLarge("1 GiB of objects \(reason())") }
                }
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
        view = InMemoryView(contents)
        (self.request, self.limits, self.isWanted) = (request, limits, isWanted)
    }

    private var fetch: InMemoryFetch { fetch(request) }

    private func fetch(_ request: FetchRequest) -> InMemoryFetch {
        InMemoryFetch(view, request, matching: limits, until: end, while: isWanted)
    }

    /// As `StoreReader.fetch`.
    package func snapshots() throws(StoreError) -> [Snapshot] { try fetch.snapshots() }

    /// As `StoreReader.fetchRows`.
    package func rows() throws(StoreError) -> [[Value]] { try fetch.rows() }

    /// As `StoreReader.fetchedSnapshots`.
    package func fetchedSnapshots() throws(StoreError) -> [(owner: Int64, member: Snapshot)] {
        guard let source = request.source else { return [] }
        var found: [(owner: Int64, member: Snapshot)] = []
        for key in source.keys.sorted() {
            var one = request
            one.source = FetchSource(entity: source.entity, keys: [key])
            one.fetchLimit = request.fetchLimit.map { max(0, $0 - found.count) }
            found += try fetch(one).snapshots().map { (owner: key, member: $0) }
        }
        return found
    }

    /// As `StoreReader.count`.
    package func count() throws(StoreError) -> Int { try fetch.count() }

    /// As `StoreReader.position`.
    package func position(of key: Int64) throws(StoreError) -> [Value] {
        try fetch.position(of: key)
    }
}

extension FetchRequest {
    /// The keys of all key paths.
    fileprivate var names: Set<String> {
        var names: Set<String> = []
        func add(_ expression: Expression) {
            if case .keyPath(_, let path) = expression { names.formUnion(path) }
        }
        let expressions =
            propertiesToFetch.map(\.expression) + propertiesToGroupBy
            + sortDescriptors.map(\.expression)
        for expression in expressions { expression.visit(add) }
        for predicate in [predicate, havingPredicate] { predicate?.visit(add) }
        return names
    }
}
