import StelePersistence

/// How long a statement may take on the thread that runs it. What is interrupted at one of the first
/// two begins again on another thread.
enum ReadingPace {
    /// On a thread that must not wait.
    case brief
    /// On one of the threads for short reads.
    case short
    /// To the end, or to a limit that concerns the statement alone.
    case unhurried

    init(_ budget: ReadBudget?) {
        guard let budget, budget.beginsElsewhere else {
            self = .unhurried
            return
        }
        self = budget.mayWait ? .short : .brief
    }
}
