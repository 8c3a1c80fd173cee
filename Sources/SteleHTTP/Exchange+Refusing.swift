// Refusals that do not go through libmicrohttpd.

import CMicroHTTPD
import SteleSystem

extension Exchange {
    /// A head that fills libmicrohttpd's buffer leaves no room for a response, so this one does not
    /// go through libmicrohttpd.
    func refuseHead(on connection: Connection) -> MHD_Result {
        let limit = core.configuration.headLimit
        let refusal: Refusal =
            head.isMostlyTarget
            ? .targetTooLong(makeRequest(), limit: limit)
            : .headTooLarge(makeRequest(), limit: limit)
        if head.isFollowedByBody { return refuseBody(refusal, on: connection) }
        phase = .answered
        sendClosing(refusal, on: connection)
        return .NO
    }

    /// Refuses a request whose body is still to come, and closes the connection in stages: a close
    /// at once is a reset, by which clients lose the refusal, and proxies make a 502 of it
    /// (RFC 9112, 9.6). libmicrohttpd sends no response while a body comes in, so this one does not
    /// go through it.
    func refuseBody(_ refusal: Refusal, on connection: Connection) -> MHD_Result {
        dropBody()
        sendClosing(refusal, on: connection)
        connection.finishSending()
        uncount()
        // A client that sends nothing more and stays is cut off as one that is slow with a body.
        sender?.begin(.body)
        received = 0
        phase = .lingering(until: MonotonicClock.deadline(in: Self.lingerSeconds))
        return .YES
    }

    /// Discards what comes of a refused body.
    func discard(_ call: HandlerCall, until end: UInt64) -> MHD_Result {
        let count = call.size.pointee
        call.size.pointee = 0
        received += count
        sender?.receive(count)
        let most = max(8 * core.configuration.maximumBodyBytes, Self.lingerBytes)
        return count > 0 && received <= most && MonotonicClock.now < end ? .YES : .NO
    }

    /// How long the rest of a refused body is read, at most.
    private static let lingerSeconds = 30.0
    /// How much of it is read at least, within that time.
    private static let lingerBytes = 64 << 20

    /// Sends a refusal without libmicrohttpd.
    private func sendClosing(_ refusal: Refusal, on connection: Connection) {
        let response = core.rendered(refusal)
        let body = isHead ? [] : response.wholeBody
        let isWhole = connection.sendAtOnce(response.closingHead + body)
        response.onEnd?(Response.Ending(bodyBytes: body.count, isWhole: isWhole))
    }
}
