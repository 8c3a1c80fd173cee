/// A request on its way through the service.

import SteleAnswers
import SteleHTTP
import SteleRequests

/// A request, with the results of the steps that it has taken. Each step is taken once.
struct Passage: Sendable {
    let request: Request
    var timing: ServerTiming
    /// What the sender may do; known with the route.
    var rights = Rights()
    /// The meaning of the address.
    var route: Route?
    /// The parsed request.
    var call: Call?
    /// The place of the plan and of the answers; at a brief pace the plan has one of its own.
    var place: Place
    /// What will be done.
    var plan: Plan?
    /// Whether it has waited until long views may begin.
    var hasWaited = false

    init(_ request: Request, at place: Place, isTimed: Bool) {
        self.request = request
        self.place = place
        timing = ServerTiming(isOn: isTimed)
    }
}
