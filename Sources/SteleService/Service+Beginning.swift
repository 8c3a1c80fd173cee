// What is done on the thread that carries the connection, which must not wait: a plain object and
// the health check from its first byte to its last, every other read and write as far as a small
// budget of time reaches. Decision 0015 has the measurements.

import SteleGraph
import SteleHTTP
import SteleJSON
import SteleModel
import StelePersistence
import StelePredicates

extension Service {
    /// Begins a request on the thread that carries its connection: answers what is short, hands a
    /// save to the writer, and leaves to a worker what would take longer than a moment.
    public func begin(_ request: Request) -> Beginning {
        if let response = plainAnswer(request) { return .answered(response) }
        var passage = Passage(request, options)
        do {
            let route = try route(&passage)
            // It may have to wait for its turn.
            if route.context != nil { return .mustWait }
            guard isBrief(request) else { return .needsWorker }
            let plan = try plan(route, &passage)
            guard isBrief(plan) else { return .needsWorker }
            if case .write(let write) = plan.action {
                return begin(try brief.begin(write), plan.call, passage)
            }
            let outcome = try execute(plan, by: brief)
            return .answered(finish(outcome, plan.call, passage))
        } catch StoreError.overBudget {
            return .needsWorker
        } catch StoreError.moved {
            return .needsWorker
        } catch StoreError.busy {
            return .needsWorker
        } catch {
            return .answered(refuse(error, passage))
        }
    }

    /// Whether a request is short as it came: what its plan takes is not measured.
    private func isBrief(_ request: Request) -> Bool {
        guard request.body.count <= options.limits.briefBodyBytes else { return false }
        guard let query = request.query else { return true }
        // A regular expression is compiled with the plan, which nothing can stop.
        return query.utf8.count <= options.limits.briefQueryBytes && !Self.mayMatch(query)
    }

    /// Whether a query may have MATCHES in it, in any spelling.
    private static func mayMatch(_ query: String) -> Bool {
        var rest = query.utf8[...]
        while let at = rest.firstIndex(where: { $0 | 0x20 == UInt8(ascii: "m") || $0 == 0x25 }) {
            rest = rest[at...]
            // An escaped letter may be one of the word: %41 to %5A and %61 to %7A.
            let digits = rest.dropFirst().prefix(2)
            let isEscape =
                rest.first == 0x25
                && UInt8(Substring(digits), radix: 16).map { ($0 | 0x20) &- 0x61 < 26 } ?? false
            if isEscape || rest.prefix(7).elementsEqual("matches".utf8, by: { $0 | 0x20 == $1 }) {
                return true
            }
            rest = rest.dropFirst()
        }
        return false
    }

    /// Whether a plan is short by its own size, whatever its statements take.
    private func isBrief(_ plan: Plan) -> Bool {
        switch plan.action {
        case .page, .readiness, .live, .makeContext, .context: false
        // From now on; with a token to begin at, the history is read first.
        case .changes:
            plan.call.query[.since] == nil && !plan.call.request.headers.contains("Last-Event-ID")
                && plan.call.format == .events
        // To compress takes longer than to read.
        case .list(let list):
            list.pageLimit <= options.limits.briefRows && !list.isStreamed
                && !plan.call.terms.acceptsGzip && !(list.wantsCount && countsAll(list.request))
        case .object: !plan.call.terms.acceptsGzip
        // SQLite counts a whole table in one step, which no budget breaks off.
        case .count(let count): !countsAll(count.request)
        case .binary, .write: true
        }
    }

    private func countsAll(_ request: FetchRequest) -> Bool { !request.hasPredicate }

    /// The save is the writer's; the answer is made when it is on disk.
    private func begin(_ write: BegunWrite, _ call: Call, _ passage: Passage) -> Beginning {
        guard let request = write.request else {
            return .answered(finish(write.unchanged, call, passage))
        }
        return .pending { [self] reply in
            coordinator.store.save(request) { result in
                switch result {
                case .success(let saved):
                    reply.answer { self.finish(write.applied.outcome(after: saved), call, passage) }
                // It lost a race, or there is a queue: a worker makes it again, and may wait.
                case .failure(.moved), .failure(.conflicts), .failure(.busy):
                    reply.leaveToWorker()
                case .failure(.constraint(let conflict)):
                    let error = PlacedConflict(conflict: conflict, places: write.places)
                    reply.answer { self.refuse(error, passage) }
                case .failure(let error): reply.answer { self.refuse(error, passage) }
                }
            }
        }
    }

    /// Answers `GET` or `HEAD` of a plain object, mostly from the row cache, and the health check;
    /// nil for everything else.
    private func plainAnswer(_ request: Request) -> Response? {
        guard request.query == nil, request.method == "GET" || request.method == "HEAD" else {
            return nil
        }
        guard let (entity, key) = routes.plainObjects.place(request.path) else {
            return request.path == pages.healthPath && gate.admitsPlainly(request)
                ? Pages.status("alive") : nil
        }
        guard gate.admitsPlainly(request), Self.takesJSON(request.headers),
            !request.headers.contains("If-Match")
        else { return nil }
        let generation = coordinator.cacheGeneration
        let id = ObjectID(root: entity.root, key: key)
        guard
            let snapshot = coordinator.cachedSnapshot(id)
                ?? (try? brief.reading { try $0.snapshot(id) }),
            entity.isKind(snapshot.entity), !execution.forms.hasDerived(snapshot.entity),
            // To read may have found that another program has changed the store.
            coordinator.cacheGeneration == generation
        else { return nil }
        let tag = Self.tag(snapshot.version, generation)
        if let known = request.headers.list("If-None-Match") {
            if known == tag { return Response(status: 304, headers: Self.plainHead(tag, 1)) }
            // Anything but one tag as it was given is read with care.
            if known.utf8.count > tag.utf8.count || known == "*" { return nil }
        }
        var writer = ByteWriter(capacity: 256)
        answers.renderer.write(snapshot, to: &writer)
        // The long way has words for it.
        if writer.failure != nil { return nil }
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
