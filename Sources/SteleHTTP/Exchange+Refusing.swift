// Refusals that do not go through libmicrohttpd.

import CMicroHTTPD
import SteleSystem

extension Exchange {
    /// A head that fills libmicrohttpd's buffer leaves no room for a response, so this one does not
    /// go through libmicrohttpd.
    func refuseHead(on connection: Connection) -> MHD_Result {
        phase = .answered
        let limit = core.configuration.headLimit
        let refusal: Refusal =
            head.isMostlyTarget
            ? .targetTooLong(makeRequest(), limit: limit)
            : .headTooLarge(makeRequest(), limit: limit)
        sendClosing(refusal, on: connection)
        return .NO
    }

    /// Sends a refusal without libmicrohttpd.
    private func sendClosing(_ refusal: Refusal, on connection: Connection) {
        let response = core.rendered(refusal)
        connection.sendAtOnce(response.closingMessage(withBody: !isHead))
        onEnd = response.onEnd
    }

    /// libmicrohttpd sends no response while a body comes in, so the rest is read and discarded. To a
    /// client that sends more than a multiple of the limit the refusal is sent without it.
    func swallow(_ call: HandlerCall, on connection: Connection) -> MHD_Result {
        overflow += call.size.pointee
        call.size.pointee = 0
        guard overflow > max(8 * core.configuration.maximumBodyBytes, 8 << 20) else { return .YES }
        sendClosing(.bodyTooLarge(makeRequest(), limit: limit), on: connection)
        // The client would lose the refusal by the reset of a close at once (RFC 9112, 9.6).
        connection.finishSending()
        uncount()
        phase = .lingering(until: MonotonicClock.deadline(in: Self.lingerSeconds))
        return .YES
    }

    /// How long the rest of a refused body is read, at most.
    private static let lingerSeconds = 5.0
}
