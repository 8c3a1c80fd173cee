// `Idempotency-Key`: a write that is sent again gives its first answer.

import SteleAnswers
import SteleHTTP
import SteleModel
import StelePersistence
import SteleRequests
import SteleSystem

extension Service {
    /// Runs a write; one with a key that was answered already is not run again.
    /// - Throws: `Problem`: 409 while one with the key runs, 422 where it was another request's;
    ///   and as `Execution.write`.
    func write(_ plan: WritePlan, _ call: Call, by execution: Execution) throws -> Outcome {
        guard let name = call.terms.idempotencyKey else { return try execution.write(plan) }
        let request = call.request
        let key = [readerName, request.method, request.path, name].joined(separator: "\n")
        guard running.enter(key) else {
            throw Problem(
                .keyRunning, "a request with this Idempotency-Key is still running",
                headers: [("Retry-After", "1")])
        }
        defer { running.leave(key) }
        let fingerprint = Self.fingerprint(request)
        if let known = try answered(key, fingerprint, plan, execution) { return known }
        let answers = answers
        let receipt = AnswerReceipt(
            key: key, fingerprint: fingerprint, model: model,
            response: { answers.response($0, for: call) },
            // What is encrypted in its column would be there in the clear.
            objectBytes: model.hasSecrets ? 0 : options.limits.keptAnswerBytes,
            bodyBytes: options.limits.keptAnswerBytes)
        do {
            return try execution.write(plan, receipt)
        } catch StoreError.moved(let why) {
            // Another server over the same store may have answered it meanwhile.
            if let known = try answered(key, fingerprint, plan, execution) { return known }
            throw StoreError.moved(why)
        }
    }

    /// The first answer to a key's request.
    private func answered(
        _ key: String, _ fingerprint: Int64, _ plan: WritePlan, _ execution: Execution
    ) throws -> Outcome? {
        try execution.reading { context in
            let receipt = try context.reader().receipt(key)
            guard let receipt, receipt.isGood(at: ReferenceDate.now) else {
                return nil
            }
            guard receipt.fingerprint == fingerprint else {
                throw Problem(
                    .keyReused, "this Idempotency-Key was another request's, with another body",
                    hint: "a key belongs to one request: choose a new one")
            }
            return try AnswerReceipt.outcome(receipt, plan.deed, context)
        }
    }

    /// What a request says beside its method, path and key.
    private static func fingerprint(_ request: Request) -> Int64 {
        var print = Fingerprint()
        print.add(request.query ?? "")
        for name in ["Content-Type", "Prefer", "If-Match", "If-None-Match"] {
            print.add(request.headers[name] ?? "")
        }
        print.add(request.body)
        if let upload = request.sink as? BinaryUpload { print.add(String(upload.fingerprint)) }
        return Int64(bitPattern: print.value)
    }
}

/// The keys of the requests that run now.
final class RunningKeys: Sendable {
    private let keys = Mutex<Set<ExactText>>([])

    /// False where one with the key runs already.
    func enter(_ key: String) -> Bool { keys.withLock { $0.insert(ExactText(key)).inserted } }

    func leave(_ key: String) { _ = keys.withLock { $0.remove(ExactText(key)) } }
}
