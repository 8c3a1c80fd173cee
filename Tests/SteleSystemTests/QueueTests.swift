import SteleSystem
import Testing

struct QueueTests {
    @Test("A queue under random operations is the array that it stands for")
    func behavesAsAnArray() {
        var seed = UInt64.random(in: 0...UInt64.max)
        print("seed \(seed)")
        var (queue, array) = (Queue<Int>(), [Int]())
        for step in 0..<100_000 {
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            // Runs of mostly appending and mostly taking, so that the queue grows and empties.
            let isGrowing = step / 500 % 2 == 0
            if (seed >> 33) % 4 < (isGrowing ? 3 : 1) {
                queue.append(step)
                array.append(step)
            } else {
                #expect(queue.popFirst() == (array.isEmpty ? nil : array.removeFirst()))
            }
            #expect(queue.count == array.count && queue.isEmpty == array.isEmpty)
            #expect(queue.peek == array.first)
            if step % 10_007 == 0 {
                #expect(queue.removeAll() == array)
                array = []
            }
            queue.shrink(to: 8)
        }
    }

    @Test("Taken elements are released, also where others still wait")
    func releasesElements() {
        final class Element {}
        var queue = Queue<Element>()
        var first: Element? = Element()
        weak let released = first
        if let first { queue.append(first) }
        queue.append(Element())
        first = nil
        #expect(released != nil)
        _ = queue.popFirst()
        #expect(released == nil)
    }
}
