// The keys added to a to-many keep their order, however they come and go.

import TestSupport
import Testing

@testable import SteleGraph

@Suite struct OrderedKeysTests {
    @Test func randomChangesKeepTheOrderOfAnArray() {
        var random = SeededNumbers(seed: drawSeed("OrderedKeysTests"))
        var (keys, expected) = (OrderedKeys(), [Int64]())
        for step in 0..<20_000 {
            let key = Int64.random(in: -20...20, using: &random)
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<10:
                keys.append(key)
                if !expected.contains(key) { expected.append(key) }
            case 10..<19:
                #expect(keys.remove(key) == expected.contains(key))
                expected.removeAll { $0 == key }
            default:
                keys.removeAll { $0 < key }
                expected.removeAll { $0 < key }
            }
            guard Array(keys) == expected, keys.count == expected.count,
                keys.contains(key) == expected.contains(key), keys.isEmpty == expected.isEmpty
            else {
                Issue.record("step \(step): \(Array(keys)), expected \(expected)")
                return
            }
        }
    }

    @Test func removalDoesNotWalkAllKeys() {
        // A linear removal would compare 20,000,000,000 keys and not come back.
        let many: Range<Int64> = 0..<200_000
        var keys = OrderedKeys(many)
        for key in many.dropFirst() { keys.remove(key) }
        #expect(Array(keys) == [0])
    }
}
