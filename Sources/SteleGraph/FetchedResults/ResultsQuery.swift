import SteleModel
import StelePredicates

/// A fetch request whose result can be followed.
public struct ResultsQuery: Sendable {
    /// The content of a row.
    public enum Content: Sendable {
        /// The object's own values.
        case object
        /// The object and the objects at the end of these relationship paths.
        case including([[Relationship]])
        /// The values of these expressions, and the objects at the end of the paths.
        case columns([Expression], including: [[Relationship]])
    }

    /// The request. If the result has sections, the section key is the first sort key.
    public let request: FetchRequest
    /// The object whose members, or whose fetched property's objects, are the rows.
    public let owner: ResultsOwner?
    /// Whether the rows are in sections.
    public let hasSections: Bool
    /// The maximum number of rows. A result with more rows is an error.
    public let maximumRows: Int
    let model: Model
    let order: ResultOrder
    /// The relationships that affect which rows match and their order.
    let places: RelationshipPaths
    /// The relationships whose objects are part of the rows' content.
    let contents: RelationshipPaths
    /// The properties of related objects that rows show.
    let farContent: FarContent
    /// The names of the object's properties that a row shows; nil for all slots.
    private let visible: Set<String>?
    /// Whether the content is the object's own values alone.
    let isObjectAlone: Bool
    /// The indexes of the entities whose changes can affect the result.
    private let entities: Set<Int>

    /// Creates a query for a fetch request.
    /// - Parameters:
    ///   - request: a checked request for objects. `after` is ignored.
    ///   - owner: the object whose members, or whose fetched property's objects, are the rows; nil
    ///     for all objects that match.
    ///   - section: the checked expression whose value is the section of a row. It becomes the
    ///     first sort key, ascending unless it already is the request's first sort key. Nil for no
    ///     sections.
    ///   - content: the content of a row.
    ///   - maximumRows: the maximum number of rows. A result with more rows is an error.
    ///   - model: the model of the store.
    public init(
        _ request: FetchRequest, of owner: ResultsOwner? = nil, section: Expression? = nil,
        content: Content = .object, maximumRows: Int = .max, model: Model
    ) {
        var request = request
        request.after = nil
        request.propertiesToFetch = []
        if let section {
            let first = request.sortDescriptors.first
            if first?.expression != section || first?.options != [] {
                request.sortDescriptors.insert(SortDescriptor(section), at: 0)
            }
        }
        let isOrdered = owner?.relationship?.isOrdered == true
        if !isOrdered, let membership = owner?.membership(in: model) {
            request = request.and(membership)
            readsMembers = false
        } else {
            readsMembers = owner != nil
        }
        self.owner = owner
        self.request = request
        self.model = model
        self.maximumRows = maximumRows
        hasSections = section != nil
        order = ResultOrder(request.sortDescriptors, byPlace: isOrdered)
        places = RelationshipPaths(request, model, endsMatter: false)
        let (columns, whole): ([Expression], [[Relationship]])
        switch content {
        case .object:
            (visible, isObjectAlone) = (nil, true)
            (columns, whole) = ([], [])
        case .including(let paths):
            (visible, isObjectAlone) = (nil, paths.isEmpty)
            (columns, whole) = ([], paths)
        case .columns(let expressions, let paths):
            isObjectAlone = false
            (columns, whole) = (expressions, paths)
            visible = Self.names(in: expressions).union(paths.compactMap { $0.first?.name })
        }
        contents = RelationshipPaths(columns, including: whole, of: request.entity, model)
        farContent = FarContent(columns, including: whole, contents.paths, model)
        // Each store has its own order of entities.
        let isByEntity = request.sortDescriptors.contains {
            Self.names(in: [$0.expression]).contains("_entity")
        }
        var names = Self.names(in: request.sortDescriptors.map(\.expression))
        request.predicate?.visitKeyPaths { names.formUnion($0) }
        isOfVersions = names.contains("_version")
        let isSeenByRule = owner?.isSeenByRule == true
        isReadWhole = places.isUnbounded || readsMembers || isSeenByRule
        isOfRowsAlone = places.paths.isEmpty && !isReadWhole && !isByEntity
        isOfAllEntities = places.isUnbounded || contents.isUnbounded || isSeenByRule
        var entities = Set(request.entity.subtree).union(owner?.entity.subtree ?? 0..<0)
        for path in places.paths.union(contents.paths) {
            for index in path {
                entities.formUnion(model.destination(of: model.relationships[index]).subtree)
            }
        }
        self.entities = entities
    }

    /// The checked expression of a section key path.
    /// - Throws: `PredicateError` if it is none.
    static func section(
        _ keyPath: String?, of entity: Entity, in model: Model
    ) throws(PredicateError) -> Expression? {
        guard let keyPath else { return nil }
        let check = PredicateCheck(model: model, entity: entity)
        return try SortList(keyPath).checked(by: check).first?.expression
    }

    /// The names of all key paths and of their prefixes.
    private static func names(in expressions: [Expression]) -> Set<String> {
        var names = Set<String>()
        for expression in expressions {
            expression.visitKeyPaths { path in
                for end in path.indices { names.insert(path[...end].joined(separator: ".")) }
            }
        }
        return names
    }

    /// Whether a row depends on no object other than its own.
    let isOfRowsAlone: Bool

    /// Whether a row depends on its object's version. The history does not keep old versions.
    let isOfVersions: Bool

    /// Whether all rows have to be read again after a save that concerns the result.
    let isReadWhole: Bool

    /// Whether the rows are known by the owner alone, which names them.
    let readsMembers: Bool

    /// Whether a change of any object can affect the result.
    private let isOfAllEntities: Bool

    /// Whether a change of an object of the entity can affect the result.
    func concerns(_ entity: Int) -> Bool { isOfAllEntities || entities.contains(entity) }

    /// Whether an object of the entity can be a row.
    public func isRow(_ entity: Int) -> Bool {
        request.includesSubentities
            ? request.entity.isKind(entity) : request.entity.index == entity
    }

    /// Whether a change of the property updates a row. A to-many relationship does only if it is
    /// included or selected.
    func shows(_ name: String, isToMany: Bool) -> Bool {
        if let visible { return visible.contains(name) || visible.contains("_version") }
        guard isToMany else { return true }
        return contents.paths.contains { path in
            path.first.map { model.relationships[$0].name } == name
        }
    }

    /// The range of rows selected by the offset and the limit, as ranks among all matching rows.
    var window: Range<Int> {
        let start = max(0, request.fetchOffset)
        guard let limit = request.fetchLimit else { return start..<Int.max }
        let (end, isTooFar) = start.addingReportingOverflow(max(0, limit))
        return start..<(isTooFar ? Int.max : end)
    }
}
