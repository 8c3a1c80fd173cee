// Names on which the predicate `name MATCHES "(a+)+$"` takes long.

/// Each `a` more doubles the steps.
enum SlowName {
    /// A match of some milliseconds. A step takes some three times as long under the thread sanitizer.
    static let slow: String = {
        #if STELE_THREAD_SANITIZER
            String(repeating: "a", count: 17) + "!"
        #else
            String(repeating: "a", count: 18) + "!"
        #endif
    }()

    /// Twice as long.
    static let slower = "a" + slow

    /// A match that does not end within any limit.
    static let endless = String(repeating: "a", count: 40) + "!"
}
