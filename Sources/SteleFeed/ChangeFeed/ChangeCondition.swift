/// The change feed's `where`: a predicate on the objects that a save has changed.

import SteleModel
import StelePersistence
import StelePredicates
import SteleRequests

/// A checked predicate for each entity of a filter.
///
/// It uses what the history keeps of an object: its attributes and the ids of its to-one
/// relationships. The history does not keep related objects as they were at the save, and a resumed
/// stream must send the same events as the first time.
package struct ChangeCondition: Sendable, Hashable {
    private struct Part: Sendable {
        package let entity: Entity
        package let predicate: Predicate
    }

    private let parts: [Part]
    /// The text as the client has sent it.
    let text: String
    /// Whether it may match texts against regular expressions.
    let hasPatterns: Bool
    /// The text with its variables. Two conditions are equal where their bytes are.
    private let key: [UInt8]

    package static func == (a: ChangeCondition, b: ChangeCondition) -> Bool { a.key == b.key }
    package func hash(into hasher: inout Hasher) { hasher.combine(key) }

    /// Reads and checks the predicate for each of the entities.
    /// - Throws: `Problem`, `PredicateError` with the place in the text.
    package init(
        _ text: String, variables: [(name: String, value: VariableValue)], entities: [Entity],
        model: Model, storeIdentifiers: [String] = []
    ) throws {
        self.text = text
        let read = try Excerpt(text, of: .where).predicate()
        hasPatterns = read.hasPatterns
        try ListCall.checkUse(of: variables, among: read.freeVariables)
        parts = try entities.map { entity in
            let names = Names(
                model: model, entity: entity, variables: variables,
                storeIdentifiers: storeIdentifiers)
            let predicate = try names.predicate(read, text: text)
            try predicate.visit { try Self.check($0, entity, model) }
            return Part(entity: entity, predicate: predicate)
        }
        var key = Array(text.utf8)
        for (name, value) in variables {
            key += [0] + Array(name.utf8) + [0] + Array(value.key.utf8)
        }
        self.key = key
    }

    /// Refuses expressions that the history cannot evaluate.
    private static func check(_ node: Expression, _ entity: Entity, _ model: Model) throws {
        switch node {
        case .function(let name, _):
            switch PredicateFunction(rawValue: name) {
            case .now, .random, .randomBelow:
                throw Problem(
                    .parameter,
                    "where: \(name)() has another value each time, but a resumed stream "
                        + "must repeat its events",
                    hint: "send the value: where=at > $since&var.since=2026-11-21T09:00:00Z")
            default: break
            }
        case .subquery: throw beyond("SUBQUERY")
        case .keyPath(.evaluatedObject, let path):
            let steps = try KeyPathResolution.resolve(path, from: entity, in: model)
            for (index, step) in steps.enumerated() {
                switch step {
                case .toMany: throw beyond(path.joined(separator: "."))
                case .toOne:
                    if index + 1 == steps.count { continue }
                    guard case .id = steps[index + 1] else {
                        throw beyond(path.joined(separator: "."))
                    }
                default: continue
                }
            }
        // Of values there are only totals.
        case .keyPath(_, let path) where path.contains { $0.utf8.first != UInt8(ascii: "@") }:
            throw beyond(path.joined(separator: "."))
        default: break
        }
    }

    private static func beyond(_ what: String) -> Problem {
        Problem(
            .parameter,
            "where: \(what.prefix(80)) leads to other objects, but the change feed "
                + "evaluates each object alone",
            hint: "compare its attributes, or the id of a to-one relationship: team == 3")
    }

    /// The evaluators by concrete entity. The first of the filter's entities that contains it
    /// decides.
    func evaluators(_ model: Model) -> [Int: PredicateEvaluator<RecordedObject>] {
        var made: [Int: PredicateEvaluator<RecordedObject>] = [:]
        for part in parts {
            guard
                let evaluator = try? PredicateEvaluator<RecordedObject>(
                    part.predicate, entity: part.entity, model: model)
            else { continue }
            for index in part.entity.subtree where made[index] == nil { made[index] = evaluator }
        }
        return made
    }
}

/// An object as the history has it, with the ids of related objects only.
package struct RecordedObject: EvaluatedObject {
    private let model: Model
    private let values: [Value]
    package let entityIndex: Int
    package let key: Int64
    package let version: Int64

    package init(_ snapshot: Snapshot, _ model: Model) {
        self.model = model
        values = snapshot.values
        entityIndex = snapshot.entity
        key = snapshot.key
        version = snapshot.version
    }

    /// A to-one relationship's destination.
    private init(_ model: Model, entity: Int, key: Int64) {
        self.model = model
        values = []
        entityIndex = entity
        self.key = key
        version = 0
    }

    package func value(of attribute: Attribute) -> Value {
        guard model.entities[attribute.owner].isKind(entityIndex),
            values.indices.contains(attribute.slot)
        else { return .null }
        return values[attribute.slot]
    }

    package func toOne(_ relationship: Relationship) -> RecordedObject? {
        guard model.entities[relationship.owner].isKind(entityIndex),
            values.indices.contains(relationship.slot),
            case .key(let key) = values[relationship.slot]
        else { return nil }
        return RecordedObject(model, entity: model.destination(of: relationship).index, key: key)
    }

    package func toMany(_ relationship: Relationship) -> [RecordedObject] { [] }
}
