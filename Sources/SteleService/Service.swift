/// The service: what answers every request, over any store.

import Logging
import SteleGraph
import SteleHTTP
import SteleModel
import StelePersistence
import SteleMutex

/// Serves one store's objects over HTTP.
///
/// It knows no socket: it is given complete requests, on any thread, and gives answers.
public final class Service: Sendable {
    /// The version that `GET /` names.
    public static let version = "0.1.0"

    /// How a service is set up.
    public struct Options: Sendable {
        /// What stands before every path, such as `/api`; empty at the root.
        public var basePath = ""
        /// Names beside IP addresses and `localhost` that `Host` and `Origin` may hold.
        public var allowedHosts: [String] = []
        /// The bearer token that every request but a health check must bring; nil for none.
        public var token: String?
        /// The most bytes of a value that is streamed into a file.
        public var uploadBytes = 1 << 30
        /// The bounds that it works within.
        public var limits = Limits()
        /// Seconds between two heartbeats of an event stream.
        public var heartbeatSeconds = 15.0
        /// Seconds that a save is kept in the history; nil for ever.
        public var historySeconds: Double? = 7 * 86_400
        /// About how many bytes the history may take; nil for any number.
        public var historyBytes: Int? = 1 << 30
        /// Whether answers say in `Server-Timing` what they took, step by step.
        public var serverTiming = true
        /// What editing contexts expire by: seconds since 2001-01-01T00:00:00Z, never going back;
        /// nil is the time.
        public var clock: (@Sendable () -> Double)?

        /// The options as `Config/stele.yaml` has them.
        public init() {}
    }

    /// The feed behind `/changes`; to be started and stopped with the server.
    public let changeFeed: ChangeFeed
    /// Lists that are followed; to be stopped with the server.
    public let liveQueries: LiveQueries
    let coordinator: PersistentStoreCoordinator
    let options: Options
    let logger: Logger
    let gate: Gate
    let routes: Routes
    let execution: Execution
    /// The same for a thread that must not wait.
    let brief: Execution
    let answers: Answers
    let plans = PlanCache()
    let pages: Pages
    let running = RunningKeys()
    /// The editing contexts that clients keep here.
    let contexts: EditingContexts

    /// A service over that coordinator's store.
    public init(
        coordinator: PersistentStoreCoordinator, options: Options = Options(), logger: Logger
    ) {
        self.coordinator = coordinator
        self.options = options
        self.logger = logger
        let model = coordinator.model
        let renderer = SnapshotRenderer(model: model, basePath: options.basePath)
        gate = Gate(
            allowedHosts: options.allowedHosts, token: options.token,
            healthPath: options.basePath + RoutePattern.health.rawValue)
        routes = Routes(model: model, basePath: options.basePath)
        let forms = BodyForms(model)
        let streams = StreamPlaces(options.limits.streams)
        execution = Execution(
            coordinator: coordinator, forms: forms, limits: options.limits, budget: nil,
            streams: streams)
        brief = Execution(
            coordinator: coordinator, forms: forms, limits: options.limits,
            budget: options.limits.briefReading, streams: streams)
        answers = Answers(
            renderer: renderer, limits: options.limits, basePath: options.basePath,
            generation: { coordinator.cacheGeneration(ofWhatWasReadSince: $0) })
        pages = Pages(model: model, basePath: options.basePath, limits: options.limits)
        contexts = EditingContexts(
            coordinator, limits: options.limits,
            now: options.clock ?? EditingContexts.steadyClock())
        var feed = ChangeFeed.Options()
        feed.basePath = options.basePath
        feed.heartbeatSeconds = options.heartbeatSeconds
        feed.historySeconds = options.historySeconds
        feed.historyBytes = options.historyBytes
        changeFeed = ChangeFeed(
            coordinator: coordinator, renderer: renderer, options: feed, logger: logger)
        liveQueries = LiveQueries(
            coordinator, execution: execution, renderer: renderer, options: feed, logger: logger)
    }

    var model: Model { coordinator.model }

    /// What who asks may see.
    var reader: Visibility { .everything }

    /// Answers a request on the caller's thread, from its first line to its last.
    public func respond(to request: Request) -> Response {
        var passage = Passage(request, options)
        do {
            let route = try route(&passage)
            if let id = route.context {
                return respond(route, in: try contexts.context(id, of: reader.name), passage)
            }
            let plan = try plan(route, &passage)
            let outcome = try execute(plan, by: execution)
            return finish(outcome, plan.call, passage)
        } catch {
            return refuse(error, passage)
        }
    }

    /// Who may ask, and what the address means.
    func route(_ passage: inout Passage) throws -> Route {
        try gate.admit(passage.request)
        let route = try routes.match(passage.request)
        passage.pattern = route.pattern
        passage.timing.lap("route")
        return route
    }

    /// From a request to what will be done for it; nothing touches the store.
    /// - Parameter temporaries: what temporary ids have become in the editing context that is asked.
    func plan(
        _ route: Route, _ passage: inout Passage, _ temporaries: TemporaryIDs? = nil
    ) throws -> Plan {
        let call = try Call(
            passage.request, route: route, limits: options.limits,
            cacheGeneration: coordinator.cacheGeneration,
            storeIdentifier: coordinator.store.identifier, plans: plans, visibility: reader,
            temporaries: temporaries)
        passage.timing.lap("call")
        let plan = try Plan(
            call, model: model, visibility: reader, plans: plans, routes: routes)
        passage.timing.lap("plan")
        return plan
    }

    func execute(_ plan: Plan, by execution: Execution) throws -> Outcome {
        switch plan.action {
        case .page: .response(try pages.response(for: plan.call))
        case .readiness: .response(try ready())
        case .changes where plan.call.route.method == .delete:
            .response(try changeFeed.delete(plan.call.query))
        case .changes:
            .response(
                try changeFeed.answer(plan.call.request, plan.call.query, as: plan.call.format))
        case .live(let parts): .response(try liveQueries.answer(parts, plan.call.request))
        case .list(let list):
            try plan.call.locating { try execution.list(list, plan.call.terms) }
        case .count(let count):
            try plan.call.locating { try execution.count(count, plan.call.terms) }
        case .object(let object): try execution.object(object, plan.call.terms)
        case .binary(let binary): try execution.binary(binary, plan.call.terms)
        case .write(let write):
            try write.settlingUpload { try self.write(write, plan.call, by: execution) }
        case .makeContext: .response(try makeContext(plan.call))
        // It has an id, and never comes here.
        case .context: .done
        }
    }

    /// From what came of a plan to its answer.
    /// - Parameter place: where it is answered from, if not from the store itself.
    func finish(
        _ outcome: Outcome, _ call: Call, _ passage: Passage, _ place: Answers? = nil
    ) -> Response {
        var timing = passage.timing
        timing.lap("execution")
        var response = (place ?? answers).response(outcome, for: call)
        timing.lap("response")
        timing.add(to: &response)
        log(passage.request, passage.pattern, response)
        return response
    }

    /// From an error to its answer.
    func refuse(
        _ error: any Error, _ passage: Passage, _ place: Answers? = nil
    ) -> Response {
        let response = self.response(to: error, place ?? answers)
        log(passage.request, passage.pattern, response)
        return response
    }

    private func ready() throws -> Response {
        let reader = try coordinator.store.reader()
        defer { reader.close() }
        _ = try reader.token
        return Pages.status("ready")
    }

    private func response(to error: any Error, _ place: Answers) -> Response {
        let answer = ErrorResponse(
            error, renderer: place.renderer, basePath: place.objectsPath,
            isEditing: place.isEditing)
        if let (id, text) = answer.secret {
            logger.error("request failed", metadata: ["id": "\(id)", "error": "\(text)"])
        }
        return answer.problem.response(basePath: options.basePath)
    }

    /// The way out for a query that is too long for an address.
    static let queryAsBody = "POST /{Entity}/query takes the same as a JSON body"

    /// Renders what the HTTP layer itself refuses.
    public func refuse(_ refusal: Refusal) -> Response {
        let message = refusal.message
        let problem =
            switch refusal {
            case .bodyTooLarge: Problem(.bodyTooLarge, message)
            case .targetTooLong, .answerHeadTooLarge:
                Problem(.targetTooLong, message, hint: Self.queryAsBody)
            case .headTooLarge:
                Problem(.headTooLarge, message, hint: "send fewer header fields, or shorter ones")
            case .busy(_, let seconds):
                Problem(.busy, message, headers: [("Retry-After", String(seconds))])
            case .stopping: Problem(.unavailable, message, headers: [("Retry-After", "1")])
            case .malformed: Problem(.malformed, message)
            case .unknownTransferCoding: Problem(.notBuilt, message)
            }
        let response = problem.response(basePath: options.basePath)
        log(refusal.request, nil, response)
        return response
    }

    private func log(_ request: Request, _ pattern: RoutePattern?, _ response: Response) {
        guard logger.logLevel <= .debug else { return }
        let elapsed = ServerTiming.milliseconds(since: request.receivedAt)
        logger.debug(
            "request",
            metadata: [
                "method": "\(request.method)", "route": "\(pattern?.rawValue ?? "-")",
                "status": "\(response.status)", "ms": "\(elapsed)",
            ])
    }
}

/// A request on its way through the service, with what is told of it beside its answer.
struct Passage: Sendable {
    let request: Request
    var timing: ServerTiming
    /// The route's pattern, once it is found.
    var pattern: RoutePattern?

    init(_ request: Request, _ options: Service.Options) {
        self.request = request
        timing = ServerTiming(isOn: options.serverTiming)
    }
}
