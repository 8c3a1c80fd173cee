// Answers that are errors.

import Logging
import SteleAnswers
import SteleHTTP
import SteleRequests

extension Service {
    func refuse(_ error: any Error, _ passage: Passage) -> Response {
        let answers = passage.place.answers
        // Until a request is planned nothing is evaluated, and errors are of its own texts.
        let error = passage.plan == nil ? error : passage.rights.told(error)
        let renderer = answers.renderer.writingNumbersAsStrings(
            passage.call?.numbersAsStrings ?? false)
        let answer = ErrorResponse(
            error, renderer: renderer, basePath: answers.objectsPath,
            isEditing: answers.isEditing)
        if let (id, text) = answer.secret {
            logger.error("request failed", metadata: ["id": "\(id)", "error": "\(text)"])
        }
        if passage.route?.pattern == .backup {
            logger.error("a backup has failed", metadata: ["error": "\(answer.problem.detail)"])
        } else {
            storeTrouble.note(answer.problem)
        }
        return noted(
            answer.problem.response(basePath: options.basePath), to: passage.request,
            passage.route?.pattern, from: passage.rights.name, answer.problem)
    }

    /// The answer to a request that the HTTP layer refuses.
    public func refuse(_ refusal: Refusal) -> Response {
        let message = refusal.message
        let problem =
            switch refusal {
            case .bodyTooLarge:
                Problem(
                    .bodyTooLarge, message,
                    hint: "send it in parts, or raise the setting body-limit of the service")
            case .targetTooLong, .answerHeadTooLarge:
                Problem(.targetTooLong, message, hint: Query.asBody)
            case .headTooLarge:
                Problem(.headTooLarge, message, hint: "send fewer header fields, or shorter ones")
            case .busy(_, let seconds):
                Problem(.busy, message, headers: [("Retry-After", String(seconds))])
            case .unfinished(let request) where !["GET", "HEAD"].contains(request.method):
                Problem(
                    .unavailable, "\(message) It may be done all the same.",
                    hint: "look whether it is done before it is sent again; with an "
                        + "Idempotency-Key it may be sent again at once")
            case .stopping, .unfinished:
                Problem(.unavailable, message, headers: [("Retry-After", "1")])
            case .malformed: Problem(.malformed, message)
            case .unknownTransferCoding: Problem(.notBuilt, message)
            }
        return noted(
            problem.response(basePath: options.basePath), to: refusal.request, nil, problem)
    }
}
