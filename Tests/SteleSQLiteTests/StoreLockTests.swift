// The lock that tells a program whether it has a store alone.

import Glibc
import StelePersistence
import SteleSystem
import TestSupport
import Testing

@testable import SteleSQLite

@Suite struct StoreLockTests {
    /// Whoever looks at the lock does not take it: a program that opens the store at that moment
    /// knows that it is alone.
    @Test func lookingTakesNothing() throws {
        let folder = try TemporaryFolder()
        let isOver = Atomic<Bool>(false)
        let looking = SystemThread(name: "looking") {
            while !isOver.load(ordering: .acquiring) { _ = StoreLock.isFree(store: folder.store) }
        }
        defer {
            isOver.store(true, ordering: .releasing)
            looking?.join()
        }
        for round in 0..<20_000 {
            var isAlone = false
            let lock = try StoreLock(store: folder.store) { isAlone = true }
            try #require(isAlone, "round \(round)")
            lock?.leave()
            try #require(access(folder.store + "-lock", F_OK) != 0, "round \(round)")
        }
    }

    @Test func aLockThatIsHeldIsNotFree() throws {
        let folder = try TemporaryFolder()
        #expect(StoreLock.isFree(store: folder.store))
        let lock = try #require(try StoreLock(store: folder.store, whileAlone: {}))
        #expect(!StoreLock.isFree(store: folder.store))
        lock.leave()
        #expect(StoreLock.isFree(store: folder.store))
    }
}
