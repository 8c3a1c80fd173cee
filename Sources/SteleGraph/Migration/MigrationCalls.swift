import SteleMigration
import SteleModel
import StelePersistence
import StelePredicates

/// The values of one object of a policy: those of its mapping's expressions, with calls of the
/// manager and the policy.
struct MigrationCalls {
    private let run: MigrationRun
    private let step: MigrationStep
    private let source: ManagedObject
    private let destination: ManagedObject
    private let object: MigrationSource

    init(
        _ run: MigrationRun, _ step: MigrationStep, _ source: ManagedObject,
        _ destination: ManagedObject
    ) {
        self.run = run
        self.step = step
        self.source = source
        self.destination = destination
        let row = source.snapshot
        let rows =
            run.rows
            ?? MigrationRows(
                [row], from: run.source, run.plan.source, keepsInfinite: false)
        object = MigrationSource(rows: rows, snapshot: row)
    }

    func failure(_ property: String, _ reason: String) -> MigrationError {
        run.failure(property, object, step, reason)
    }

    /// Returns the value of an attribute.
    func value(_ recipe: AttributeRecipe) throws -> Value {
        guard case .general(let expression) = recipe.source else {
            let value = try RowMaker.value(recipe, object, step, run)
            try object.rows.check()
            return value
        }
        let name = recipe.attribute.name
        guard case .value(let value) = try evaluate(expression, name) else {
            throw failure(name, "it is an attribute, and the value is an object")
        }
        return try run.fitted(value, recipe.attribute, object, step)
    }

    /// Returns the destinations of a relationship.
    func destinations(_ recipe: RelationshipRecipe) throws -> [ManagedObject] {
        guard case .general(let expression) = recipe.source else {
            return try run.destinations(recipe, object, step).compactMap {
                try run.objects.destination.existingObject(with: run.id($0))
            }
        }
        let found = try evaluate(expression, recipe.relationship.name)
        if case .value(let value) = found, !value.isNull {
            throw failure(
                recipe.relationship.name, "it is a relationship, and the value is a single value")
        }
        guard found.objects.allSatisfy({ $0.context === destination.context }) else {
            throw failure(
                recipe.relationship.name,
                "the objects are source objects: ask the manager for what was made of them")
        }
        return found.objects
    }

    // MARK: Expressions

    private func evaluate(_ expression: Expression, _ property: String) throws -> MigrationValue {
        switch expression {
        case .constant(let value): return .value(value)
        case .evaluatedObject: return .object(source)
        case .variable("destination"): return .object(destination)
        case .function("FETCH", let items): return try fetch(items, property)
        case .function(let name, let items):
            switch items.first {
            case .variable("manager")?:
                return try call(
                    name, try items.dropFirst().map { try evaluate($0, property) }, property)
            case .variable("entityPolicy")?:
                guard let policy = step.policy else { return .value(.null) }
                return try policy.perform(
                    name, with: try items.dropFirst().map { try evaluate($0, property) })
            default:
                return try plain(
                    .function(name, try items.map { try constant($0, property) }), property)
            }
        case .conditional(let condition, let yes, let no):
            let holds = Expression.conditional(
                condition, .constant(.bool(true)), .constant(.bool(false)))
            let isTrue = try plain(holds, property).value == .bool(true)
            return try evaluate(isTrue ? yes : no, property)
        case .keyPath(let base, let path) where isGeneral(base):
            switch try evaluate(base, property) {
            case .object(let object): return try follow(path, of: object, property)
            case .objects(let all): return try follow(path, ofAll: all, property)
            case .value(.null): return .value(.null)
            case .value:
                throw failure(
                    property, "\(path.joined(separator: ".")) is asked of a value, not of an object"
                )
            }
        default: return try plain(expression, property)
        }
    }

    private func isGeneral(_ expression: Expression) -> Bool {
        switch expression {
        case .variable: true
        case .function(_, let items): items.contains(where: isGeneral)
        case .keyPath(let base, _): isGeneral(base)
        case .conditional(_, let yes, let no): isGeneral(yes) || isGeneral(no)
        default: false
        }
    }

    /// Returns an operand of a function of the language: a constant where it has calls.
    private func constant(_ expression: Expression, _ property: String) throws -> Expression {
        guard isGeneral(expression) else { return expression }
        guard case .value(let value) = try evaluate(expression, property) else {
            throw failure(
                property,
                "an operand is a single value, and \(expression.description) gives objects")
        }
        return .constant(value)
    }

    private func call(
        _ name: String, _ arguments: [MigrationValue], _ property: String
    ) throws -> MigrationValue {
        guard arguments.count == 2, case .value(.string(let text)) = arguments[0] else {
            throw failure(property, "$manager has no function \(name) with these arguments")
        }
        let objects = arguments[1].objects
        switch name {
        case PropertyResolution.Call.byMapping:
            return .objects(try run.destinations(of: objects, by: text))
        case PropertyResolution.Call.byRelationship:
            return .objects(try run.destinations(of: objects, by: nil))
        case PropertyResolution.Call.sources:
            return .objects(try run.sources(of: objects, by: text))
        default: throw failure(property, "$manager has no function \(name)")
        }
    }

    /// Carries out `FETCH(FUNCTION($manager, 'fetchRequestForSourceEntityNamed:predicateString:',
    /// 'A', 'b'), $manager.sourceContext, NO)`, or counts with YES.
    private func fetch(_ items: [Expression], _ property: String) throws -> MigrationValue {
        guard items.count == 3,
            case .function(PropertyResolution.Call.request, let arguments) = items[0],
            arguments.count == 3, case .constant(.string(let name)) = arguments[1],
            case .constant(.string(let text)) = arguments[2],
            let entity = run.plan.source.entity(named: name)
        else { throw failure(property, "FETCH has no request for a source entity") }
        let context = run.objects.source
        var request = FetchRequest(entity: entity)
        do throws(PredicateError) { request.predicate = try Predicate(format: text) } catch {
            throw failure(property, error.message)
        }
        let counts = items[2] == .constant(.bool(true)) || items[2] == .constant(.int(1))
        return counts
            ? .value(.int(Int64(try context.count(request)))) : .objects(try context.fetch(request))
    }

    /// Evaluates an expression over the source object.
    private func plain(_ expression: Expression, _ property: String) throws -> MigrationValue {
        let model = run.plan.source
        let result: Evaluated<MigrationSource>
        do throws(PredicateError) {
            var check = PredicateCheck(model: model, entity: source.entity)
            check.joinsTexts = true
            let evaluator = try ExpressionEvaluator<MigrationSource>(
                check.check(expression).0, entity: source.entity, model: model)
            result = try evaluator.evaluate(object)
        } catch {
            throw failure(property, error.message)
        }
        try object.rows.check()
        let context = run.objects.source
        switch result {
        case .value(let value): return .value(value)
        case .object(let it): return .object(context.loader.object(from: it.snapshot))
        case .collection:
            var found: [MigrationSource] = []
            MigrationRun.collect(result, into: &found)
            return .objects(found.map { context.loader.object(from: $0.snapshot) })
        }
    }

    /// Follows a key path from an object of either context.
    private func follow(
        _ path: [String], of object: ManagedObject, _ property: String
    ) throws -> MigrationValue {
        guard let context = object.context else { throw ContextError.foreignObject }
        let view = PendingView(context)
        let result: Evaluated<PendingObject>
        do throws(PredicateError) {
            let check = PredicateCheck(model: context.model, entity: object.entity)
            let evaluator = try ExpressionEvaluator<PendingObject>(
                check.check(.keyPath(.evaluatedObject, path)).0, entity: object.entity,
                model: context.model)
            result = try evaluator.evaluate(PendingObject(view: view, object: object))
        } catch {
            throw failure(property, error.message)
        }
        try view.check()
        return Self.value(result)
    }

    /// Follows a key path from objects. Those that it leads to are returned each once.
    /// - Throws: `MigrationError` for values of several objects.
    private func follow(
        _ path: [String], ofAll objects: [ManagedObject], _ property: String
    ) throws -> MigrationValue {
        var found: [ManagedObject] = []
        for object in objects {
            let value = try follow(path, of: object, property)
            if case .value(let one) = value, !one.isNull {
                if objects.count == 1 { return value }
                throw failure(
                    property,
                    "\(path.joined(separator: ".")) is asked of \(objects.count) objects, and only "
                        + "one value fits")
            }
            found += value.objects
        }
        return found.isEmpty ? .value(.null) : .objects(MigrationRun.once(found))
    }

    private static func value(_ result: Evaluated<PendingObject>) -> MigrationValue {
        switch result {
        case .value(let value): .value(value)
        case .object(let it): .object(it.object)
        case .collection(let items): .objects(items.flatMap { value($0).objects })
        }
    }
}
