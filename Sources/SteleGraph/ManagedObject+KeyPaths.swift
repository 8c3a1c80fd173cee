import SteleModel
import StelePredicates

/// What a key path leads to.
public enum KeyPathValue {
    /// The value of an attribute or of a collection operator; null for none.
    case value(Value)
    /// The destination of a to-one relationship.
    case object(ManagedObject)
    /// The members of a to-many relationship, or what the rest of the path gives for each of them.
    case collection([KeyPathValue])

    /// The value; null for an object and a collection.
    public var value: Value {
        if case .value(let value) = self { value } else { .null }
    }

    /// The object; nil for a value and a collection.
    public var object: ManagedObject? {
        if case .object(let object) = self { object } else { nil }
    }

    /// The values of a collection; a single value as a collection of itself.
    public var values: [Value] {
        switch self {
        case .value(let value): [value]
        case .object: []
        case .collection(let parts): parts.flatMap(\.values)
        }
    }

    /// The objects of a collection; a single object as a collection of itself.
    public var objects: [ManagedObject] {
        switch self {
        case .value: []
        case .object(let object): [object]
        case .collection(let parts): parts.flatMap(\.objects)
        }
    }

    fileprivate init(_ found: Evaluated<PendingObject>) {
        switch found {
        case .value(let value): self = .value(value)
        case .object(let object): self = .object(object.object)
        case .collection(let parts): self = .collection(parts.map(KeyPathValue.init))
        }
    }
}

extension ManagedObject {
    /// What a key path leads to from this object, with unsaved changes (`value(forKeyPath:)`).
    ///
    /// `team.name` follows relationships, `team.players` gives objects, `players.goals` a value of
    /// each. `players.@count`, `players.@sum.goals`, `@avg`, `@min`, `@max` and the other operators
    /// are those of the predicate language.
    /// - Throws: `PredicateError` for a path that does not fit the entity; `StoreError`,
    ///   `ContextError.foreignObject`.
    public final func value(forKeyPath path: String) throws -> KeyPathValue {
        try inContext { context in
            let check = PredicateCheck(model: context.model, entity: entity)
            let evaluator = try ExpressionEvaluator<PendingObject>(
                check.check(try Self.expression(path)).0, entity: entity, model: context.model)
            let view = PendingView(context)
            let found = try evaluator.evaluate(PendingObject(view: view, object: self))
            try view.check()
            return KeyPathValue(found)
        }
    }

    private static func expression(_ path: String) throws(PredicateError) -> Expression {
        if path.contains("@") { return try Expression(format: path) }
        // A key may be a word of the language.
        return .keyPath(path)
    }
}
