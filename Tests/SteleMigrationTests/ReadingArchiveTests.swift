// Archived expressions and predicates.

import SteleMigration
import SteleModel
import SteleModelFiles
import StelePredicates
import TestSupport
import Testing

@Suite struct ReadingArchiveTests {
    @Test(arguments: [
        "name", "team.league.name", "SELF", "$source", "$source.team.name", "1", "2.5", "\"text\"",
        "nil", "TRUE", "12345678901234567890.25", "-0.001", "uppercase(name)", "now()",
        "a + b * 2 - c / 4", "modulus:by:(a, 3)", "count(players)", "sum(players.goals)",
        "{1, \"a\", name}", "{}", "players[FIRST]", "players[LAST]", "players[SIZE]", "players[2]",
        "SUBQUERY(players, $x, $x.goals > 3 AND NOT $x.name BEGINSWITH[cd] \"a\").@count",
        "TERNARY(a > b, a, b)", "a UNION b", "a INTERSECT b", "a MINUS b", "$v := 3",
        "CAST(\"2024-05-01\", \"NSDate\")", "players.@avg.goals", "length(name) & 7",
    ])
    func anExpressionIsRead(_ text: String) throws {
        let expression = try Expression(format: text)
        #expect(try Expression(archive: PredicateArchive.bytes(expression)) == expression)
    }

    @Test(arguments: [
        "TRUEPREDICATE", "FALSEPREDICATE", "a == 1", "a != nil", "a < 1 AND (b <= 2 OR c > 3)",
        "NOT a >= 4", "name MATCHES[c] \"a.*\"", "name LIKE[cd] \"a*\"", "name ENDSWITH \"z\"",
        "name CONTAINS[n] \"z\"", "a IN {1, 2}", "a BETWEEN {1, 2}", "ANY players.goals > 3",
        "ALL players.goals > 3",
    ])
    func aPredicateIsRead(_ text: String) throws {
        let predicate = try Predicate(format: text)
        #expect(try Predicate(archive: PredicateArchive.bytes(predicate)) == predicate)
    }

    @Test(arguments: [
        Value.date(700_000_000.5), .uuid(UUID()), .data([0, 1, 255]), .string("é 😀"),
        .int(.min), .bool(false),
    ])
    func aConstantIsRead(_ value: Value) throws {
        let expression = Expression.constant(value)
        #expect(try Expression(archive: PredicateArchive.bytes(expression)) == expression)
    }

    /// A function of an object is one of its receiver and its arguments; two of them are functions
    /// of the language.
    @Test func aFunctionOfAnObjectKeepsItsSelector() throws {
        let instances = Expression.function(
            "destinationInstancesForEntityMappingNamed:sourceInstances:",
            [
                .variable("manager"), .constant(.string("AToB")),
                .keyPath(.variable("source"), ["a", "b"]),
            ])
        #expect(try Expression(archive: PredicateArchive.bytes(instances)) == instances)
        let upper = Expression.function("uppercaseString", [.keyPath(.variable("source"), ["a"])])
        #expect(
            try Expression(archive: PredicateArchive.bytes(upper))
                == .function("uppercase:", [.keyPath(.variable("source"), ["a"])]))
    }

    private func message(_ bytes: [UInt8]) -> String {
        do {
            return "\(try Expression(archive: bytes))"
        } catch {
            return error.message
        }
    }

    @Test func anArchiveThatIsNoneIsRefused() {
        #expect(message([]) == "is not a binary keyed archive")
        #expect(message(Array("bplist00".utf8)) == "is not a binary keyed archive")
        let list = BinaryPropertyListWriter.bytes(.dictionary([]))
        #expect(message(list) == "is a property list, but not a keyed archive")
    }

    @Test func anUnknownClassIsNamed() {
        var archive = PredicateArchive()
        let block = archive.object("NSBlockExpression", [:])
        #expect(
            message(archive.bytes(root: block))
                == "contains an object of the class NSBlockExpression, which is not an expression "
                + "that can be read")
        var other = PredicateArchive()
        let value = other.object("NSColor", [:])
        let constant = other.object("NSConstantValueExpression", ["NSConstantValue": value])
        #expect(message(other.bytes(root: constant)).contains("the class NSColor"))
    }

    @Test func anUnknownFunctionIsNamed() {
        let selector = "openURL:"
        var archive = PredicateArchive()
        let owner = archive.object(
            "NSConstantValueExpression",
            ["NSConstantValueClassName": archive.add(.string("_NSPredicateUtilities"))])
        let call = archive.object(
            "NSFunctionExpression",
            [
                "NSSelectorName": archive.add(.string(selector)), "NSOperand": owner,
                "NSArguments": archive.list([]),
            ])
        #expect(
            message(archive.bytes(root: call))
                == "calls openURL:, which is not a function of the language")
        var other = PredicateArchive()
        let manager = other.object(
            "NSConstantValueExpression",
            ["NSConstantValueClassName": other.add(.string("NSFileManager"))])
        let method = other.object(
            "NSFunctionExpression",
            ["NSSelectorName": other.add(.string("defaultManager")), "NSOperand": manager])
        #expect(
            message(other.bytes(root: method))
                == "calls a function of the class NSFileManager, which does not exist here")
    }

    @Test func aCycleIsRefused() {
        var archive = PredicateArchive()
        let list = archive.object("NSArray", ["NS.objects": .array([.uid(3)])])
        let aggregate = archive.object("NSAggregateExpression", ["NSCollection": list])
        #expect(aggregate == .uid(3))
        #expect(
            message(archive.bytes(root: aggregate)) == "contains an object that refers to itself")
    }

    @Test func anExpressionBeyondTheBoundsIsRefused() throws {
        var archive = PredicateArchive()
        var inner = try archive.add(Expression.evaluatedObject)
        for _ in 0..<120 {
            let list = archive.list([inner])
            inner = archive.object("NSAggregateExpression", ["NSCollection": list])
        }
        #expect(message(archive.bytes(root: inner)).hasPrefix("is nested more than 100 deep"))
        // Each list names the next one twice: 2^40 elements in a few kilobytes.
        var doubled = PredicateArchive()
        var last = try doubled.add(Expression.evaluatedObject)
        for _ in 0..<40 {
            let list = doubled.list([last, last])
            last = doubled.object("NSAggregateExpression", ["NSCollection": list])
        }
        #expect(message(doubled.bytes(root: last)).contains("is too large"))
    }
}
