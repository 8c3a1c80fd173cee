/// A request on its way through the service.

import SteleAnswers
import SteleHTTP
import SteleRequests

/// A request with what is known of it so far. It goes from thread to thread as it is, so that each
/// part of the way is taken once.
struct Passage: Sendable {
    let request: Request
    var timing: ServerTiming
    /// What the address means.
    var route: Route?
    /// What is asked.
    var call: Call?
    /// Where the plan is executed, and answered from.
    var place: Place
    /// What will be done.
    var plan: Plan?

    init(_ request: Request, at place: Place, isTimed: Bool) {
        self.request = request
        self.place = place
        timing = ServerTiming(isOn: isTimed)
    }
}
