// Requests that the HTTP layer itself refuses. The service renders the response.

/// A request that is refused before the service sees it.
public enum Refusal: Sendable {
    /// The body is larger than `limit` bytes: 413.
    case bodyTooLarge(Request, limit: Int)
    /// The head is larger than `limit` bytes, and most of it is the target: 414.
    case targetTooLong(Request, limit: Int)
    /// The head is larger than `limit` bytes: 431 (RFC 6585, 5).
    case headTooLarge(Request, limit: Int)
    /// The response's header fields do not fit beside the request's head: 414. A `Link` to the next
    /// page contains the query.
    case answerHeadTooLarge(Request)
    /// All workers are busy and their queue is full: 503, with the seconds for `Retry-After`.
    case busy(Request, retryAfter: Int)
    /// The server is stopping: 503.
    case stopping(Request)
    /// The server has stopped while it answered the request, which may be done all the same: 503.
    case unfinished(Request)
    /// The head violates HTTP in a way that makes guessing dangerous: 400.
    case malformed(Request, reason: String)
    /// A transfer coding other than `chunked`: 501 (RFC 9112, 6.1).
    case unknownTransferCoding(Request, name: String)

    /// The refused request.
    public var request: Request {
        switch self {
        case .bodyTooLarge(let request, _), .targetTooLong(let request, _),
            .headTooLarge(let request, _), .answerHeadTooLarge(let request), .busy(let request, _),
            .stopping(let request), .unfinished(let request),
            .malformed(let request, _), .unknownTransferCoding(let request, _):
            request
        }
    }

    /// One sentence for the client.
    public var message: String {
        switch self {
        case .bodyTooLarge(_, let limit): "The body is larger than \(limit) bytes."
        case .targetTooLong(_, let limit):
            "The target of the request does not fit into the \(limit) bytes allowed for its head."
        case .headTooLarge(_, let limit):
            "The header fields do not fit into the \(limit) bytes allowed for the head of a "
                + "request; each field and each cookie counts 64 bytes more, a cookie's text twice."
        case .answerHeadTooLarge:
            "The target is so long that the header fields of the response, such as the Link to the "
                + "next page, do not fit beside it."
        case .busy: "The server is busy; try again in a moment."
        case .stopping: "The server is stopping."
        case .unfinished: "The server stops before the request is answered."
        case .malformed(_, let reason): reason
        case .unknownTransferCoding(_, let name):
            "The transfer coding \(name) is not supported; send the body plain or chunked."
        }
    }

    /// Whether the connection must close: the next request cannot be told from the refused body.
    var closesConnection: Bool {
        switch self {
        case .busy, .answerHeadTooLarge: false
        default: true
        }
    }
}
