import SteleModel
import StelePredicates

/// A fetch for the objects of a fetched property, with the source in one store and the result in
/// another. The values that the predicate reads of each source are put in its place.
struct GroupSource {
    private let reader: GroupReader
    private let request: FetchRequest
    private let source: FetchSource?

    init(_ reader: GroupReader, _ request: FetchRequest) {
        self.reader = reader
        self.request = request
        source = request.source
    }

    /// Returns the matching objects of each source object.
    func snapshots() throws(StoreError) -> [(owner: Int64, member: Snapshot)] {
        guard let source else { return [] }
        let paths = request.predicate.map(Self.paths) ?? []
        let values = try values(of: paths, source)
        var found: [(owner: Int64, member: Snapshot)] = []
        for (key, row) in values.sorted(by: { $0.key < $1.key }) {
            var its = request
            its.source = nil
            its.fetchLimit = request.fetchLimit.map { max(0, $0 - found.count) }
            if its.fetchLimit == 0 { break }
            its.predicate = request.predicate?.replacingVariables { name, path in
                guard name == FetchSource.variable, let place = paths.firstIndex(of: path) else {
                    return nil
                }
                return .constant(row[place])
            }
            // The predicate was checked with the types of the values.
            its.isChecked = true
            found += try reader.fetch(its).map { (owner: key, member: $0) }
        }
        return found
    }

    /// Returns the values at the paths for each source object that exists.
    private func values(
        of paths: [[String]], _ source: FetchSource
    ) throws(StoreError) -> [Int64: [Value]] {
        let entity = reader.model.entities[source.entity]
        var found: [Int64: [Value]] = [:]
        if paths.isEmpty {
            for row in try reader.snapshots(root: entity.root, keys: source.keys) {
                found[row.key] = []
            }
            return found
        }
        var columns = FetchRequest(entity: entity)
        columns.predicate = .isOne(of: source.keys)
        columns.propertiesToFetch = ([["_id"]] + paths).enumerated().map { place, path in
            ExpressionDescription(name: "\(place)", expression: .keyPath(.evaluatedObject, path))
        }
        do throws(PredicateError) { columns = try columns.checked(in: reader.model) } catch {
            throw .predicate(error)
        }
        for row in try reader.fetchRows(columns) {
            switch row.first {
            case .int(let key)?, .key(let key)?: found[key] = Array(row.dropFirst())
            default: continue
            }
        }
        return found
    }

    /// Returns the paths that a predicate follows from its source.
    static func paths(in predicate: Predicate) -> [[String]] {
        var paths: [[String]] = []
        _ = predicate.replacingVariables { name, path in
            if name == FetchSource.variable, !paths.contains(path) { paths.append(path) }
            return nil
        }
        return paths
    }

    /// Checks that a fetched property can be evaluated with its source in another store.
    /// - Throws: `StoreError.unsupported` for a path that is no value: a relationship, one through
    ///   a to-many, or a whole composite attribute.
    static func check(
        _ property: FetchedPropertyDescription, of entity: Entity, _ model: Model
    ) throws(StoreError) {
        guard let text = property.request.predicateFormat, !text.isEmpty,
            let predicate = try? Predicate(format: text)
        else { return }
        for path in paths(in: predicate) {
            if isValue(path, of: entity, model) { continue }
            let name = (["$FETCH_SOURCE"] + path).joined(separator: ".")
            throw .unsupported(
                "\(name) in the fetched property \(entity.name).\(property.name), whose objects "
                    + "are in another store: only attributes of the source and of its to-one "
                    + "relationships can be used")
        }
    }

    private static func isValue(_ path: [String], of entity: Entity, _ model: Model) -> Bool {
        var entity = entity
        for (place, name) in path.enumerated() {
            let isLast = place == path.count - 1
            switch entity.property(named: name) {
            case .relationship(let it)? where !it.isToMany && !isLast:
                entity = model.destination(of: it)
            case .attribute(var it)?:
                // The rest leads into a composite attribute, to one of its values.
                for name in path[(place + 1)...] {
                    guard let element = it.elements.first(where: { $0.key == name }) else {
                        return false
                    }
                    it = element
                }
                return !it.isComposite
            case nil where isLast: return ["_id", "_version", "_entity"].contains(name)
            default: return false
            }
        }
        return false
    }
}
