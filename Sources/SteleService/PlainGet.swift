/// The one answer beside the road: a plain object, `GET /Person/42`, mostly from the row cache.

import SteleAnswers
import SteleGraph
import SteleHTTP
import SteleJSON
import SteleModel
import StelePersistence
import SteleRequests

/// Answers `GET` and `HEAD` of an object by its address alone, on the thread that carries the
/// connection. What it does not answer takes the road, and the same request gets the same answer
/// there, but for `Server-Timing`.
struct PlainGet: Sendable {
    let objects: PlainObjects
    let gate: Gate
    let place: Place
    let limits: Limits

    /// The answer; nil for a request that takes the road.
    func response(to request: Request) -> Response? {
        guard request.query == nil, request.method == "GET" || request.method == "HEAD",
            let (entity, key) = objects.place(request.path), gate.admitsPlainly(request),
            Self.takesJSON(request.headers), !request.headers.contains("If-Match")
        else { return nil }
        let coordinator = place.execution.coordinator
        let generation = coordinator.cacheGeneration
        let id = ObjectID(root: entity.root, key: key)
        guard
            let snapshot = coordinator.cachedSnapshot(id)
                ?? (try? place.execution.reading { try $0.snapshot(id) }),
            entity.isKind(snapshot.entity), !place.execution.forms.hasDerived(snapshot.entity)
        else { return nil }
        // Reading may have found that another program has changed the store.
        guard coordinator.cacheGeneration == generation else { return nil }
        let tag = Self.tag(snapshot.version, generation)
        if let known = request.headers.list("If-None-Match") {
            guard known == tag else { return nil }
            return Response(status: 304, headers: Self.head(tag, 1))
        }
        var writer = ByteWriter(capacity: 256)
        place.answers.renderer.write(snapshot, to: &writer)
        // The road has words for it.
        if writer.failure != nil { return nil }
        if writer.count >= limits.compressionThreshold,
            Terms.takesGzip(request.headers.list("Accept-Encoding"))
        {
            return nil
        }
        return Response(status: 200, headers: Self.head(tag, 0), body: .bytes(writer.take()))
    }

    private static func takesJSON(_ headers: HTTPHeaders) -> Bool {
        guard let accept = headers.list("Accept") else { return true }
        return accept == "*/*" || accept == "application/json"
    }

    private static func tag(_ version: Int64, _ generation: String) -> String {
        var writer = ByteWriter(capacity: 40)
        writer.byte(UInt8(ascii: "\""))
        writer.integer(version)
        writer.byte(UInt8(ascii: "-"))
        writer.write(generation)
        writer.byte(UInt8(ascii: "\""))
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// The head of an answer, without its first fields: 1 leaves out what a 304 has not.
    private static func head(_ tag: String, _ skipped: Int) -> [Answers.Field] {
        let head: [Answers.Field] = [
            ("Content-Type", "application/json"), ("ETag", tag),
            ("Cache-Control", "private, no-cache"),
            ("Vary", "Accept, Accept-Encoding, Authorization"),
        ]
        return skipped == 0 ? head : Array(head.dropFirst(skipped))
    }
}
