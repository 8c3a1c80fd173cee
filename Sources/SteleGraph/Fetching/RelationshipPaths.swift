import SteleModel
import StelePersistence
import StelePredicates

/// The relationship paths, from the fetched entity on, whose objects affect a request's result.
struct RelationshipPaths {
    private(set) var paths: Set<[Int]> = []
    /// Whether the result also depends on objects that no path describes. Any change may affect it.
    private(set) var isUnbounded = false
    /// The names of the evaluated object's own properties that are used, and the paths that begin
    /// with them. A variable may stand for the object: `SUBQUERY({SELF}, $s, $s.age > 20)`.
    private(set) var ownNames: Set<String> = []
    private let model: Model
    /// Whether a path that ends at an object depends on the object's values, not only on its
    /// identity.
    private var endsMatter = true
    /// Whether a path that ends at a to-many relationship depends on the members' values.
    private var manyEndsMatter = true

    /// An object that a name stands for: the evaluated object or a subquery's variable.
    private struct Place: Hashable {
        var entity: Entity
        var path: [Int]

        // A path that begins at one entity leads to one.
        static func == (a: Place, b: Place) -> Bool { a.path == b.path }
        func hash(into hasher: inout Hasher) { hasher.combine(path) }
    }

    /// The places of each name.
    private typealias Scope = [String: [Place]]

    /// The most places of an expression that are followed.
    private static let mostPlaces = 64

    init(_ request: FetchRequest, _ model: Model, endsMatter: Bool = true) {
        self.model = model
        self.endsMatter = endsMatter
        // The value of `$FETCH_SOURCE` may depend on any change.
        isUnbounded = request.source != nil
        let scope = ["SELF": [Place(entity: request.entity, path: [])]]
        if let predicate = request.predicate { visit(predicate, scope) }
        for key in request.sortDescriptors { visit(key.expression, scope) }
    }

    /// The paths of the columns that depend on more than an object's identity, and the paths of
    /// included objects.
    init(
        _ columns: [Expression], including whole: [[Relationship]], of entity: Entity,
        _ model: Model
    ) {
        self.model = model
        (endsMatter, manyEndsMatter) = (false, false)
        let scope = ["SELF": [Place(entity: entity, path: [])]]
        for column in columns { visit(column, scope) }
        for path in whole where !path.isEmpty { paths.insert(path.map(\.index)) }
    }

    /// Adds the paths by which rules decide whether the objects that rows show are visible.
    mutating func add(_ rules: [ShownRule]) {
        for it in rules {
            visit(it.rule, ["SELF": [Place(entity: it.entity, path: it.path)]])
        }
    }

    /// Whether the result may depend on objects that are not visible.
    func leadsToHidden(_ sight: Sight) -> Bool {
        isUnbounded
            || paths.joined().contains {
                sight.rule(of: model.destination(of: model.relationships[$0])) != nil
            }
    }

    private mutating func visit(_ predicate: Predicate, _ scope: Scope) {
        switch predicate {
        case .constant: break
        case .comparison(let it):
            visit(it.left, scope)
            visit(it.right, scope)
        case .and(let parts), .or(let parts): for part in parts { visit(part, scope) }
        case .not(let part): visit(part, scope)
        }
    }

    private mutating func visit(_ expression: Expression, _ scope: Scope) {
        switch expression {
        case .constant, .evaluatedObject, .variable: break
        case .keyPath(let operand, ["@count"]):
            if case .subquery = operand {
                visit(operand, scope)
            } else {
                _ = follow(expression, scope)
            }
        case .keyPath, .subquery, .conditional, .set, .index, .anyKey, .assignment:
            _ = follow(expression, scope)
        case .function(_, let items), .aggregate(let items):
            for item in items { visit(item, scope) }
        }
    }

    /// The places of an expression's object, or of a collection's elements: several where they may
    /// be of different paths, such as those of UNION; none for values. The relationships on the way
    /// are added to `paths`. If a place cannot be known, any change may matter.
    private mutating func follow(_ expression: Expression, _ scope: Scope) -> [Place] {
        switch expression {
        case .constant: return []
        case .evaluatedObject: return scope["SELF"] ?? unbounded()
        case .variable(let name): return scope["$" + name] ?? unbounded()
        case .keyPath(let operand, let names):
            let starts = follow(operand, scope)
            if starts.isEmpty, !names.allSatisfy(Self.isOperator) { return unbounded() }
            return starts.compactMap { follow(names, from: $0) }
        case .function(EachValue.function, let arguments):
            guard let each = EachValue(arguments) else { return unbounded() }
            var inner = scope
            inner["$" + each.variable] = follow(each.collection, scope)
            return follow(each.value, inner)
        case .function(_, let items), .aggregate(let items):
            return few(items.flatMap { follow($0, scope) })
        case .subquery(let collection, let variable, let predicate):
            let places = follow(collection, scope)
            var inner = scope
            inner["$" + variable] = places
            visit(predicate, inner)
            return places
        case .conditional(let condition, let a, let b):
            visit(condition, scope)
            return few(follow(a, scope) + follow(b, scope))
        case .set(_, let a, let b): return few(follow(a, scope) + follow(b, scope))
        case .index(let collection, let position):
            switch position {
            case .first, .last, .size: break
            case .at(let place): visit(place, scope)
            }
            return follow(collection, scope)
        case .anyKey, .assignment: return unbounded()
        }
    }

    private mutating func follow(_ names: [String], from start: Place) -> Place? {
        let keys = names.filter { !Self.isOperator($0) }
        guard let steps = try? KeyPathResolution.resolve(keys, from: start.entity, in: model) else {
            isUnbounded = true
            return nil
        }
        if start.path.isEmpty {
            for end in names.indices { ownNames.insert(names[...end].joined(separator: ".")) }
        }
        var place = start
        for step in steps {
            switch step {
            case .toOne(let it), .toMany(let it):
                place.path.append(it.index)
                place.entity = model.destination(of: it)
            case .attribute, .id, .entityName, .version, .collectionOperator: break
            }
        }
        var path = place.path
        // The identity of the last object is a link of the object before it.
        switch steps.last {
        case _ where keys.count < names.count: break
        case .toOne? where !endsMatter, .toMany? where !manyEndsMatter: path.removeLast()
        default: break
        }
        if !path.isEmpty { paths.insert(path) }
        return place
    }

    private mutating func unbounded() -> [Place] {
        isUnbounded = true
        return []
    }

    /// The places once each. SUBQUERYs of UNIONs in one another double them with each level.
    private mutating func few(_ places: [Place]) -> [Place] {
        if places.count < 2 { return places }
        var seen = Set<Place>()
        let different = places.filter { seen.insert($0).inserted }
        return different.count > Self.mostPlaces ? unbounded() : different
    }

    private static func isOperator(_ name: String) -> Bool { name.utf8.first == UInt8(ascii: "@") }
}
