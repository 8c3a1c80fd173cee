// Permanent keys by temporary ones, whatever order they come in.

import StelePersistence
import TestSupport
import Testing

@Suite struct PermanentKeysTests {
    @Test func runsGiveWhatADictionaryGives() {
        let seed = drawSeed("runsGiveWhatADictionaryGives")
        var numbers = SeededNumbers(seed: seed)
        for _ in 0..<100 {
            var (keys, expected) = (PermanentKeys(), [ObjectID: Int64]())
            var ids: [ObjectID] = []
            for key in 1...40 {
                ids.append(ObjectID(root: Int.random(in: 0..<3, using: &numbers), key: -Int64(key)))
            }
            if Bool.random(using: &numbers) { ids.shuffle(using: &numbers) }
            let others = Int.random(in: 0..<40, using: &numbers)
            var more = PermanentKeys()
            var next = [Int64](repeating: 1, count: 3)
            for (place, id) in ids.enumerated() {
                if Int.random(in: 0..<8, using: &numbers) == 0 { next[id.root] += 1 }
                if place < others {
                    keys.insert(next[id.root], for: id)
                } else {
                    more.insert(next[id.root], for: id)
                }
                expected[id] = next[id.root]
                next[id.root] += 1
            }
            keys.formUnion(more)
            #expect(keys.count == expected.count)
            let asked = (0..<4).flatMap { root in
                (Int64(-45)...5).map { ObjectID(root: root, key: $0) }
            }
            let wrong = asked.filter { keys[$0] != expected[$0] }
            #expect(wrong.isEmpty, "seed \(seed)")
        }
    }

    @Test func whatIsNotedFirstStays() {
        var keys = PermanentKeys()
        let id = ObjectID(root: 1, key: -1)
        keys.insert(7, for: id)
        keys.insert(8, for: id)
        #expect(keys[id] == 7 && keys.count == 1)
        #expect(keys[ObjectID(root: 9, key: -1)] == nil && keys[ObjectID(root: 1, key: 1)] == nil)
    }
}
