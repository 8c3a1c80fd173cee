/// The only answer beside the road: a plain object, `GET /Person/42`, mostly from the row cache.

import SteleAnswers
import SteleGraph
import SteleHTTP
import SteleJSON
import SteleModel
import StelePersistence
import SteleRequests

/// Answers `GET` and `HEAD` of an object that is named by its address alone, on the thread of the
/// connection. The answer is that of the road, except for `Server-Timing`.
struct PlainGet: Sendable {
    let objects: PlainObjects
    let gate: Gate
    let place: Place
    let limits: Limits

    /// The object that a request names; nil for a request that takes the road.
    func object(of request: Request) -> ObjectAddress? {
        guard request.query == nil, request.method == "GET" || request.method == "HEAD",
            let object = objects.address(request.path), gate.admitsPlainly(request),
            Self.takesJSON(request.headers), !request.headers.contains("If-Match")
        else { return nil }
        return object
    }

    /// The answer from the row cache or a single read; nil for a request that takes the road.
    func response(of object: ObjectAddress, to request: Request) -> Response? {
        let coordinator = place.execution.coordinator
        let generation = coordinator.cacheGeneration
        guard
            let snapshot = coordinator.cachedSnapshot(object.id)
                ?? (try? place.execution.reading { try $0.snapshot(object.id) })
        else { return nil }
        // Reading can find that another program has changed the store.
        guard coordinator.cacheGeneration == generation else { return nil }
        return response(of: object, snapshot, generation, to: request)
    }

    /// The answer with an object's state.
    /// - Parameter generation: that of the tag.
    func response(
        of object: ObjectAddress, _ snapshot: Snapshot, _ generation: String, to request: Request
    ) -> Response? {
        let coordinator = place.execution.coordinator
        guard object.entity.isKind(snapshot.entity),
            !place.execution.forms.hasDerived(snapshot.entity)
        else { return nil }
        let tag = Self.tag(snapshot.version, generation)
        if let known = request.headers.list("If-None-Match"),
            !coordinator.computesTransients(snapshot.entity)
        {
            guard known == tag else { return nil }
            return Response(status: 304, headers: Self.head(tag, hasBody: false))
        }
        var writer = ByteWriter(capacity: 256)
        place.answers.renderer.write(snapshot, to: &writer)
        // The road answers with the error.
        if writer.failure != nil { return nil }
        if writer.count >= limits.compressionThreshold,
            Terms.takesGzip(request.headers.list("Accept-Encoding"))
        {
            return nil
        }
        return Response(
            status: 200, headers: Self.head(tag, hasBody: true), body: .bytes(writer.take()))
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

    /// The head of an answer; one without a body has no content type.
    private static func head(_ tag: String, hasBody: Bool) -> [Answers.Field] {
        var head: [Answers.Field] = [
            ("Content-Type", "application/json"), ("ETag", tag),
            ("Cache-Control", "private, no-cache"),
            ("Vary", "Accept, Accept-Encoding, Authorization"),
        ]
        if !hasBody { head.removeFirst() }
        return head
    }
}
