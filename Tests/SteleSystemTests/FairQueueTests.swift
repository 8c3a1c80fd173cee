import SteleSystem
import Testing

struct FairQueueTests {
    @Test("Clients are served in turn, each in its order")
    func servesClientsInTurn() {
        var queue = FairQueue<String>()
        for number in 1...4 { queue.append("a\(number)", of: "a") }
        queue.append("b1", of: "b")
        #expect(queue.popFirst() == "a1")
        // One that comes later waits for one of each other client.
        queue.append("c1", of: "c")
        queue.append("c2", of: "c")
        #expect(queue.count == 6 && queue.count(of: "a") == 3 && queue.count(of: "d") == 0)
        #expect(queue.removeAll() == ["b1", "a2", "c1", "a3", "c2", "a4"])
        #expect(queue.isEmpty && queue.popFirst() == nil)
        // A client that has been served begins anew.
        queue.append("a5", of: "a")
        #expect(queue.popFirst() == "a5")
    }

    @Test("Elements of one client leave as they came")
    func isAQueueForOneClient() {
        var queue = FairQueue<Int>()
        for number in 0..<1_000 { queue.append(number, of: "") }
        #expect(queue.removeAll() == Array(0..<1_000))
    }
}
