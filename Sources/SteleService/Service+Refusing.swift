// Answers that are errors, and the log.

import Logging
import SteleAnswers
import SteleHTTP
import SteleRequests

extension Service {
    func refuse(_ error: any Error, _ passage: Passage) -> Response {
        let answers = passage.place.answers
        let answer = ErrorResponse(
            error, renderer: answers.renderer, basePath: answers.objectsPath,
            isEditing: answers.isEditing)
        if let (id, text) = answer.secret {
            logger.error("request failed", metadata: ["id": "\(id)", "error": "\(text)"])
        }
        let response = answer.problem.response(basePath: options.basePath)
        log(passage.request, passage.route?.pattern, response)
        return response
    }

    /// The answer to a request that the HTTP layer refuses.
    public func refuse(_ refusal: Refusal) -> Response {
        let message = refusal.message
        let problem =
            switch refusal {
            case .bodyTooLarge: Problem(.bodyTooLarge, message)
            case .targetTooLong, .answerHeadTooLarge:
                Problem(.targetTooLong, message, hint: Query.asBody)
            case .headTooLarge:
                Problem(.headTooLarge, message, hint: "send fewer header fields, or shorter ones")
            case .busy(_, let seconds):
                Problem(.busy, message, headers: [("Retry-After", String(seconds))])
            case .stopping: Problem(.unavailable, message, headers: [("Retry-After", "1")])
            case .malformed: Problem(.malformed, message)
            case .unknownTransferCoding: Problem(.notBuilt, message)
            }
        let response = problem.response(basePath: options.basePath)
        log(refusal.request, nil, response)
        return response
    }

    func log(_ request: Request, _ pattern: RoutePattern?, _ response: Response) {
        guard logger.logLevel <= .debug else { return }
        let elapsed = ServerTiming.milliseconds(since: request.receivedAt)
        logger.debug(
            "request",
            metadata: [
                "method": "\(request.method)", "route": "\(pattern?.rawValue ?? "-")",
                "status": "\(response.status)", "ms": "\(elapsed)",
            ])
    }
}
