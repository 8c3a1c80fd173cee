// A thread with little stack, where deep recursion shows.

import Foundation

enum SmallStack {
    /// A sixteenth of a worker's stack; half of it where nothing is optimized and each frame
    /// is many times as large.
    #if DEBUG
        static let bytes = 4 << 20
    #else
        static let bytes = 512 << 10
    #endif

    /// Runs on a thread with so much stack.
    static func run(
        bytes: Int = Self.bytes, _ body: @escaping @Sendable () throws -> Void
    ) throws {
        nonisolated(unsafe) var failure: (any Error)?
        let done = DispatchSemaphore(value: 0)
        let thread = Thread {
            do { try body() } catch { failure = error }
            done.signal()
        }
        thread.stackSize = bytes
        thread.start()
        done.wait()
        if let failure { throw failure }
    }
}
