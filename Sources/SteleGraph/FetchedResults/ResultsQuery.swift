/// What a result is of, and which changes can matter to it.

import SteleModel
import StelePredicates

/// A fetch request whose result is followed.
public struct ResultsQuery: Sendable {
    /// What is given of each row beside its place.
    public enum Content: Sendable {
        /// The object's own values.
        case object
        /// The object and what these paths of relationships lead to.
        case including([[Relationship]])
        /// Columns: these expressions, and what the paths lead to.
        case columns([Expression], including: [[Relationship]])
    }

    /// The request; with sections their key is the first that it is sorted by.
    public let request: FetchRequest
    /// Whether rows are in sections.
    public let hasSections: Bool
    /// The most rows to follow; more are an error.
    public let maximumRows: Int
    let model: Model
    let order: ResultOrder
    /// The relationships that decide which rows there are and where they stand.
    let places: RelationshipPaths
    /// The relationships whose objects are given with the rows.
    let contents: RelationshipPaths
    /// What is given of those objects.
    let farContent: FarContent
    /// The names of an object's properties that a row shows; nil for all slots.
    private let visible: Set<String>?
    /// Whether an object's own values are all that is given.
    let isObjectAlone: Bool
    /// The entities, as a set of indexes, of which a change can matter.
    private let entities: Set<Int>

    /// - Parameters:
    ///   - request: checked against the model, of objects and without a source; `after` does not
    ///     count.
    ///   - section: the checked expression whose value is a row's section. The rows are sorted by
    ///     it first, ascending where the request's own first key is another.
    public init(
        _ request: FetchRequest, section: Expression? = nil, content: Content = .object,
        maximumRows: Int = .max, model: Model
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
        self.request = request
        self.model = model
        self.maximumRows = maximumRows
        hasSections = section != nil
        order = ResultOrder(request.sortDescriptors)
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
        // A store has its own order of entities.
        let isByEntity = request.sortDescriptors.contains {
            Self.names(in: [$0.expression]).contains("_entity")
        }
        var names = Self.names(in: request.sortDescriptors.map(\.expression))
        request.predicate?.visitKeyPaths { names.formUnion($0) }
        isOfVersions = names.contains("_version")
        isOfRowsAlone = places.paths.isEmpty && !places.isUnbounded && !isByEntity
        var entities = Set(request.entity.subtree)
        for path in places.paths.union(contents.paths) {
            for index in path {
                entities.formUnion(model.destination(of: model.relationships[index]).subtree)
            }
        }
        self.entities = entities
    }

    /// The first name of every key path, as properties are called.
    private static func names(in expressions: [Expression]) -> Set<String> {
        var names = Set<String>()
        for expression in expressions {
            expression.visitKeyPaths { path in
                for end in path.indices { names.insert(path[...end].joined(separator: ".")) }
            }
        }
        return names
    }

    /// Whether no object but the row's own decides of it.
    let isOfRowsAlone: Bool

    /// Whether a version decides of a row; the version before a save is not kept.
    let isOfVersions: Bool

    /// Whether a change of an object of that entity can matter.
    func concerns(_ entity: Int) -> Bool {
        places.isUnbounded || contents.isUnbounded || entities.contains(entity)
    }

    /// Whether an object of that entity can be a row.
    public func isRow(_ entity: Int) -> Bool {
        request.includesSubentities
            ? request.entity.isKind(entity) : request.entity.index == entity
    }

    /// Whether a changed property shows in a row. A to-many does only where it is embedded or
    /// selected.
    func shows(_ name: String, isToMany: Bool) -> Bool {
        if let visible { return visible.contains(name) || visible.contains("_version") }
        guard isToMany else { return true }
        return contents.paths.contains { path in
            path.first.map { model.relationships[$0].name } == name
        }
    }

    /// The part of the result that is given, as ranks among all that match.
    var window: Range<Int> {
        let start = max(0, request.fetchOffset)
        guard let limit = request.fetchLimit else { return start..<Int.max }
        let (end, isTooFar) = start.addingReportingOverflow(max(0, limit))
        return start..<(isTooFar ? Int.max : end)
    }
}
