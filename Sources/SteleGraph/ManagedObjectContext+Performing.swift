extension ManagedObjectContext {
    /// Runs a closure at once (`performAndWait(_:)`).
    ///
    /// In Core Data a context has a queue, and this waits for it. Here a context is not Sendable, so
    /// that the compiler allows one task, actor or thread at a time to use it, and nothing is to be
    /// waited for.
    /// - Returns: what the closure returns.
    /// - Throws: what the closure throws.
    @discardableResult
    public func performAndWait<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body()
    }

    /// Runs a closure at once, in the task or actor that calls it (`perform(_:)`). The reason is that
    /// of `performAndWait(_:)`. `PersistentContainer.performBackgroundTask(_:)` leaves the caller's
    /// thread.
    /// - Returns: what the closure returns.
    /// - Throws: what the closure throws.
    @discardableResult
    public nonisolated(nonsending) func perform<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        try body()
    }
}
