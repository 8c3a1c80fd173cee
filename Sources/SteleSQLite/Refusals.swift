/// The uses of a statement that are not allowed at a pace: more after each interruption, fewer after
/// each use that is allowed.
struct Refusals {
    /// The uses that the next interruption doubles, and those still to refuse.
    private var count = 0
    private var left = 0

    private static let first = 16
    private static let most = 4_096

    mutating func allowUse() -> Bool {
        if left > 0 {
            left -= 1
            return false
        }
        count = max(count - 1, 0)
        return true
    }

    mutating func noteInterruption() {
        count = min(max(2 * count, Self.first), Self.most)
        left = count
    }
}
