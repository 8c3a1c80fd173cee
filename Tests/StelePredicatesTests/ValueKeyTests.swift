// Values as keys of dictionaries, against their comparison.

import FoundationEssentials
import SteleModel
import StelePredicates
import Testing

@Suite struct ValueKeyTests {
    /// Numbers that meet numbers of other types, near the ends of what each holds exactly.
    private static let numbers: [Value] = {
        var values: [Value] = [.double(0.1), .decimal(0.1), .double(-0.0), .int(0), .decimal(0)]
        for power in [1, 15, 52, 53, 54, 62, 63, 64, 100, 119, 120, 121, 126] {
            let number = Double(sign: .plus, exponent: power, significand: 1)
            for double in [number.nextDown, number, number.nextUp, -number] {
                values.append(.double(double))
                if let whole = Int64(exactly: double) { values.append(.int(whole)) }
                if let whole = Int128(exactly: double), let exact = Decimal(string: "\(whole)") {
                    values += [-1, 0, 1].map { .decimal(exact + Decimal($0)) }
                }
                if let shortest = Decimal(string: "\(double)") { values.append(.decimal(shortest)) }
            }
        }
        return values
    }()

    @Test func keysAreEqualWhereValuesAre() {
        for a in Self.numbers {
            for b in Self.numbers {
                #expect(
                    (ValueKey(a) == ValueKey(b)) == ValueOrder.equal(a, b), "\(a) and \(b)")
            }
        }
    }
}
