/// How much of a thread's stack is left to recursion.

import CLinux
import Glibc

/// The stack of the thread that asks. What goes through predicates by recursion asks now and then,
/// not at each step: the system's answer takes about a microsecond.
public enum StackBound {
    /// What eight steps of any such recursion take at most, even where nothing is optimized.
    private static let room: UInt = 128 << 10

    /// Whether there is room for some more steps; true where that cannot be found out.
    public static var hasRoom: Bool {
        let here = here
        guard let (lowest, size) = bounds, here > lowest, here - lowest < size else { return true }
        return here - lowest > min(room, size / 4)
    }

    /// An address in the frame of who asks, or next to it.
    private static var here: UInt {
        UInt(bitPattern: stele_stack_place())
    }

    /// What is said where there is none.
    public static var error: PredicateError {
        .tooDeep(
            "the predicate is nested deeper than this thread's stack holds",
            hint: "AND and OR take many conditions without parentheses")
    }

    /// Its lowest address and its bytes.
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
