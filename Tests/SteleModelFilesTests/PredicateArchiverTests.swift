// Predicates and expressions in archives: the framework's classes and keys.

import SteleModel
import SteleModelFiles
import StelePredicates
import TestSupport
import Testing

@Suite struct PredicateArchiverTests {
    /// The root object of an archive, its classes and its keys.
    private static func root(_ bytes: [UInt8]) throws -> (PropertyList, KeyedArchive) {
        let archive = try KeyedArchive(bytes)
        return (try #require(archive[archive.root]), archive)
    }

    private static func described(_ object: PropertyList, _ archive: KeyedArchive) -> String {
        let its = object["$class"]?.uid.flatMap { archive[$0] }
        let classes = its?["$classes"]?.array?.compactMap(\.string) ?? []
        let keys = (object.entries ?? []).map(\.key).filter { $0 != "$class" }.sorted()
        return
            (classes.dropLast().map { String($0.dropFirst(2)) }
            + keys.map { String($0.dropFirst(2)) }).joined(separator: " ")
    }

    /// The operators in Apple's own files are `==`, `<=`, `>=` and CONTAINS, with these keys.
    @Test(arguments: [
        (
            "a < 1",
            "ComparisonPredicateOperator PredicateOperator Modifier OperatorType Options Variant"
        ),
        (
            "a >= 1",
            "ComparisonPredicateOperator PredicateOperator Modifier OperatorType Options Variant"
        ),
        (
            "a == 1",
            "EqualityPredicateOperator PredicateOperator Modifier Negate OperatorType Options"
        ),
        (
            "a != 1",
            "EqualityPredicateOperator PredicateOperator Modifier Negate OperatorType Options"
        ),
        ("a CONTAINS 'x'", "InPredicateOperator PredicateOperator Flags Modifier OperatorType"),
        ("a IN {1, 2}", "InPredicateOperator PredicateOperator Flags Modifier OperatorType"),
        ("a BETWEEN {1, 2}", "BetweenPredicateOperator PredicateOperator Modifier OperatorType"),
        (
            "a BEGINSWITH[cd] 'x'",
            "SubstringPredicateOperator StringPredicateOperator PredicateOperator "
                + "Flags Modifier OperatorType Position"
        ),
        (
            "a MATCHES 'x'",
            "MatchingPredicateOperator StringPredicateOperator PredicateOperator "
                + "Flags Modifier OperatorType"
        ),
        (
            "a LIKE 'x'",
            "LikePredicateOperator MatchingPredicateOperator StringPredicateOperator "
                + "PredicateOperator Flags Modifier OperatorType"
        ),
    ])
    func anOperatorHasItsClassAndKeys(_ format: String, _ expected: String) throws {
        let bytes = try PredicateArchive.bytes(Predicate(format: format))
        let (comparison, archive) = try Self.root(bytes)
        let place = try #require(comparison["NSPredicateOperator"]?.uid)
        #expect(try Self.described(#require(archive[place]), archive) == expected)
    }

    @Test func optionsAndPositionsAreThoseOfTheComparison() throws {
        func fields(_ format: String) throws -> PropertyList {
            let bytes = try PredicateArchive.bytes(Predicate(format: format))
            let (comparison, archive) = try Self.root(bytes)
            return try #require(comparison["NSPredicateOperator"]?.uid.flatMap { archive[$0] })
        }
        let ends = try fields("a ENDSWITH[cd] 'x'")
        #expect(ends["NSFlags"] == 3)
        #expect(ends["NSPosition"] == 1)
        #expect(ends["NSOperatorType"] == 9)
        #expect(try fields("a BEGINSWITH 'x'")["NSPosition"] == 0)
        #expect(try fields("a != 1")["NSNegate"] == true)
        #expect(try fields("a >= 1")["NSVariant"] == 3)
        #expect(try fields("ANY a.b == 1")["NSModifier"] == 2)
        #expect(try fields("ALL a.b == 1")["NSModifier"] == 1)
    }

    @Test(arguments: [
        ("1", "ConstantValueExpression Expression ConstantValue ExpressionType"),
        ("SELF", "SelfExpression Expression ExpressionType"),
        ("$x", "VariableExpression Expression ExpressionType Variable"),
        (
            "a.b",
            "KeyPathExpression FunctionExpression Expression Arguments ExpressionType Operand "
                + "SelectorName"
        ),
        ("a + 1", "FunctionExpression Expression Arguments ExpressionType Operand SelectorName"),
        ("{1, a}", "AggregateExpression Expression Collection ExpressionType"),
        ("a UNION b", "SetExpression Expression ExpressionType LeftExpression RightExpression"),
        (
            "TERNARY(a > 1, 2, 3)",
            "TernaryExpression Expression ExpressionType FalseExpression Predicate TrueExpression"
        ),
        (
            "SUBQUERY(a, $x, $x.b > 1)",
            "SubqueryExpression Expression Expression ExpressionType Subpredicate Variable"
        ),
    ])
    func anExpressionHasItsClassAndKeys(_ format: String, _ expected: String) throws {
        let (object, archive) = try Self.root(
            PredicateArchive.bytes(try Expression(format: format)))
        #expect(Self.described(object, archive) == expected)
    }

    /// What is too deep for reading is not written.
    @Test func whatIsNestedTooDeeplyIsRefused() throws {
        func sum(_ count: Int) -> Expression {
            (0..<count).reduce(Expression.key("a")) { sum, _ in
                .function("add:to:", [sum, .constant(.int(1))])
            }
        }
        let written = try PredicateArchive.bytes(sum(80))
        #expect(try Expression(archive: written) == sum(80))
        let error = #expect(throws: ArchiveError.self) { try PredicateArchive.bytes(sum(120)) }
        #expect(error?.message == "is nested more than 90 deep")
    }
}
