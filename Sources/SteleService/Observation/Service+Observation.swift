// What is known of each answered request: counts, the log's line, and its id.

import SteleHTTP
import SteleRequests
import SteleSystem

extension Service {
    /// Sets the server whose connections are in `/metrics`.
    public func observe(_ server: HTTPServer) {
        serverFigures.withLock { $0 = { [weak server] in server?.figures } }
    }

    /// Counts an answer, gives it the id of its request, and logs the request when it has ended.
    /// Browsers are told whether pages of other origins may read it.
    /// - Parameters:
    ///   - token: the name of the sender's token; empty for none.
    ///   - problem: the error of the answer; nil for another.
    func noted(
        _ answer: Response, to request: Request, _ route: RoutePattern?, from token: String = "",
        _ problem: Problem? = nil
    ) -> Response {
        var response = answer
        crossOrigin?.mark(&response, to: request)
        meter.count(
            route, request.method, status: response.status,
            nanoseconds: MonotonicClock.now &- request.receivedAt)
        let given = RequestID.given(by: request)
        guard given != nil || requestLog != nil else { return response }
        let id = given ?? RequestID.next()
        response.headers.append((RequestID.field, id))
        guard let requestLog else { return response }
        let (status, method, start) = (response.status, request.method, request.receivedAt)
        let traceparent = TraceContext.parent(of: request)
        let (client, code) = (request.clientAddress, problem?.kind.text)
        response.onEnd = { ending in
            requestLog.write(
                RequestLog.Entry(
                    method: method, route: route?.rawValue, status: status,
                    nanoseconds: MonotonicClock.now &- start, ending: ending, requestID: id,
                    traceparent: traceparent, token: token.isEmpty ? nil : token,
                    client: client, code: code))
        }
        return response
    }
}
