import SteleModel
import StelePersistence
import StelePredicates

/// The values of an object in a batch request, by the names of attributes and to-one relationships.
/// A relationship takes an object or its ID.
public typealias BatchValues = [String: (any PredicateValue)?]

/// A request that `ManagedObjectContext.execute(_:)` carries out in the store, without objects in the
/// context.
///
/// Unlike Core Data's, the rules of the model hold: defaults, validation, delete rules, and
/// `awakeFromInsert`, `willSave` and the validation of classes. All objects are one transaction of the history, and are saved completely or not at
/// all. One part of them is in memory at a time.
public protocol BatchRequest {
    /// Carries the request out.
    /// - Throws: as `ManagedObjectContext.execute(_:)`.
    func run(_ run: BatchRun) throws -> BatchResult
}

/// What a batch request did (NSBatchDeleteResult and the like).
public struct BatchResult: Sendable, Hashable {
    /// The objects that were inserted, updated or deleted.
    public internal(set) var objectIDs: [ObjectID] = []
    /// Their number.
    public var count: Int { objectIDs.count }
}

/// Inserts objects (NSBatchInsertRequest).
public struct BatchInsertRequest: BatchRequest {
    private let entity: (ManagedObjectContext) throws -> Entity
    private let count: Int
    private let values: (Int) throws -> BatchValues

    /// Inserts an object for each element of a list.
    public init(entity: Entity, objects: [BatchValues]) {
        self.init(entity: entity, count: objects.count) { objects[$0] }
    }

    /// Inserts objects whose values a closure gives.
    /// - Parameters:
    ///   - entity: the entity of the objects.
    ///   - count: the number of objects.
    ///   - values: the values of the object with an index, from 0. It may be called for the same
    ///     index again.
    public init(entity: Entity, count: Int, values: @escaping (Int) throws -> BatchValues) {
        self.entity = { _ in entity }
        self.count = count
        self.values = values
    }

    /// Inserts an object of a class for each element of a list.
    public init<T: ManagedObject>(_ type: T.Type, objects: [BatchValues]) {
        self.init(type, count: objects.count) { objects[$0] }
    }

    /// Inserts objects of a class whose values a closure gives.
    /// - Parameters:
    ///   - type: the class of the objects.
    ///   - count: the number of objects.
    ///   - values: the values of the object with an index, from 0. It may be called for the same
    ///     index again.
    public init<T: ManagedObject>(
        _ type: T.Type, count: Int, values: @escaping (Int) throws -> BatchValues
    ) {
        entity = { try $0.entity(of: type) }
        self.count = count
        self.values = values
    }

    /// Carries the request out.
    /// - Throws: as `ManagedObjectContext.execute(_:)`.
    public func run(_ run: BatchRun) throws -> BatchResult {
        let entity = try entity(run.context)
        return try run.insert(entity, count: count) { object, index in
            try object.set(try values(index))
        }
    }
}

/// Sets values of all objects that match (NSBatchUpdateRequest).
public struct BatchUpdateRequest: BatchRequest {
    private let request: (ManagedObjectContext) throws -> FetchRequest
    /// The values to set (`propertiesToUpdate`).
    public var propertiesToUpdate: BatchValues
    /// Attributes whose new values are computed for each object, from its values before the update
    /// (an NSExpression in `propertiesToUpdate`), such as `goals + 1`.
    public var expressions: [String: Expression]

    /// Sets values of the objects of a fetch request. Its order, limit and offset decide which.
    public init(
        _ request: FetchRequest, propertiesToUpdate: BatchValues = [:],
        expressions: [String: Expression] = [:]
    ) {
        self.request = { _ in request }
        self.propertiesToUpdate = propertiesToUpdate
        self.expressions = expressions
    }

    /// Sets values of the objects of a typed fetch request.
    public init<T>(
        _ request: TypedFetchRequest<T>, propertiesToUpdate: BatchValues = [:],
        expressions: [String: Expression] = [:]
    ) {
        self.request = { request.request(of: try $0.entity(of: T.self)) }
        self.propertiesToUpdate = propertiesToUpdate
        self.expressions = expressions
    }

    /// Carries the request out.
    /// - Throws: as `ManagedObjectContext.execute(_:)`; `PredicateError` also for an expression
    ///   that does not fit the model.
    public func run(_ run: BatchRun) throws -> BatchResult {
        let request = try request(run.context)
        let computed = try expressions.map { key, expression in
            (key, try ComputedValue(expression, of: request.entity, in: run.context.model))
        }
        return try run.change(request, deletes: false) { context, objects in
            for object in objects {
                let values = try computed.map { ($0, try $1.value(for: object, in: context)) }
                try object.set(propertiesToUpdate)
                for (key, value) in values { try object.setValue(value, forKey: key) }
            }
        }
    }
}

/// A value that is computed for each object of an update.
private struct ComputedValue {
    private let evaluator: ExpressionEvaluator<PendingObject>

    init(_ expression: Expression, of entity: Entity, in model: Model) throws(PredicateError) {
        let check = PredicateCheck(model: model, entity: entity)
        let checked = try check.check(expression).0
        evaluator = try ExpressionEvaluator(checked, entity: entity, model: model)
    }

    func value(for object: ManagedObject, in context: ManagedObjectContext) throws -> Value {
        let view = PendingView(context)
        let value = try evaluator.evaluate(PendingObject(view: view, object: object)).value
        try view.check()
        return value
    }
}

/// Deletes all objects that match (NSBatchDeleteRequest).
public struct BatchDeleteRequest: BatchRequest {
    private let request: (ManagedObjectContext) throws -> FetchRequest

    /// Deletes the objects of a fetch request. Its order, limit and offset decide which.
    public init(_ request: FetchRequest) { self.request = { _ in request } }

    /// Deletes the objects of a typed fetch request.
    public init<T>(_ request: TypedFetchRequest<T>) {
        self.request = { request.request(of: try $0.entity(of: T.self)) }
    }

    /// Carries the request out.
    /// - Throws: as `ManagedObjectContext.execute(_:)`.
    public func run(_ run: BatchRun) throws -> BatchResult {
        try run.change(try request(run.context), deletes: true) { context, objects in
            for object in objects { try context.delete(object) }
        }
    }
}

extension ManagedObject {
    fileprivate func set(_ values: BatchValues) throws {
        for (key, value) in values {
            if let reference = value as? any ObjectReference {
                try setValue(.key(try destination(reference.referencedID, key)), forKey: key)
            } else {
                try setValue(value?.predicateValue ?? .null, forKey: key)
            }
        }
    }

    /// The key of a destination, which must be saved and of the relationship's entity.
    private func destination(_ id: ObjectID, _ key: String) throws -> Int64 {
        guard let context, let relationship = entity.relationship(named: key) else { return id.key }
        let asked = context.model.destination(of: relationship)
        guard !id.isTemporaryID, id.root == asked.root else {
            let given = context.model.entities[id.root].name
            throw ContextError.noDestination(
                relationship: key, asked: asked.name,
                given: id.isTemporaryID ? "one that is not saved" : "a \(given)")
        }
        return id.key
    }
}
