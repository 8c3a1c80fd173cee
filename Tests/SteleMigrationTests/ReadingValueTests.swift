// Value expressions, checked and evaluated on source objects.

import SteleMigration
import SteleModel
import StelePredicates
import Testing

/// An object without relationships.
private struct Row: EvaluatedObject {
    let entityIndex: Int
    let values: [String: Value]
    var key: Int64 { 1 }
    var version: Int64 { 1 }

    func value(of attribute: Attribute) -> Value { values[attribute.name] ?? .null }
    func toOne(_ relationship: Relationship) -> Row? { nil }
    func toMany(_ relationship: Relationship) -> [Row] { [] }
}

@Suite struct ReadingValueTests {
    private func value(_ text: String, _ values: [String: Value]) throws -> Value {
        let model = try Model(
            ManagedObjectModel(
                json: Array(
                    """
                    {"entities": [{"name": "Person", "attributes": [
                        {"name": "first", "type": "String"}, {"name": "last", "type": "String"},
                        {"name": "age", "type": "Integer 16"}]}]}
                    """.utf8), name: "Staff"))
        let person = try #require(model.entity(named: "Person"))
        let (checked, _) = try Expression(format: text).checkedAsValue(of: person, in: model)
        let evaluator = try ExpressionEvaluator<Row>(checked, entity: person, model: model)
        return try evaluator.evaluate(Row(entityIndex: person.index, values: values)).value
    }

    @Test func textsAreJoined() throws {
        let names: [String: Value] = ["first": .string("Ann"), "last": .string("Lee")]
        #expect(
            try value("$source.first + ' ' + $source.last", names) == .string("Ann Lee"))
        #expect(try value("uppercase($source.first + 'a')", names) == .string("ANNA"))
        #expect(try value("$source.first + $source.last", ["first": .string("Ann")]) == .null)
        #expect(try value("$source.age + 1", ["age": .int(3)]) == .int(4))
    }

    /// A text and a number are not joined without a word.
    @Test func aTextAndANumberAreNotJoined() {
        let error = #expect(throws: PredicateError.self) {
            try value("$source.first + $source.age", [:])
        }
        #expect(error?.message == "+ needs a number, and #first is text")
    }
}
