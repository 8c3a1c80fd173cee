import SteleModel
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

    /// The object that a name stands for: the evaluated object or a subquery's variable.
    private struct Place {
        var entity: Entity
        var path: [Int]
    }

    init(_ request: FetchRequest, _ model: Model, endsMatter: Bool = true) {
        self.model = model
        self.endsMatter = endsMatter
        // The value of `$FETCH_SOURCE` may depend on any change.
        isUnbounded = request.source != nil
        let scope = ["SELF": Place(entity: request.entity, path: [])]
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
        let scope = ["SELF": Place(entity: entity, path: [])]
        for column in columns { visit(column, scope) }
        for path in whole where !path.isEmpty { paths.insert(path.map(\.index)) }
    }

    /// Adds the paths by which rules decide whether the objects that rows show are visible.
    mutating func add(_ rules: [ShownRule]) {
        for it in rules {
            visit(it.rule, ["SELF": Place(entity: it.entity, path: it.path)])
        }
    }

    private mutating func visit(_ predicate: Predicate, _ scope: [String: Place]) {
        switch predicate {
        case .constant: break
        case .comparison(let it):
            visit(it.left, scope)
            visit(it.right, scope)
        case .and(let parts), .or(let parts): for part in parts { visit(part, scope) }
        case .not(let part): visit(part, scope)
        }
    }

    private mutating func visit(_ expression: Expression, _ scope: [String: Place]) {
        switch expression {
        case .constant, .evaluatedObject, .variable, .anyKey: break
        case .keyPath(let operand, ["@count"]):
            if case .subquery = operand {
                visit(operand, scope)
            } else {
                _ = follow(expression, scope)
            }
        case .keyPath: _ = follow(expression, scope)
        case .function(_, let items), .aggregate(let items):
            for item in items { visit(item, scope) }
        case .subquery: _ = follow(expression, scope)
        case .conditional(let condition, let a, let b):
            visit(condition, scope)
            visit(a, scope)
            visit(b, scope)
        case .set(_, let a, let b):
            visit(a, scope)
            visit(b, scope)
        case .index(let base, let position):
            visit(base, scope)
            if case .at(let place) = position { visit(place, scope) }
        case .assignment: isUnbounded = true
        }
    }

    /// The place of an expression's object or of a collection's elements. The relationships on the
    /// way are added to `paths`. Nil if it cannot be resolved; then any change may matter.
    private mutating func follow(_ expression: Expression, _ scope: [String: Place]) -> Place? {
        var start: Place?
        var names: [String] = []
        switch expression {
        case .evaluatedObject: return scope["SELF"]
        case .variable(let name):
            if let place = scope["$" + name] { return place }
        case .aggregate(let items) where items.count == 1: return follow(items[0], scope)
        case .subquery(let collection, let variable, let predicate):
            guard let place = follow(collection, scope) else { return nil }
            var inner = scope
            inner["$" + variable] = place
            visit(predicate, inner)
            return place
        case .function(EachValue.function, let arguments):
            guard let each = EachValue(arguments), let place = follow(each.collection, scope) else {
                return nil
            }
            var inner = scope
            inner["$" + each.variable] = place
            guard case .conditional(let condition, let value, _) = each.value else {
                return follow(each.value, inner)
            }
            visit(condition, inner)
            return follow(value, inner)
        case .keyPath(let operand, let path):
            start = follow(operand, scope)
            names = path
        default: break
        }
        guard var place = start,
            let steps = try? KeyPathResolution.resolve(names, from: place.entity, in: model)
        else {
            isUnbounded = true
            return nil
        }
        if place.path.isEmpty {
            for end in names.indices { ownNames.insert(names[...end].joined(separator: ".")) }
        }
        for step in steps {
            switch step {
            case .toOne(let it), .toMany(let it):
                place.path.append(it.index)
                place.entity = model.destination(of: it)
            default: break
            }
        }
        var path = place.path
        // The identity of the last object is a link of the object before it.
        switch steps.last {
        case .toOne? where !endsMatter, .toMany? where !manyEndsMatter: path.removeLast()
        default: break
        }
        if !path.isEmpty { paths.insert(path) }
        return place
    }
}
