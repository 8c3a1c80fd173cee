/// Checks of key paths, and the aliases that they may be.

import SteleModel

extension PredicateCheck {
    func keyPath(
        _ operand: Expression, _ path: [String], _ scope: Scope
    ) throws(PredicateError) -> Typed {
        guard !path.isEmpty else { return try checked(operand, scope) }
        if case .evaluatedObject = operand {
            if !aliases.isEmpty, scope.variables.isEmpty,
                let alias = try alias(path, scope)
            {
                return alias
            }
            do throws(PredicateError) {
                return try resolved(.evaluatedObject, path, from: .object(entity.index))
            } catch {
                throw scope.variables.isEmpty ? hintingAliases(error, of: path) : error
            }
        }
        let base = try checked(operand, scope)
        if base.pending != nil {
            throw PredicateError(
                .type, "\(operand.description) is a value and has no key \(path[0])", near: path[0])
        }
        var result = try resolved(base.expression, path, from: base.type, isOrdered: base.isOrdered)
        result.isAggregate = base.isAggregate
        return result
    }

    /// Adds a hint to the error of an unknown key, which may be a misspelt alias.
    private func hintingAliases(_ error: PredicateError, of path: [String]) -> PredicateError {
        guard error.code == PredicateError.Code.unknownKey.rawValue, path.count == 1,
            !aliases.isEmpty
        else { return error }
        let names = aliases.keys.sorted()
        var hinted = error
        if let near = Nearest.hint(to: path[0], among: names) {
            hinted.hint = near
        } else if !error.isHinted {
            hinted.hint =
                "the columns of select are known here too: \(names.joined(separator: ", "))"
        }
        return hinted
    }

    /// Whether the entity has a property of that name.
    private func isProperty(_ path: [String]) -> Bool {
        path.first.map { entity.property(named: $0) != nil } ?? false
    }

    /// The checked expression that an alias stands for; nil for a name that is none here.
    ///
    /// Aggregates do not nest: in `average(age)`, `age` is the property even if a column is named
    /// `age:average(age)`.
    private func alias(_ path: [String], _ scope: Scope) throws(PredicateError) -> Typed? {
        let name = path.joined(separator: ".")
        guard let expression = aliases[name] else { return nil }
        var plain = self
        plain.aliases = [:]
        let typed: Typed
        if let known = scope.aliases.known[name] {
            typed = known.typed
            try PlanningWork.use(known.size)
        } else {
            var outer = scope
            outer.isInAggregate = false
            typed = try plain.checked(expression, outer)
            let size = typed.expression.planningSize
            scope.aliases.known[name] = (typed, size)
            try PlanningWork.use(size)
        }
        guard scope.isInAggregate, typed.isAggregate else { return typed }
        return isProperty(path) ? nil : try plain.checked(expression, scope)
    }

    private func resolved(
        _ base: Expression, _ path: [String], from type: ExpressionType, isOrdered: Bool = false
    ) throws(PredicateError) -> Typed {
        // Most key paths are a single attribute of the object itself.
        if path.count == 1, case .object(let index) = type,
            case .attribute(let attribute)? = model.entities[index].property(named: path[0]),
            !attribute.isComposite, !attribute.isTransient
        {
            return Typed(expression: .keyPath(base, path), type: ExpressionType(of: attribute))
        }
        var resolver = KeyPathResolver(model: model, path: path, from: type, of: base)
        let steps: [KeyPathStep]
        do throws(PredicateError) { steps = try resolver.steps() } catch {
            throw error.behind(base)
        }
        let keepsOrder = steps.allSatisfy {
            if case .toMany(let it) = $0 { it.isOrdered } else { true }
        }
        return Typed(
            expression: .keyPath(base, resolver.settledPath), type: resolver.type,
            idRoot: resolver.idRoot,
            isOrdered: keepsOrder && (isOrdered || type.kind != .collection))
    }
}

extension Expression {
    /// The size of the expression as `PlanningWork` counts it: an element of a list takes as long as
    /// some bytes of text, and all else about ten times that.
    fileprivate var planningSize: Int {
        var size = 0
        visit { if case .constant = $0 { size += 4 } else { size += 32 } }
        return size
    }
}
