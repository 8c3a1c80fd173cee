// `Idempotency-Key`: a repeated write gets the first answer.

import SteleAnswers
import SteleHTTP
import SteleModel
import StelePersistence
import SteleRequests
import SteleSystem

extension Service {
    /// Runs a write, unless one with its `Idempotency-Key` has been answered.
    /// - Throws: `Problem`: 409 while a write with the key runs, 422 if the key belongs to another
    ///   request; otherwise as `Execution.write`.
    func write(_ plan: WritePlan, _ call: Call, by execution: Execution) throws -> Outcome {
        guard let name = call.terms.idempotencyKey else { return try execution.write(plan) }
        let request = call.request
        let rights = execution.rights
        // A token may get other rights while its answers are kept.
        let sender = ([rights.name] + [rights.mark].compactMap(\.self))
            .joined(separator: "\n")
        let key = [sender, request.method, request.path, name].joined(
            separator: "\n")
        guard running.enter(key) else {
            throw Problem(
                .keyRunning, "a request with this Idempotency-Key is still running",
                headers: [("Retry-After", "1")])
        }
        defer { running.leave(key) }
        let answers = answers
        let receipt = AnswerReceipt(
            key: key, fingerprint: Self.fingerprint(request), model: model,
            response: { answers.response($0, for: call) },
            // The receipt would hold encrypted values in the clear, or what is not seen.
            objectBytes: model.hasSecrets || !rights.isAll ? 0 : options.limits.keptAnswerBytes,
            bodyBytes: rights.isAll ? options.limits.keptAnswerBytes : 0)
        if let known = try answered(receipt, plan, execution) { return known }
        do {
            return try execution.write(plan, receipt)
        } catch StoreError.moved(let why) {
            // Another server over the same store may have answered it in the meantime.
            if let known = try answered(receipt, plan, execution) { return known }
            throw StoreError.moved(why)
        }
    }

    /// The first answer to a request with the receipt's key.
    private func answered(
        _ wanted: AnswerReceipt, _ plan: WritePlan, _ execution: Execution
    ) throws -> Outcome? {
        try execution.reading { context in
            let receipt = try context.reader().receipt(wanted.key)
            guard let receipt, receipt.isGood(at: ReferenceDate.now) else {
                return nil
            }
            guard receipt.fingerprint == wanted.fingerprint else {
                throw Problem(
                    .keyReused, "this Idempotency-Key belongs to a request with another body",
                    hint: "a key belongs to one request: choose a new one")
            }
            return try AnswerReceipt.outcome(receipt, plan.deed, context)
        }
    }

    /// A hash of the request besides its method, path and key.
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

/// The keys of the requests that are running.
final class RunningKeys: Sendable {
    private let keys = Mutex<Set<ExactText>>([])

    /// False if a request with the key is already running.
    func enter(_ key: String) -> Bool { keys.withLock { $0.insert(ExactText(key)).inserted } }

    func leave(_ key: String) { _ = keys.withLock { $0.remove(ExactText(key)) } }
}
