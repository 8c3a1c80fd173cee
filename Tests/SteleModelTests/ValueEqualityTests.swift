// Which values are the same.

import Foundation
import SteleModel
import Testing

@Suite struct ValueEqualityTests {
    private static let composed = "caf\u{E9}"
    private static let decomposed = "cafe\u{301}"

    /// What a store keeps as two is two, in sets and dictionaries too.
    @Test func textIsItsBytes() {
        #expect(Self.composed == Self.decomposed)
        #expect(Value.string(Self.composed) != .string(Self.decomposed))
        #expect(ExactText(Self.composed) != ExactText(Self.decomposed))
        let texts = [Self.composed, Self.decomposed, Self.composed, ""]
        #expect(Set(texts.map(Value.string)).count == 3)
        #expect(Set(texts.map { [Value.int(1), .string($0)] }).count == 3)
        #expect(Set(texts.map(ExactText.init)).count == 3)
    }

    /// However a text came about, it is found again.
    @Test func equalTextsHaveEqualHashes() {
        let parts = Array("The quick brown fox, the same text").map(String.init).joined()
        let slice = String("xx\(parts)xx".dropFirst(2).dropLast(2))
        #expect(Set([Value.string(parts), .string(slice)]).count == 1)
    }

    @Test func eachCaseIsLikeItselfAlone() {
        let values: [Value] = [
            .null, .bool(true), .bool(false), .int(1), .key(1), .double(1), .date(1), .decimal(1),
            .string("1"), .data([0x31]), .uuid(UUID()),
        ]
        for (i, a) in values.enumerated() {
            for (j, b) in values.enumerated() { #expect((a == b) == (i == j), "\(a) \(b)") }
        }
        #expect(Set(values).count == values.count)
    }

    /// Zeros are the same, and are stored without a sign.
    @Test func theSignOfAZeroIsNotLookedAt() {
        #expect(Value.double(0) == .double(-0.0) && Value.date(0) == .date(-0.0))
        #expect(Set([Value.double(0), .double(-0.0)]).count == 1)
        guard case .double(let number)? = Value.double(-0.0).unsignedZero,
            case .date(let date)? = Value.date(-0.0).unsignedZero
        else {
            Issue.record("a zero with a sign is kept")
            return
        }
        #expect(number.sign == .plus && date.sign == .plus)
        for value in [Value.double(0), .double(-1), .date(0), .int(0), .null] {
            #expect(value.unsignedZero == nil)
        }
    }
}
