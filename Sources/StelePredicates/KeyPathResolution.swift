/// Resolves the names of a key path against the model.

import SteleModel

/// A step of a key path.
package enum KeyPathStep: Sendable {
    case attribute(Attribute)
    case toOne(Relationship)
    case toMany(Relationship)
    /// `_id`.
    case id
    /// `_entity`.
    case entityName
    /// `_version`.
    case version
    /// A collection operator with its `@`, such as `@count`, `@sum` or `@unionOfObjects`.
    case collectionOperator(String)
}

/// Resolves key paths.
package enum KeyPathResolution {
    /// All collection operators.
    package static let operators = [
        "@count", "@sum", "@avg", "@min", "@max", "@unionOfObjects", "@distinctUnionOfObjects",
        "@unionOfArrays", "@distinctUnionOfArrays", "@distinctUnionOfSets",
    ]

    /// The steps of a key path from the objects of an entity.
    ///
    /// Collection operators are always last: `players.@sum.salary` and `players.salary.@sum` give
    /// the same steps.
    /// - Throws: `PredicateError` with code `predicate.unknown-key`, with the nearest key as a
    ///   hint, or `predicate.type` if a key follows a value or an operator has no operand.
    package static func resolve(
        _ path: [String], from entity: Entity, in model: Model
    ) throws(PredicateError) -> [KeyPathStep] {
        var resolver = KeyPathResolver(
            model: model, path: path, from: .object(entity.index), of: .evaluatedObject)
        return try resolver.steps()
    }

    /// The relationships of a key path such as `team.league`.
    ///
    /// - Throws: `PredicateError` with code `predicate.syntax` if the text is not a key path,
    ///   `predicate.unknown-key`, or `predicate.type` if a key is not a relationship.
    package static func relationships(
        _ keyPath: String, from entity: Entity, in model: Model
    ) throws(PredicateError) -> [Relationship] {
        guard case .keyPath(.evaluatedObject, let path) = try Expression(format: keyPath),
            !path.contains(where: { $0.utf8.first == UInt8(ascii: "@") })
        else {
            throw PredicateError(
                .syntax, "\(keyPath) is not a path of relationships, such as team.league",
                near: keyPath)
        }
        return try resolve(path, from: entity, in: model).map { (step) throws(PredicateError) in
            switch step {
            case .toOne(let it), .toMany(let it): return it
            default:
                throw PredicateError(
                    .type, "\(keyPath) leads to a value, not to an object", near: keyPath)
            }
        }
    }
}

/// Resolves one key path.
struct KeyPathResolver {
    /// What the path leads to so far.
    enum Place {
        case object(Entity)
        case value(ExpressionType, name: String)
        /// A composite attribute, which an element must follow.
        case composite(Attribute)
    }

    let model: Model
    let path: [String]
    private var place: Place
    /// Whether the path crosses a to-many relationship or begins at a collection.
    private(set) var isMany = false
    private var operators: [String] = []
    /// The number of keys that have been read, including the current one.
    private var seen = 0
    /// The path with an element of composites as one key, `address.city`. The entity finds the
    /// element by that name.
    private(set) var settledPath: [String] = []
    /// The root of the objects whose ids the path leads to, if it ends at `_id`.
    private(set) var idRoot: Int?

    /// Begins at the value of an operand, which has the given type.
    init(model: Model, path: [String], from type: ExpressionType, of operand: Expression) {
        self.model = model
        self.path = path
        var element = type
        while case .collection(let inner) = element {
            element = inner
            isMany = true
        }
        if case .object(let index) = element {
            place = .object(model.entities[index])
        } else {
            place = .value(element, name: operand.description)
        }
    }

    mutating func steps() throws(PredicateError) -> [KeyPathStep] {
        var steps: [KeyPathStep] = []
        steps.reserveCapacity(path.count)
        do throws(PredicateError) { try take(&steps) } catch {
            let taken = Expression.keyPath(.evaluatedObject, Array(path[..<seen]))
            var placed = error
            if path[..<seen].last == error.near { placed.keyPath = taken.description }
            throw placed
        }
        for name in operators {
            try checkOperand(of: name)
            steps.append(.collectionOperator(name))
        }
        return steps
    }

    private mutating func take(_ steps: inout [KeyPathStep]) throws(PredicateError) {
        for key in path {
            seen += 1
            if key.utf8.first == UInt8(ascii: "@") {
                try note(key)
                settledPath.append(key)
            } else if case .composite(let whole) = place {
                settledPath[settledPath.count - 1] += ".\(key)"
                if let attribute = try element(key, of: whole) { steps.append(attribute) }
            } else {
                settledPath.append(key)
                if let taken = try step(key) { steps.append(taken) }
            }
        }
        if case .composite(let whole) = place { throw Self.needsElement(whole) }
    }

    /// The type of the result.
    var type: ExpressionType {
        let element: ExpressionType =
            switch place {
            case .object(let entity): .object(entity.index)
            case .value(let type, _): type
            case .composite: .value(.composite)
            }
        guard isMany else { return element }
        guard let last = operators.last else { return .collection(element) }
        return Self.type(of: last, over: element)
    }

    static func type(of name: String, over element: ExpressionType) -> ExpressionType {
        switch name {
        case "@count": return .value(.integer64)
        case "@sum":
            guard case .value(let type) = element else { return element }
            if type.isInteger || type == .boolean { return .value(.integer64) }
            return .value(type == .decimal ? .decimal : .double)
        case "@avg": return .value(element == .value(.decimal) ? .decimal : .double)
        case "@min", "@max": return element
        default: return .collection(element)
        }
    }

    private static func isFinal(_ name: String) -> Bool {
        ["@count", "@sum", "@avg", "@min", "@max"].contains(name)
    }

    private mutating func note(_ name: String) throws(PredicateError) {
        guard KeyPathResolution.operators.contains(name) else {
            let near = Nearest.name(to: name, among: KeyPathResolution.operators)
            throw PredicateError(
                .unknownKey, "there is no collection operator \(name)", near: name,
                hint: near.map { "did you mean \($0)?" }
                    ?? (seen == 1 ? "a variable is written $\(name.dropFirst())" : nil))
        }
        guard isMany else {
            throw PredicateError(
                .type, "\(name) needs a to-many relationship before it", near: name,
                hint: seen > 1 ? ForeignWords.key(String(name.dropFirst()), of: before) : nil)
        }
        if let last = operators.last, Self.isFinal(last) {
            throw PredicateError(.type, "\(name) has no collection left after \(last)", near: name)
        }
        operators.append(name)
    }

    private func checkOperand(of name: String) throws(PredicateError) {
        if case .value(.encrypted, _) = place, name.hasPrefix("@distinct") {
            throw .encrypted(.keyPath(.evaluatedObject, path))
        }
        guard name != "@count", Self.isFinal(name) else { return }
        let isNumeric = name == "@sum" || name == "@avg"
        switch place {
        case .composite(let whole): throw Self.needsElement(whole)
        case .object(let entity):
            throw PredicateError(
                .type, "\(name) needs an attribute of \(entity.name)", near: name,
                hint: "write \(name).attribute")
        case .value(let type, let key):
            let fits =
                isNumeric
                ? [.number, .any].contains(type.kind)
                : ![.opaque, .encrypted, .binary].contains(type.kind)
            if fits { return }
            throw PredicateError(
                .type, "\(name) cannot be applied to \(key), which is \(type.noun)", near: key)
        }
    }

    /// - Returns: nil for a composite attribute, which is not a step of its own.
    private mutating func step(_ key: String) throws(PredicateError) -> KeyPathStep? {
        if operators.last == "@count" {
            throw PredicateError(.type, "@count is a number and has no key \(key)", near: key)
        }
        switch place {
        case .composite(let whole): return try element(key, of: whole)
        case .value(_, let name):
            throw PredicateError(
                .type, "\(name) is an attribute and has no key \(key)", near: key,
                hint: ForeignWords.key(key, of: before))
        case .object(let entity):
            return try step(key, of: entity)
        }
    }

    private mutating func step(
        _ key: String, of entity: Entity
    ) throws(PredicateError) -> KeyPathStep? {
        switch entity.property(named: key) {
        case .attribute(let attribute): return try step(attribute)
        case .relationship(let relationship):
            place = .object(model.destination(of: relationship))
            if relationship.isToMany {
                isMany = true
                return .toMany(relationship)
            }
            return .toOne(relationship)
        case .fetchedProperty:
            throw PredicateError(
                .notBuilt,
                "\(key) of \(entity.name) is a fetched property, which predicates "
                    + "cannot use", near: key)
        case .transientRelationship: throw Self.isTransient(key)
        case nil: break
        }
        switch key {
        case "_id":
            idRoot = entity.root
            place = .value(.value(.integer64), name: key)
            return .id
        case "_entity":
            place = .value(.value(.string), name: key)
            return .entityName
        case "_version":
            place = .value(.value(.integer64), name: key)
            return .version
        default: throw unknown(key, of: entity)
        }
    }

    private mutating func step(_ attribute: Attribute) throws(PredicateError) -> KeyPathStep? {
        if attribute.isTransient { throw Self.isTransient(attribute.name, near: attribute.key) }
        if attribute.isComposite {
            place = .composite(attribute)
            return nil
        }
        place = .value(ExpressionType(of: attribute), name: attribute.name)
        return .attribute(attribute)
    }

    private static func isTransient(_ name: String, near: String? = nil) -> PredicateError {
        PredicateError(
            .type, "\(name) is transient: stores do not keep it, so predicates cannot use it",
            near: near ?? name)
    }

    /// The step to an element of a composite attribute.
    private mutating func element(
        _ key: String, of whole: Attribute
    ) throws(PredicateError) -> KeyPathStep? {
        guard let attribute = whole.elements.first(where: { $0.key == key }) else {
            let near = Nearest.name(to: key, among: whole.elements.lazy.map(\.key))
            throw PredicateError(
                .unknownKey, "\(whole.name) has no attribute \(key)", near: key,
                hint: near.map { "did you mean \($0)?" })
        }
        return try step(attribute)
    }

    static func needsElement(_ whole: Attribute) -> PredicateError {
        PredicateError(
            .type, "\(whole.name) is a composite attribute: only its elements have values",
            near: whole.key,
            hint: whole.elements.first.map { "write \($0.name), or \(whole.name) == nil" })
    }

    private func unknown(_ key: String, of entity: Entity) -> PredicateError {
        let message = "\(entity.name) has no property \(key)"
        let below = model.family(of: entity).first { $0.property(named: key) != nil }
        if let below {
            return PredicateError(
                .unknownKey, message, near: key,
                hint: "\(key) is a property of its subentity \(below.name): query "
                    + "\(below.name) itself")
        }
        let own = entity.properties.map(\.name)
        var error = PredicateError(
            .unknownKey, message, near: key,
            hint: foreignHint(for: key, of: entity)
                ?? Nearest.hint(to: key, among: own + ["_id", "_entity", "_version"]))
        if !own.isEmpty {
            error.known =
                "its keys are \(own.prefix(12).joined(separator: ", "))\(own.count > 12 ? ", …" : "")"
        }
        return error
    }

    /// A hint for a key in the style of another language.
    private func foreignHint(for key: String, of entity: Entity) -> String? {
        // Column names of relational databases: `team_id` or `teamId`.
        if key.count > 2, key.lowercased().hasSuffix("id") {
            let name = String(key.dropLast(key.dropLast(2).last == "_" ? 3 : 2))
            if case .relationship = entity.property(named: name) { return "did you mean \(name)?" }
        }
        if seen == 1 { return ForeignWords.name(key) }
        if isMany { return ForeignWords.key(key, of: before, isMany: true) }
        return ForeignWords.sameOperator(as: key).map { "write \(before) \($0) …" }
    }

    /// The keys before the current one.
    private var before: String {
        Expression.keyPath(.evaluatedObject, Array(path[..<max(seen - 1, 0)])).description
    }
}
