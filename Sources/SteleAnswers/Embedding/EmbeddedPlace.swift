/// Bounds the objects that answers embed, all together.

import SteleRequests
import Synchronization

/// Room for embedded objects in memory. An answer has them until its client has taken it, which may
/// be slow: without a bound for all, a few clients could fill the memory.
final class EmbeddedPlace: Sendable {
    /// The embedded objects of all answers of the process.
    private static let all = Atomic<Int>(0)
    private let count: Int

    private init(_ count: Int) { self.count = count }

    deinit { Self.all.subtract(count, ordering: .relaxed) }

    /// Takes room, until the place is released.
    /// - Parameter most: the most objects of all answers.
    /// - Throws: `Problem`, 503, where there is too little.
    static func take(_ count: Int, of most: Int) throws(Problem) -> EmbeddedPlace {
        let taken = all.add(count, ordering: .relaxed).newValue
        let place = EmbeddedPlace(count)
        if taken <= most { return place }
        throw Problem(
            .busy,
            "answers that are being sent embed \(taken - count) objects, and this one \(count) "
                + "more: \(most) are the most",
            hint: "ask for fewer rows at a time", headers: [("Retry-After", "5")])
    }
}
