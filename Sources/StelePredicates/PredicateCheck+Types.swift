import SteleModel

extension PredicateCheck {
    /// The key paths, variables and constants of a checked predicate as they print, each once, in
    /// order, and with its type.
    ///
    /// - Throws: `PredicateError` if the predicate does not fit the model.
    package func types(
        in predicate: Predicate
    ) throws(PredicateError) -> [(text: String, type: ExpressionType)] {
        var list = TypeList(check: self)
        try list.add(predicate, Scope())
        return list.found
    }
}

/// Collects the types in a checked predicate.
private struct TypeList {
    let check: PredicateCheck
    var found: [(text: String, type: ExpressionType)] = []
    private var seen = Set<String>()

    init(check: PredicateCheck) { self.check = check }

    private mutating func note(_ expression: Expression, _ type: ExpressionType) {
        let text = expression.description
        if seen.insert(text).inserted { found.append((text, type)) }
    }

    mutating func add(
        _ predicate: Predicate, _ scope: PredicateCheck.Scope
    ) throws(PredicateError) {
        switch predicate {
        case .constant: break
        case .comparison(let it):
            try add(it.left, scope)
            try add(it.right, scope)
        case .and(let parts), .or(let parts): for part in parts { try add(part, scope) }
        case .not(let inner): try add(inner, scope)
        }
    }

    private mutating func add(
        _ expression: Expression, _ scope: PredicateCheck.Scope
    ) throws(PredicateError) {
        switch expression {
        case .constant(let value): note(expression, .init(of: value))
        case .evaluatedObject, .variable:
            note(expression, try check.checked(expression, scope).type)
        case .keyPath(let operand, _):
            switch operand {
            case .evaluatedObject, .variable: break
            default: try add(operand, scope)
            }
            note(expression, try check.checked(expression, scope).type)
        case .function(PredicateFunction.cast.rawValue, let arguments):
            if let operand = arguments.first { try add(operand, scope) }
            note(expression, try check.checked(expression, scope).type)
        case .function(_, let arguments), .aggregate(let arguments):
            for argument in arguments { try add(argument, scope) }
        case .subquery(let collection, let variable, let predicate):
            try add(collection, scope)
            guard case .collection(.object(let entity)) = try check.checked(collection, scope).type
            else { return }
            var inner = scope
            inner.variables.append((variable, entity))
            try add(predicate, inner)
        case .conditional(let predicate, let yes, let no):
            try add(predicate, scope)
            try add(yes, scope)
            try add(no, scope)
        case .set(_, let left, let right):
            try add(left, scope)
            try add(right, scope)
        case .index(let collection, let position):
            try add(collection, scope)
            if case .at(let index) = position { try add(index, scope) }
        case .anyKey: break
        case .assignment(_, let value): try add(value, scope)
        }
    }
}
