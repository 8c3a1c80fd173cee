// The text that identifies the value of a variable, such as where clients share a live query.

import Foundation
import SteleModel
import Testing

@testable import StelePredicates

@Suite struct VariableValueTests {
    @Test func eachValueHasATextOfItsOwn() throws {
        let values: [Value] = [
            .null, .bool(true), .bool(false), .int(1), .int(0), .double(1), .double(0),
            .decimal(1), .decimal(0), .string("1"), .string("nil"), .string("true"), .string(""),
            .string("{1}"), .string("bool 1"), .string("1, 0"), .date(1), .date(0), .data([1]),
            .data([]), .uuid(UUID()), .key(1), .key(0),
        ]
        let all =
            values.map { VariableValue.value($0) } + values.map { .list([$0]) }
            + [.list([]), .list([.int(1), .int(0)]), .list([.bool(true), .int(0)])]
            + ["1", "nil", "true", "", "{1}", "{}", "bool 1", "'1", "\"1\"", "1, 0"]
            .map { VariableValue.written($0) }
        var known: [String: VariableValue] = [:]
        for value in all {
            let other = known.updateValue(value, forKey: value.key)
            #expect(other == nil, "\(value) and \(String(describing: other)): \(value.key)")
        }
    }
}
