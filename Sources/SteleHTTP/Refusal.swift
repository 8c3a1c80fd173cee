// What the HTTP layer itself must refuse; how that reads is the service's to say.

/// A request that is refused before the service sees it, with its head (the body is empty).
public enum Refusal: Sendable {
    /// The body is larger than `limit` bytes: 413.
    case bodyTooLarge(Request, limit: Int)
    /// The head of the request has no room in `limit` bytes, and most of it is the target: 414.
    case targetTooLong(Request, limit: Int)
    /// The head of the request has no room in `limit` bytes: 431 (RFC 6585, 5).
    case headTooLarge(Request, limit: Int)
    /// The fields of the answer do not fit beside the head of the request: 414. A `Link` to the next
    /// page has the query in it.
    case answerHeadTooLarge(Request)
    /// All workers are busy and their queue is full: 503, try again after so many seconds.
    case busy(Request, retryAfter: Int)
    /// The server is stopping: 503.
    case stopping(Request)
    /// The head is against the rules of HTTP, in a way that makes guessing dangerous: 400.
    case malformed(Request, reason: String)
    /// A transfer coding other than `chunked`: 501 (RFC 9112, 6.1).
    case unknownTransferCoding(Request, name: String)

    /// The head of the request refused.
    public var request: Request {
        switch self {
        case .bodyTooLarge(let request, _), .targetTooLong(let request, _),
            .headTooLarge(let request, _), .answerHeadTooLarge(let request), .busy(let request, _),
            .stopping(let request),
            .malformed(let request, _), .unknownTransferCoding(let request, _):
            request
        }
    }

    /// One sentence for the client.
    public var message: String {
        switch self {
        case .bodyTooLarge(_, let limit): "The body is larger than \(limit) bytes."
        case .targetTooLong(_, let limit):
            "The address of the request does not fit into the \(limit) bytes that its head may take."
        case .headTooLarge(_, let limit):
            "The header fields do not fit into the \(limit) bytes that the head of a request may take, "
                + "64 more for each of them and for each cookie, and cookies twice."
        case .answerHeadTooLarge:
            "The address is so long that the fields of the answer, such as the Link to the next page, "
                + "do not fit beside it."
        case .busy: "The server is busy; try again in a moment."
        case .stopping: "The server is stopping."
        case .malformed(_, let reason): reason
        case .unknownTransferCoding(_, let name):
            "The transfer coding \(name) is not supported; send the body plain or chunked."
        }
    }

    /// Whether what follows on the connection cannot be told apart from the refused body.
    var closesConnection: Bool {
        switch self {
        case .busy, .answerHeadTooLarge: false
        default: true
        }
    }
}
