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
}
