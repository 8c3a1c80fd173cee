/// From outcomes to HTTP answers: statuses, header fields, bodies.

import SteleHTTP
import SteleJSON
import SteleModel
import StelePersistence
import SteleRequests

/// Makes the answers of a service.
package struct Answers: Sendable {
    /// A header field.
    package typealias Field = (name: String, value: String)

    package private(set) var renderer: SnapshotRenderer
    package let limits: Limits
    package let basePath: String
    /// The prefix of objects' addresses: the base path, or the address of an editing context.
    package private(set) var objectsPath: String
    /// Whether the answers are of an editing context: they are not kept and have no tags.
    package private(set) var isEditing = false
    /// From the cache generation when a request begins to that of its answer.
    private let generation: @Sendable (String) -> String

    package init(
        renderer: SnapshotRenderer, limits: Limits, basePath: String,
        generation: @escaping @Sendable (String) -> String
    ) {
        self.generation = generation
        self.renderer = renderer
        self.limits = limits
        self.basePath = basePath
        objectsPath = basePath
    }

    /// The same for the routes below an editing context.
    package func editing(_ context: String) -> Answers {
        var copy = self
        copy.objectsPath = "\(basePath)\(RoutePattern.contexts.rawValue)/\(context)"
        copy.renderer = renderer.addressing(below: copy.objectsPath)
        copy.isEditing = true
        return copy
    }

    var caching: [Field] { isEditing ? [("Cache-Control", "no-store")] : Self.caching }

    /// The caching fields of an answer that may be kept (contract, section 2).
    package static let caching: [Field] = [
        ("Cache-Control", "private, no-cache"),
        ("Vary", "Accept, Accept-Encoding, Authorization"),
    ]

    package func response(_ outcome: Outcome, for call: Call) -> Response {
        switch outcome {
        case .response(let response): response
        case .notModified(let tag):
            Response(status: 304, headers: [("ETag", "\"\(tag)\"")] + Self.caching)
        case .object(let one): object(one, call)
        case .null(let tag): read({ $0.null() }, tag, call)
        case .list(let list): self.list(list, nil, call)
        case .stream(let list, let more): self.list(list, more, call)
        case .binary(let content, let tag): binary(content, tag, call)
        case .count(let count, let tag):
            read({ Self.write("{\"count\":", count, to: &$0) }, tag, call)
        case .created(let objects, let isArray, let isNew, let entity):
            created(objects, isArray: isArray, status: isNew ? 201 : 200, of: entity, for: call)
        case .changed(let snapshot): changed(snapshot, call)
        case .operations(let all): minimal(call) ?? json(200) { operations(all, call, to: &$0) }
        case .again(let head, let objects, let isArray):
            again(head, objects, isArray: isArray, for: call)
        case .updatedAll(let count):
            minimal(call) ?? json(200) { Self.write("{\"updated\":", count, to: &$0) }
        case .deletedAll(let count):
            minimal(call) ?? json(200) { Self.write("{\"deleted\":", count, to: &$0) }
        case .done: Response(status: 204)
        case .members(let keys): minimal(call) ?? json(200) { $0.keys(keys) }
        case .destination(let key):
            minimal(call) ?? json(200) { if let key { $0.key(key) } else { $0.null() } }
        }
    }

    private func renderer(for call: Call) -> SnapshotRenderer {
        renderer.writingNumbersAsStrings(call.numbersAsStrings)
    }

    private func object(_ one: ListOutcome, _ call: Call) -> Response {
        let form = RowForm(.json, one, renderer: renderer(for: call))
        return read(
            { form.write(one.rows, 0, one.embedded, to: &$0) }, one.tag, call, of: one.entity)
    }

    private func list(_ list: ListOutcome, _ more: (any RowSource)?, _ call: Call) -> Response {
        let rows = ListBody(
            outcome: list, more: more,
            form: RowForm(call.format, list, renderer: renderer(for: call)))
        let made = rows.body(limits: limits, gzip: call.terms.acceptsGzip)
        if let failure = made.failure { return refusal(failure, list.entity) }
        let (body, isCompressed) = (made.body, made.isCompressed)
        var headers = head(list.tag, call.format, isCompressed: isCompressed)
        if let next = list.next { headers.append(("Link", call.link(to: next))) }
        if let total = list.total { headers.append(("Total-Count", String(total))) }
        return Response(status: 200, headers: headers, body: body)
    }

    /// The answer to a read that gives no list.
    private func read(
        _ write: (inout ByteWriter) -> Void, _ tag: String?, _ call: Call, of entity: Entity? = nil
    ) -> Response {
        var writer = ByteWriter(capacity: 512)
        write(&writer)
        if let failure = writer.failure { return refusal(failure, entity) }
        let (body, isCompressed) = Compression.body(
            writer.take(), gzip: call.terms.acceptsGzip, limits: limits)
        return Response(status: 200, headers: head(tag, isCompressed: isCompressed), body: body)
    }

    /// The answer if a value of it cannot be written.
    private func refusal(_ failure: any Error, _ entity: Entity?) -> Response {
        let problem =
            (failure as? UnreadableValue).map { value in
                entity.map { value.problem(of: $0) }
                    ?? Problem(.unreadable, "\(value.attribute) \(value.error.reason)")
            } ?? Problem(.internal, "a value cannot be written")
        return problem.response(basePath: basePath)
    }

    private func head(
        _ tag: String?, _ type: MediaType = .json, isCompressed: Bool
    ) -> [Field] {
        let name = type == .csv ? "text/csv; charset=utf-8; header=present" : type.rawValue
        var headers: [Field] = [("Content-Type", name)]
        if let tag { headers.append(("ETag", isCompressed ? "\"\(tag);gz\"" : "\"\(tag)\"")) }
        if isCompressed { headers.append(("Content-Encoding", "gzip")) }
        return headers + caching
    }

    private func json(
        _ status: Int, headers: [Field] = [], _ write: (inout ByteWriter) -> Void
    ) -> Response {
        var writer = ByteWriter(capacity: 512)
        write(&writer)
        return Response(
            status: status, headers: [("Content-Type", MediaType.json.rawValue)] + headers,
            body: .bytes(writer.take()))
    }

    /// The answer to a write with `Prefer: return=minimal`; nil without it.
    private func minimal(_ call: Call, _ headers: [Field] = []) -> Response? {
        guard call.terms.wantsMinimal else { return nil }
        return Response(status: 204, headers: headers + [Self.applied])
    }

    private static let applied: Field = ("Preference-Applied", "return=minimal")

    private func created(
        _ objects: [Snapshot], isArray: Bool, status: Int, of entity: Entity, for call: Call
    ) -> Response {
        var headers: [Field] = []
        if !isArray, let one = objects.first {
            headers.append(("Location", location(of: one)))
            headers += tag(of: one, call)
        } else {
            headers.append(("Location", Routes.path(ofEntity: entity.name, objectsPath)))
        }
        if call.terms.wantsMinimal {
            return Response(status: status, headers: headers + [Self.applied])
        }
        let renderer = renderer(for: call)
        return json(status, headers: headers) { writer in
            guard isArray else {
                if let one = objects.first { renderer.write(one, to: &writer) }
                return
            }
            writer.byte(UInt8(ascii: "["))
            for (index, object) in objects.enumerated() {
                if index > 0 { writer.byte(UInt8(ascii: ",")) }
                renderer.write(object, to: &writer)
            }
            writer.byte(UInt8(ascii: "]"))
        }
    }

    private func changed(_ snapshot: Snapshot, _ call: Call) -> Response {
        let headers = tag(of: snapshot, call)
        if let minimal = minimal(call, headers) { return minimal }
        // The sender of bytes does not get the object that holds them.
        if case .binary = call.route.resource { return Response(status: 204, headers: headers) }
        return json(200, headers: headers) { renderer(for: call).write(snapshot, to: &$0) }
    }

    private static func write(_ head: StaticString, _ count: Int, to writer: inout ByteWriter) {
        writer.raw(head)
        writer.integer(Int64(count))
        writer.byte(UInt8(ascii: "}"))
    }

    private func operations(
        _ all: [OperationOutcome], _ call: Call, isArray: Bool = true, to writer: inout ByteWriter
    ) {
        let renderer = renderer(for: call)
        if isArray { writer.byte(UInt8(ascii: "[")) }
        for (index, one) in all.enumerated() {
            if index > 0 { writer.byte(UInt8(ascii: ",")) }
            switch one {
            case .object(let snapshot?): renderer.write(snapshot, to: &writer)
            case .object(nil): writer.null()
            case .deleted(let entity, let key):
                writer.raw("{\"_entity\":")
                writer.string(renderer.model.entities[entity].name)
                writer.raw(",\"_id\":")
                if let key { writer.key(key) } else { writer.null() }
                writer.raw(",\"deleted\":true}")
            }
        }
        if isArray { writer.byte(UInt8(ascii: "]")) }
    }

    private func again(
        _ head: Response, _ objects: [OperationOutcome], isArray: Bool, for call: Call
    ) -> Response {
        var answer = head
        if !isArray, case .object(let one?)? = objects.first {
            answer.headers += tag(of: one, call)
        }
        var writer = ByteWriter(capacity: 512)
        operations(objects, call, isArray: isArray, to: &writer)
        answer.body = .bytes(writer.take())
        return answer
    }

    /// The tag of an object after a write.
    private func tag(of snapshot: Snapshot, _ call: Call) -> [Field] {
        if isEditing { return [] }
        let tag = EntityTags.plain(
            version: snapshot.version, generation: generation(call.cacheGeneration))
        return [("ETag", "\"\(tag)\"")]
    }

    /// The address of an object, under its concrete entity.
    private func location(of snapshot: Snapshot) -> String {
        let name = renderer.model.entities[snapshot.entity].name
        return "\(Routes.path(ofEntity: name, objectsPath))/\(TemporaryID.text(snapshot.key))"
    }
}

extension ByteWriter {
    /// Appends an array of ids.
    package mutating func keys(_ keys: [Int64]) {
        byte(UInt8(ascii: "["))
        for (index, key) in keys.enumerated() {
            if index > 0 { byte(UInt8(ascii: ",")) }
            self.key(key)
        }
        byte(UInt8(ascii: "]"))
    }
}
