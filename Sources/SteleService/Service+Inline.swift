// What is answered at once, on the thread that carries the connection: a plain object that the
// row cache holds, and the health check.

import SteleHTTP
import SteleJSON
import SteleModel
import StelePersistence

/// The addresses of plain objects: `/Person/42` under the base path.
struct PlainObjects: Sendable {
    private let basePath: [UInt8]
    private let entities: KeyTable<Entity>

    init(_ model: Model, forms: BodyForms, basePath: String) {
        self.basePath = Array(basePath.utf8)
        entities = KeyTable(
            model.entities.filter {
                Routes.livesAtRoot($0.name) && !forms.hasDerived($0.index)
            }.map { ($0.name, $0) })
    }

    /// The entity and key of a path; nil for every other path, and for one that is escaped.
    func place(_ path: String) -> (entity: Entity, key: Int64)? {
        path.utf8.withContiguousStorageIfAvailable { place($0) } ?? nil
    }

    private func place(_ path: UnsafeBufferPointer<UInt8>) -> (entity: Entity, key: Int64)? {
        let start = basePath.count + 1
        guard path.count > start, path[start - 1] == UInt8(ascii: "/"),
            path.prefix(basePath.count).elementsEqual(basePath)
        else { return nil }
        // From the end: the id's digits, then the slash.
        var at = path.count
        var key: Int64 = 0
        var scale: Int64 = 1
        while at > start, (0x30...0x39).contains(path[at - 1]) {
            at -= 1
            key &+= Int64(path[at] & 0xF) &* scale
            scale &*= 10
        }
        let digits = path.count - at
        guard digits > 0, digits < 19, path[at] != 0x30, at > start + 1,
            path[at - 1] == UInt8(ascii: "/")
        else { return nil }
        let name = UnsafeBufferPointer(rebasing: path[start..<at - 1])
        return entities[name].map { ($0, key) }
    }
}

extension Service {
    /// Answers what is short and bounded: `GET` or `HEAD` of a plain object in the row cache, and
    /// the health check; nil for everything else, which a worker answers.
    public func answerInline(_ request: Request) -> Response? {
        guard request.query == nil, request.method == "GET" || request.method == "HEAD" else {
            return nil
        }
        guard let (entity, key) = plainObjects.place(request.path) else {
            return request.path == pages.healthPath && gate.admitsPlainly(request)
                ? Pages.status("alive") : nil
        }
        guard gate.admitsPlainly(request), Self.takesJSON(request.headers) else { return nil }
        let generation = coordinator.cacheGeneration
        guard let snapshot = coordinator.cachedSnapshot(ObjectID(root: entity.root, key: key)),
            entity.isKind(snapshot.entity)
        else { return nil }
        let tag = Self.tag(snapshot.version, generation)
        if let known = request.headers["If-None-Match"] {
            if known == tag { return Response(status: 304, headers: Self.plainHead(tag, 1)) }
            // Anything but one tag as it was given is read with care.
            if known.utf8.count > tag.utf8.count || known == "*" { return nil }
        }
        var writer = ByteWriter(capacity: 256)
        answers.renderer.write(snapshot, to: &writer)
        if writer.count >= options.limits.compressionThreshold,
            Terms.takesGzip(request.headers["Accept-Encoding"])
        {
            return nil
        }
        return Response(
            status: 200, headers: Self.plainHead(tag, 0), body: .bytes(writer.take()))
    }

    private static func takesJSON(_ headers: HTTPHeaders) -> Bool {
        guard let accept = headers["Accept"] else { return true }
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

    /// The head of a plain answer, or with 1 that of a 304.
    private static func plainHead(_ tag: String, _ skipped: Int) -> [Answers.Field] {
        let head: [Answers.Field] = [
            ("Content-Type", "application/json"), ("ETag", tag),
            ("Cache-Control", "private, no-cache"),
            ("Vary", "Accept, Accept-Encoding, Authorization"),
        ]
        return skipped == 0 ? head : Array(head.dropFirst(skipped))
    }
}
