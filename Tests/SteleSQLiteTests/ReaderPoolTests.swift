import StelePersistence
import SteleSystem
import TestSupport
import Testing

@testable import SteleSQLite

struct ReaderPoolTests {
    private func pool(in folder: TemporaryFolder) throws -> ReaderPool {
        let writer = try Connection(path: folder.store, creates: true)
        try writer.run("PRAGMA journal_mode = WAL; CREATE TABLE t (b)")
        return ReaderPool(path: folder.store, isMapped: false)
    }

    @Test("A thread that waits for a connection gets the first that comes back")
    func waitsForAConnection() throws {
        let folder = try TemporaryFolder()
        let pool = try pool(in: folder)
        var taken = try (0..<Limits.readers).map { _ in try pool.take(waits: false) }
        #expect(throws: StoreError.self) { try pool.take(waits: false) }
        let isLent = Mutex(false)
        let thread = try #require(
            SystemThread(name: "reader") {
                guard let connection = try? pool.take(waits: true) else { return }
                isLent.withLock { $0 = true }
                pool.give(connection)
            })
        pool.give(taken.removeLast())
        thread.join()
        #expect(isLent.withLock { $0 })
        for connection in taken { pool.give(connection) }
        pool.close()
    }

    @Test("Closing the pool ends the wait for a connection")
    func closingEndsTheWait() throws {
        let folder = try TemporaryFolder()
        let pool = try pool(in: folder)
        let taken = try (0..<Limits.readers).map { _ in try pool.take(waits: false) }
        let refusal = Mutex<StoreError?>(nil)
        let start = MonotonicClock.now
        let thread = try #require(
            SystemThread(name: "reader") {
                do throws(StoreError) { _ = try pool.take(waits: true) } catch {
                    refusal.withLock { $0 = error }
                }
            })
        pool.close()
        thread.join()
        guard case .closed? = refusal.withLock({ $0 }) else {
            Issue.record("not refused as closed")
            return
        }
        #expect(MonotonicClock.now - start < 4_000_000_000)
        for connection in taken { pool.give(connection) }
    }
}
