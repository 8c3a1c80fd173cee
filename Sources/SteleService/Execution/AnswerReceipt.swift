/// `Idempotency-Key`: the answer of a write, kept with its save.

import SteleGraph
import SteleHTTP
import SteleJSON
import StelePersistence

/// What is kept of a write's answer, and under which key.
struct AnswerReceipt: Sendable {
    let key: String
    let fingerprint: Int64
    /// Makes the answer of what came of the write.
    let response: @Sendable (Outcome) -> Response
    /// Bytes of a body up to which it is kept with its answer.
    let bodyBytes: Int

    /// The save of what a context has changed, with the receipt; also where that is nothing.
    func request(_ applied: Applied, _ context: ManagedObjectContext) throws -> SaveRequest {
        var request = try context.saveRequest() ?? SaveRequest(readToken: context.token())
        request.receipt = ReceiptRequest(key: key, fingerprint: fingerprint) { result in
            bytes(applied.outcome(after: result))
        }
        return request
    }

    /// A part of a save that is nothing but the receipt.
    func request(_ outcome: Outcome) -> SaveRequest {
        var request = SaveRequest(readToken: 0)
        request.receipt = ReceiptRequest(key: key, fingerprint: fingerprint) { _ in bytes(outcome) }
        return request
    }

    private func bytes(_ outcome: Outcome) -> [UInt8] {
        let response = response(outcome)
        var members: [(String, JSONValue)] = [
            ("status", .integer(Int64(response.status))),
            (
                "headers",
                .array(response.headers.map { .array([.string($0.name), .string($0.value)]) })
            ),
        ]
        if case .bytes(let body) = response.body, body.count <= bodyBytes {
            members.append(("body", .string(String(decoding: body, as: UTF8.self))))
        }
        var writer = ByteWriter()
        JSONValue.object(members).write(to: &writer)
        return writer.take()
    }

    /// The answer that a receipt holds; nil for what cannot be read. One whose body was too large
    /// to be kept comes without, as for `Prefer: return=minimal`.
    static func response(_ receipt: Receipt) -> Response? {
        guard let root = try? JSONDocument(receipt.answer).root,
            let status = root["status"]?.integer, (100...599).contains(status)
        else { return nil }
        var headers: [(name: String, value: String)] = []
        root["headers"]?.forEachElement { pair in
            guard let name = pair[0]?.string, let value = pair[1]?.string else { return }
            headers.append((name, value))
        }
        guard let body = root["body"]?.string else {
            headers.removeAll { $0.name == "Content-Type" }
            headers.append(("Preference-Applied", "return=minimal"))
            return Response(status: status == 200 ? 204 : Int(status), headers: headers)
        }
        return Response(status: Int(status), headers: headers, body: .bytes(Array(body.utf8)))
    }
}
