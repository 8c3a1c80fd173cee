import CLinux
import Glibc

/// The stack of the current thread. Recursive functions look at it every few levels.
package enum StackBound {
    /// The stack that eight levels of such a recursion need at most, even without optimization, in
    /// bytes.
    private static let room: UInt = 128 << 10

    /// Whether there is stack for more levels; true if the bounds are unknown.
    package static var hasRoom: Bool {
        let here = UInt(bitPattern: stele_stack_place())
        guard let (lowest, size) = known, here > lowest, here - lowest < size else { return true }
        return here - lowest > min(room, size / 4)
    }

    /// The error of a predicate that needs more stack than there is.
    package static var error: PredicateError {
        .tooDeep(
            "the predicate is nested deeper than this thread's stack holds",
            hint: "AND and OR need no parentheses")
    }

    /// The bounds of this thread's stack, which are found once: on the first thread of a process
    /// glibc reads all of `/proc/self/maps` for them.
    private static var known: (lowest: UInt, size: UInt)? {
        guard let kept = stele_stack_bounds() else { return bounds }
        if kept[1] == 0, let bounds { (kept[0], kept[1]) = bounds }
        return kept[1] == 0 ? nil : (kept[0], kept[1])
    }

    /// The lowest address and the size in bytes.
    private static var bounds: (lowest: UInt, size: UInt)? {
        var attributes = pthread_attr_t()
        guard pthread_getattr_np(pthread_self(), &attributes) == 0 else { return nil }
        defer { pthread_attr_destroy(&attributes) }
        var lowest: UnsafeMutableRawPointer?
        var size = 0
        guard pthread_attr_getstack(&attributes, &lowest, &size) == 0 else { return nil }
        return (UInt(bitPattern: lowest), UInt(size))
    }
}
