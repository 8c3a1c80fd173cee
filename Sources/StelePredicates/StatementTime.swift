import SteleSystem

/// The time limit of a statement of a store, and of a predicate that is evaluated in memory. It is
/// one number for the process, because a predicate has one meaning on every store.
public enum StatementTime {
    /// The limit unless another is set, in seconds.
    public static let standard = 30.0

    private static let nanoseconds = Atomic<UInt64>(UInt64(standard * 1e9))

    /// The limit in nanoseconds.
    public static var limit: UInt64 { nanoseconds.load(ordering: .relaxed) }

    /// The limit as errors tell it.
    public static var text: String {
        limit % 1_000_000_000 == 0
            ? "\(limit / 1_000_000_000) s" : "\(limit / 1_000_000) ms"
    }

    /// Sets the limit, for statements that begin afterwards.
    /// - Parameter seconds: at least 0.001, else that; at most a day.
    public static func set(seconds: Double) {
        nanoseconds.store(UInt64(min(max(seconds, 0.001), 86_400) * 1e9), ordering: .relaxed)
    }
}
