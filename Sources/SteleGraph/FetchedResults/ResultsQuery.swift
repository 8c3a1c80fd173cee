import SteleModel
import StelePersistence
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
    /// The paths of `places` and of `contents`.
    let placesTree, contentsTree: RelationshipTree
    /// The properties of related objects that rows show.
    let farContent: FarContent
    /// The names of the object's properties that a row shows; nil for all slots.
    private let visible: Set<String>?
    /// The names of the relationships that may lead to hidden objects; nil where all is visible.
    private let hidden: Set<String>?
    /// Whether a row may count as updated by what its readers do not see: by links to hidden objects
    /// and by their values.
    package let isOfHidden: Bool
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
    ///   - sight: what is visible to the role that reads the rows; nil for everything. The rules
    ///     are part of the request and of the columns already. Rows also change with what the
    ///     rules for the other objects that they show lead to.
    ///   - model: the model of the store.
    public init(
        _ request: FetchRequest, of owner: ResultsOwner? = nil, section: Expression? = nil,
        content: Content = .object, maximumRows: Int = .max, seenBy sight: Sight? = nil,
        model: Model
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
        let (columns, whole): ([Expression]?, [[Relationship]]) =
            switch content {
            case .object: (nil, [])
            case .including(let paths): (nil, paths)
            case .columns(let expressions, let paths): (expressions, paths)
            }
        let rules =
            sight.map {
                ShownRule.all(whole, seenBy: $0, rows: columns == nil ? request.entity : nil)
            } ?? []
        isObjectAlone = columns == nil && whole.isEmpty && rules.isEmpty
        var contents = RelationshipPaths(
            columns ?? [], including: whole, of: request.entity, model)
        visible = columns.map {
            Self.names(in: $0).union(contents.ownNames).union(whole.compactMap { $0.first?.name })
        }
        contents.add(rules)
        self.contents = contents
        placesTree = RelationshipTree(places.paths)
        contentsTree = RelationshipTree(contents.paths)
        farContent = FarContent(columns ?? [], including: whole, rules, contents.paths, model)
        // Each store has its own order of entities.
        let isByEntity = request.sortDescriptors.contains {
            Self.names(in: [$0.expression]).contains("_entity")
        }
        isOfVersions = places.ownNames.contains("_version")
        hidden = sight.map { Self.hidden(of: request.entity, $0) }
        let showsLinks =
            if let visible, let hidden { !visible.isDisjoint(with: hidden) } else { false }
        isOfHidden =
            sight.map { showsLinks || !rules.isEmpty || contents.leadsToHidden($0) } ?? false
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

    /// The names of the relationships of an entity and its subentities that may lead to hidden
    /// objects.
    private static func hidden(of entity: Entity, _ sight: Sight) -> Set<String> {
        var names = Set<String>()
        for property in sight.model.entities[entity.subtree].flatMap(\.properties) {
            if case .relationship(let it) = property,
                sight.rule(of: sight.model.destination(of: it)) != nil
            {
                names.insert(it.name)
            }
        }
        return names
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
    package let isOfRowsAlone: Bool

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

    /// Whether an update of a row may name the property. A name of a relationship that may lead to
    /// hidden objects would tell that one of them has changed.
    func mayName(_ property: String) -> Bool { hidden?.contains(property) != true }

    /// Whether a change of another object may name the relationship to it.
    var namesOthers: Bool { hidden == nil }

    /// The range of rows selected by the offset and the limit, as ranks among all matching rows.
    var window: Range<Int> {
        let start = max(0, request.fetchOffset)
        guard let limit = request.fetchLimit else { return start..<Int.max }
        let (end, isTooFar) = start.addingReportingOverflow(max(0, limit))
        return start..<(isTooFar ? Int.max : end)
    }
}
