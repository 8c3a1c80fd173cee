// Whether a request is short, as far as its own size tells. What its statements cost is known when
// they run: at a brief pace, reading has a budget.

import SteleHTTP
import SteleModel
import StelePredicates

extension Route {
    /// Whether a request for the route is read at a brief pace.
    package func isBrief(_ request: Request, _ limits: Limits) -> Bool {
        // An editing context may be in use, and the disk under a sink may be slow.
        context == nil && request.sink == nil && request.body.count <= limits.briefBodyBytes
            && request.query?.utf8.count ?? 0 <= limits.briefQueryBytes
    }

    /// Whether the parameters are so short that reading and planning them has a small bound.
    package func isBounded(_ request: Request, _ limits: Limits) -> Bool {
        guard case .query = resource else { return true }
        return request.body.count <= limits.shortQueryBytes
    }
}

extension Call {
    /// Whether the call is planned at a brief pace.
    package func isBrief(_ limits: Limits) -> Bool {
        // Those of a body are no part of the address, whose length is known before it is read.
        guard query.bytes <= limits.briefQueryBytes else { return false }
        return switch route.resource {
        // It must be answered beside all other requests.
        case .readiness: true
        case .metrics, .backup, .metadata, .live, .tickets, .contexts, .context, .index,
            .model, .modelVersions, .modelVersion, .modelChanges, .rights, .page, .errorCodes,
            .openAPI, .templates, .options:
            false
        // A feed from now on. With a token, the history is read first.
        case .changes:
            format == .events && query[.since] == nil && query[.where] == nil
                && !request.headers.contains("Last-Event-ID")
        default: format != .events
        }
    }
}

extension Plan {
    /// Whether the plan is executed at a brief pace.
    package func isBrief(_ limits: Limits) -> Bool {
        switch action {
        // Compressing takes longer than reading.
        case .list(let list):
            list.pageLimit <= limits.briefRows && !list.isStreamed && !call.terms.acceptsGzip
                && !(list.wantsCount && list.request.predicate == nil)
        case .object: !call.terms.acceptsGzip
        // SQLite counts a whole table in one step, which no budget can interrupt.
        case .count(let count): count.request.predicate != nil
        case .write(let write):
            write.deed.allOf == nil && write.mergePolicy == .error
                && call.terms.idempotencyKey == nil
        default: true
        }
    }

    /// Whether what the plan reads has a budget, and its cost on a worker a bound.
    package var isBounded: Bool {
        switch action {
        // The rows are read as the client takes them, and those of a live query all at once.
        case .list(let list): !list.isStreamed
        case .live: false
        default: true
        }
    }

    /// Whether it may read in one view of the store for long.
    package var keepsView: Bool {
        switch action {
        case .list, .count, .object, .binary: true
        default: false
        }
    }
}
