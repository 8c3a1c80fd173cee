/// The signals of a service.

import Glibc

/// SIGTERM, SIGINT and SIGHUP, blocked for this thread and the threads that it creates.
package struct EndSignals {
    private var set = sigset_t()

    /// Blocks them.
    package init() {
        sigemptyset(&set)
        sigaddset(&set, SIGTERM)
        sigaddset(&set, SIGINT)
        sigaddset(&set, SIGHUP)
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Waits for the one that ends the service. After that, another one ends the process at once.
    /// - Parameter reload: what SIGHUP does; nil where it ends the service, because its terminal is
    ///   closed.
    package func wait(_ reload: (() -> Void)?) -> Int32 {
        var set = set
        var number: Int32 = 0
        while true {
            guard sigwait(&set, &number) == 0 else { continue }
            guard number == SIGHUP, let reload else { break }
            reload()
        }
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
        return number
    }
}
