/// A page that is made when it is first asked for, and kept.

import SteleJSON
import SteleSystem

/// A page whose making takes longer than a start should.
final class LazyPage: Sendable {
    private let made = Mutex<Page?>(nil)
    private let make: @Sendable () -> JSONValue

    init(_ make: @escaping @Sendable () -> JSONValue) { self.make = make }

    /// The page.
    var page: Page {
        made.withLock { made in
            if let made { return made }
            let page = Page(Array((make().compact + "\n").utf8))
            made = page
            return page
        }
    }
}
