import SteleModel
import Testing

@testable import StelePredicates

@Suite("A variable that is an array")
struct ArrayVariableTests {
    private func checked(_ text: String, _ value: VariableValue) throws -> String {
        try League.checked(text, "Person", ["V": value, "W": .list([.string("x")])])
            .predicateFormat
    }

    @Test(
        "is a list wherever one may be",
        arguments: [
            ("age IN ($V UNION {3})", "age IN ({7} UNION {3})"),
            ("age IN ({3} MINUS $V)", "age IN ({3} MINUS {7})"),
            ("ANY $V == 7", "ANY {7} == 7"), ("{7} == $V", "{7} == {7}"),
            ("$V == {7}", "{7} == {7}"), ("$V CONTAINS age", "{7} CONTAINS age"),
            ("$V == $V", "{7} == {7}"), ("nil == $V", "nil == {7}"),
        ])
    func lists(_ text: String, _ same: String) throws {
        let plain = try League.checked(same).predicateFormat
        #expect(try checked(text, .list([.int(7)])) == plain)
    }

    @Test(
        "is named in the errors of its elements, and wanted where a text is sent in its place",
        arguments: [
            (
                "name IN $W AND age IN $V", .list([.int(7), .string("y")]),
                "$V: \"y\" is text, and age is a number", nil
            ),
            ("age IN $V", .value(.string("1,2")), "$V is text, and IN needs a list", "array"),
            ("age IN $V", .value(.int(1)), "$V is a number, and IN needs a list", "array"),
            (
                "age BETWEEN $V", .value(.string("1,2")), "$V is text, and BETWEEN needs a list",
                "array"
            ),
            (
                "age IN ($V UNION {3})", .value(.int(1)),
                "UNION combines collections, and $V is a number", "array"
            ),
        ] as [(String, VariableValue, String, String?)])
    func errors(_ text: String, _ value: VariableValue, _ message: String, _ hint: String?) throws {
        let error = #expect(throws: PredicateError.self) { _ = try checked(text, value) }
        #expect(error?.message == message)
        #expect(error?.near == "$V")
        if let hint { #expect(error?.hint?.contains(hint) == true) }
    }

    @Test(
        "is refused where one value is compared",
        arguments: [
            "nil < $V", "$V >= nil", "$V == age", "$V < $V", "$V IN $V", "$V IN {}", "$V IN {nil}",
            "$V BETWEEN {nil, nil}", "{} CONTAINS $V", "ALL $V == $V",
        ])
    func oneValue(_ text: String) throws {
        for value in [VariableValue.list([]), .list([.int(7)])] {
            let error = #expect(throws: PredicateError.self) { _ = try checked(text, value) }
            #expect(error?.near == "$V", "\(text)")
            #expect(error?.hint == "use IN to search a list", "\(text)")
        }
    }

    @Test(
        "is no element that is compared with one value",
        arguments: [
            "ANY {age, $V} < 3", "nil IN {1, $V}", "nil IN {$V}", "{1, \"a\"}[0] IN {1, $V}",
        ])
    func elements(_ text: String) throws {
        let error = #expect(throws: PredicateError.self) {
            _ = try checked(text, .list([.int(7)]))
        }
        #expect(error?.near == "{7}" && error?.hint == "use IN to search a list", "\(text)")
    }
}
