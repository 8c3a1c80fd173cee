/// The patterns of all routes.

/// The pattern of a route, as `Docs/HTTP.md` lists it and histories name it.
package enum RoutePattern: String, Sendable, CaseIterable {
    case index = "/"
    case health = "/healthz"
    case readiness = "/readyz"
    case metrics = "/metrics"
    case backup = "/backup"
    case model = "/model"
    case modelVersions = "/model/versions"
    case modelVersion = "/model/versions/{version}"
    case modelChanges = "/model/changes"
    case rights = "/rights"
    case page = "/page/{file}"
    case metadata = "/metadata"
    case changes = "/changes"
    case live = "/live"
    case tickets = "/tickets"
    case errorCodes = "/docs/errors"
    case openAPI = "/openapi.json"
    case templates = "/fetch"
    case template = "/fetch/{name}"
    case transactions = "/transactions"
    case list = "/{Entity}"
    case count = "/{Entity}/count"
    case query = "/{Entity}/query"
    case object = "/{Entity}/{id}"
    case related = "/{Entity}/{id}/{relationship}"
    case fetchedProperty = "/{Entity}/{id}/{fetchedProperty}"
    case binary = "/{Entity}/{id}/{attribute}"
    case relatedCount = "/{Entity}/{id}/{relationship}/count"
    case member = "/{Entity}/{id}/{relationship}/{member}"
    case contexts = "/contexts"
    case contextsOpenAPI = "/contexts/openapi.json"
    case context = "/contexts/{context}"
    case childContexts = "/contexts/{context}/contexts"
    case contextChanges = "/contexts/{context}/changes"
    case contextUndo = "/contexts/{context}/undo"
    case contextRedo = "/contexts/{context}/redo"
    case contextUndoGroup = "/contexts/{context}/undo-group"
    case contextUndoGroupEnd = "/contexts/{context}/undo-group/end"
    case contextValidate = "/contexts/{context}/validate"
    case contextSave = "/contexts/{context}/save"
    case contextRollback = "/contexts/{context}/rollback"
    case contextReset = "/contexts/{context}/reset"
    case contextRefresh = "/contexts/{context}/refresh"

    /// Whether it says how the service is, which needs no token.
    package var isHealthCheck: Bool { self == .health || self == .readiness }

    /// The methods besides HEAD and OPTIONS. Those of a relationship depend on its kind.
    package var methods: [Method] {
        switch self {
        case .changes: [.get, .delete]
        case .metadata: [.get, .patch]
        case .index, .health, .readiness, .metrics, .model, .modelVersions, .modelVersion,
            .modelChanges, .rights, .page, .live, .errorCodes, .openAPI, .templates, .template,
            .count, .fetchedProperty, .relatedCount, .contextsOpenAPI, .contextChanges:
            [.get]
        case .backup, .tickets, .query, .transactions, .contexts, .childContexts, .contextUndo,
            .contextRedo, .contextUndoGroup, .contextUndoGroupEnd, .contextValidate,
            .contextSave, .contextRollback,
            .contextReset,
            .contextRefresh:
            [.post]
        case .context: [.get, .patch, .delete]
        case .list: [.get, .post, .patch, .delete]
        case .object: [.get, .put, .patch, .delete]
        case .related: [.get, .post, .put, .delete]
        case .binary: [.get, .put, .delete]
        case .member: [.get, .delete]
        }
    }
}
