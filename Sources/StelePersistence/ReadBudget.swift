/// A limit on the cost of reading on a thread that others wait for.
///
/// Steps measure work. Elapsed time alone would not: on a busy machine it is mostly that of other
/// threads.
public struct ReadBudget: Sendable, Hashable {
    /// Instructions of SQLite's virtual machine; about 30,000 take a millisecond.
    public var steps: Int
    /// Nanoseconds of elapsed time, a bound for pages that have to come from the disk.
    public var nanoseconds: UInt64
    /// Whether the thread may wait: for a free reader, another program's lock, and a store that does
    /// not enforce a budget.
    public var mayWait: Bool
    /// Whether reading that exceeds it begins again elsewhere. A statement that has exceeded it may
    /// then be refused for a while (`.overBudget`), or be given less, so that it does not cost the
    /// budget each time.
    public var beginsElsewhere: Bool

    /// Creates a budget. Reading on a thread that may not wait begins elsewhere.
    public init(
        steps: Int, nanoseconds: UInt64, mayWait: Bool = false, beginsElsewhere: Bool = false
    ) {
        self.steps = steps
        self.nanoseconds = nanoseconds
        self.mayWait = mayWait
        self.beginsElsewhere = beginsElsewhere || !mayWait
    }
}
