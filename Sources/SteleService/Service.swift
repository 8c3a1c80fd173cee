/// The service: answers every request, over any store.

import CBuild
import Logging
import SteleAnswers
import SteleFeed
import SteleGraph
import SteleHTTP
import SteleJSON
import SteleModel
import StelePersistence
import StelePredicates
import SteleRequests
import SteleSystem

/// Serves the objects of one store over HTTP.
///
/// It has no sockets: it gets complete requests, on any thread, and returns answers.
public final class Service: Sendable {
    /// The version in the index at `/`.
    public static let version = "0.1.0"
    /// The name of the build, such as a commit; `development` where none was given.
    public static let build = String(cString: stele_build())

    /// The feed behind `/changes`. The server starts and stops it.
    public let changeFeed: ChangeFeed
    /// The lists that are followed. The server stops them.
    public let liveQueries: LiveQueries
    let coordinator: PersistentStoreCoordinator
    let options: Options
    let logger: Logger
    let gate: Gate
    let routes: Routes
    let plainGet: PlainGet
    /// The store, without a budget, for workers.
    let store: Place
    /// The store, with a budget for reading, for threads that must not wait.
    let briefStore: Place
    /// The store, with a larger budget for reading.
    let shortStore: Place
    let pages: Pages
    let running = RunningKeys()
    let meter = RequestMeter()
    let requestLog: RequestLog?
    let storeTrouble: StoreTrouble
    /// The pages of other origins that may call the service; nil for none.
    let crossOrigin: CrossOrigin?
    /// What the server is doing; nil before it is known.
    let serverFigures = Mutex<(@Sendable () -> HTTPServer.Figures?)?>(nil)
    /// How many requests a client may send; nil for any number.
    private let rate: RequestRate?
    /// The editing contexts of all clients.
    let contexts: EditingContexts
    let contextQueries: ContextQueries

    /// A service over the store of a coordinator.
    /// - Throws: `RightsError` for rights that do not fit the model.
    public init(
        coordinator: PersistentStoreCoordinator, options: Options = Options(), logger: Logger
    ) throws {
        self.coordinator = coordinator
        self.options = options
        self.logger = logger
        requestLog = options.requestLog
        storeTrouble = StoreTrouble(logger)
        crossOrigin = options.origins.isEmpty ? nil : CrossOrigin(options.origins)
        let model = coordinator.model
        let limits = options.limits
        let renderer = SnapshotRenderer(
            model: model, computing: coordinator, basePath: options.basePath)
        gate = Gate(
            allowedHosts: options.allowedHosts,
            access: try Access(token: options.token, options.rights, model: model),
            crossOrigin: crossOrigin, basePath: options.basePath, page: options.page)
        rate = RequestRate(perSecond: limits.requestsPerSecond)
        routes = Routes(model: model, basePath: options.basePath, page: options.page)
        let answers = Answers(
            renderer: renderer, limits: limits, basePath: options.basePath,
            generation: { coordinator.cacheGeneration(ofWhatWasReadSince: $0) })
        var execution = Execution(
            coordinator: coordinator, forms: BodyForms(model), limits: limits,
            streams: Places(limits.streams))
        store = Place(execution, answers)
        liveQueries = LiveQueries(
            coordinator, limits: limits, renderer: renderer, options: options.feed,
            logger: logger)
        execution.budget = limits.briefReading
        briefStore = Place(execution, answers)
        execution.budget = limits.shortReading
        shortStore = Place(execution, answers)
        plainGet = PlainGet(
            objects: routes.plainObjects, gate: gate,
            place: briefStore, limits: limits)
        pages = Pages(
            model: model, storeType: coordinator.store.type, options,
            openAPI: Self.openAPI(coordinator, routes, options),
            contextsOpenAPI: Self.openAPI(coordinator, routes, options, isEditing: true))
        contexts = EditingContexts(
            coordinator, limits: limits, now: options.clock ?? EditingContexts.steadyClock())
        contextQueries = ContextQueries(coordinator, contexts, options, logger)
        changeFeed = ChangeFeed(
            coordinator: coordinator, renderer: renderer, options: options.feed, limits: limits,
            logger: logger)
    }

    var model: Model { coordinator.model }
    var answers: Answers { store.answers }

    /// Puts another reading of the rights file in the place of the last one. Event streams of its
    /// tokens end at their next event, and their clients come back with the rights of now.
    /// - Returns: false where it is the same.
    /// - Throws: `RightsError` for rights that do not fit the model; nothing has changed then.
    package func replace(_ rights: RightsFile) throws(RightsError) -> Bool {
        try gate.access.replace(rights)
    }

    // MARK: The road

    /// Answers a request, or takes it as far as the pace allows; at an unhurried pace to the end.
    public func answer(_ request: Request, at pace: Pace) -> Step {
        do { try rate?.admit(request, gate) } catch {
            return .done(noted(error.response(basePath: options.basePath), to: request, nil, error))
        }
        // The log has the name of a token, which the road finds.
        if pace == .brief, requestLog == nil || gate.access.isOpen,
            let object = plainGet.object(of: request)
        {
            // The rows of several nodes' store are with a server.
            if coordinator.store.isOfSeveralNodes { return asked(object, by: request) }
            if let response = plainGet.response(of: object, to: request) {
                return .done(noted(response, to: request, .object))
            }
        }
        return proceed(Passage(request, at: store, isTimed: options.serverTiming), at: pace)
    }

    /// Takes a request on from where it is. An error becomes an answer, or sends it to a worker.
    func proceed(_ begun: Passage, at pace: Pace) -> Step {
        var passage = begun
        let planning = planning(passage.request, at: pace)
        do {
            if passage.route == nil, let answer = try gate.preflight(passage.request) {
                return .done(noted(answer, to: passage.request, nil))
            }
            return try planning.run { try run(&passage, at: pace, planning) }
        } catch {
            if pace == .brief, planning.isOver || Self.needsAWorker(error) {
                return .later(later(passage))
            }
            if pace == .short, planning.isOver || Self.isLong(error) {
                return .later(slow(passage))
            }
            if pace == .short, Self.needsAWorker(error) {
                return .later(again(passage, by: .reading))
            }
            // Who has taken planning's end for something else may have found another error.
            return .done(refuse(planning.over ?? error, passage))
        }
    }

    /// The road. Each request takes it once, on one thread or on several: results are kept in the
    /// passage. Each step has a folder, and an entry in `Server-Timing`.
    private func run(
        _ passage: inout Passage, at pace: Pace, _ planning: PlanningWork
    ) throws -> Step {
        let route = try passage.route ?? route(&passage)  // Routes/
        try pace.allow(route.isBrief(passage.request, options.limits))
        try pace.allow(bounded: route.isBounded(passage.request, options.limits))
        let place = try enter(route, at: pace, &passage)
        defer { leave(place, route) }
        let call = try passage.call ?? call(route, &passage)  // Calls/
        try pace.allow(call.isBrief(options.limits))
        let plan = try passage.plan ?? plan(call, at: pace, &passage)  // Plans/
        // What was told apart by an error that planning itself gave is not to be relied on.
        if planning.isOver { try PlanningWork.step() }
        try pace.allow(plan.isBrief(options.limits))
        try pace.allow(bounded: plan.isBounded)
        if pace == .brief, case .write(let write) = plan.action {
            // What a write may change is looked up in the store.
            try pace.allow(plan.rights.isAll)
            return save(try place.execution.make(write), call, passage)
        }
        if pace == .unhurried, plan.keepsView, place.editing == nil, !passage.hasWaited,
            coordinator.store.delaysLongViews
        {
            return delayed(passage)
        }
        // A request that is not brief may run for long after its client has gone.
        let asks = pace != .brief && route.isRead
        let isWanted = asks ? { @Sendable in !call.request.clientHasGone } : nil
        let outcome = try execute(  // Execution/
            plan,
            in: place.limited(
                to: plan.rights, since: route.isRead ? historyToken(of: call.request) : nil,
                while: isWanted))
        return .done(finish(outcome, call, passage))  // Responses/
    }

    /// The rest of the way, for a worker.
    func later(_ passage: Passage) -> Later {
        let isReading = passage.route.map { $0.isRead && $0.context == nil } ?? false
        return Later(by: isReading ? .reading : .waiting) { [self] in
            var passage = passage
            passage.timing.lap("wait")
            return proceed(passage, at: isReading ? .short : .unhurried)
        }
    }

    /// The rest of the way of a request that reads for long, from the last whole step.
    private func slow(_ passage: Passage) -> Later {
        again(passage, by: .slow(client: passage.rights.client(of: passage.request)))
    }

    private func again(_ passage: Passage, by workers: Later.Workers) -> Later {
        Later(by: workers) { [self] in
            var passage = passage
            passage.timing.lap("wait")
            return proceed(passage, at: .unhurried)
        }
    }

    /// The rest of the way when the store lets long views begin. No thread waits for that.
    private func delayed(_ passage: Passage) -> Step {
        var passage = passage
        passage.hasWaited = true
        let later = slow(passage)
        return .pending { [coordinator] reply in
            coordinator.store.whenLongViewsBegin { reply.later(later) }
        }
    }

    /// Whether an error at a short pace says only that the request is a long one.
    static func isLong(_ error: any Error) -> Bool {
        switch error {
        case is TooLong, StoreError.overBudget: true
        default: false
        }
    }

    /// Whether an error at a brief pace says nothing about the request itself.
    private static func needsAWorker(_ error: any Error) -> Bool {
        switch error {
        case is TooLong, StoreError.overBudget, StoreError.moved, StoreError.busy,
            StoreError.unavailable:
            true
        default: false
        }
    }

    // MARK: Steps of the road

    /// Admits the request and finds the meaning of its address.
    func route(_ passage: inout Passage) throws -> Route {
        passage.rights = try gate.admit(passage.request)
        let route = try routes.match(passage.request)
        passage.route = route
        passage.timing.lap("route")
        return route
    }

    /// The place of the route's plan. The caller's turn with an editing context ends at `leave`.
    private func enter(_ route: Route, at pace: Pace, _ passage: inout Passage) throws -> Place {
        if pace == .brief { return briefStore }
        if pace == .short, route.context == nil { return shortStore }
        guard let id = route.context else { return store }
        let editing = try contexts.context(id, of: passage.rights.name)
        passage.place = store.editing(editing)
        try contexts.enter(editing)
        return passage.place
    }

    private func leave(_ place: Place, _ route: Route) {
        guard let editing = place.editing else { return }
        if !route.isRead { contextQueries.note(editing) }
        contexts.leave(editing)
    }

    /// Parses the request: text becomes types.
    func call(_ route: Route, _ passage: inout Passage) throws -> Call {
        let ids = passage.place.editing?.family.temporaries
        let call = try Call(
            passage.request, route: ids.map { route.resolving($0, model) } ?? route,
            limits: options.limits, cacheGeneration: coordinator.cacheGeneration,
            storeIdentifiers: coordinator.store.identifiers, temporaries: ids)
        passage.call = call
        passage.timing.lap("call")
        return call
    }

    /// Decides what will be done: names and types are checked, and the store is not touched.
    func plan(_ call: Call, at pace: Pace, _ passage: inout Passage) throws -> Plan {
        let plan = try Plan(
            call, model: model, routes: routes, pace: pace, rights: passage.rights)
        passage.plan = plan
        passage.timing.lap("plan")
        return plan
    }

    /// Runs a plan on this thread.
    private func execute(_ plan: Plan, in place: Place) throws -> Outcome {
        let (call, execution) = (plan.call, place.execution)
        return switch plan.action {
        case .page: .response(try pages.response(for: call))
        case .readiness: .response(try ready(execution, for: plan.rights))
        case .metrics:
            .response(
                pages.answer(MetricsPage(service: self).bytes, MetricsPage.mediaType, call))
        case .rights:
            .response(
                Self.answer(
                    200,
                    RightsPage.json(
                        plan.rights, model, isReadOnly: coordinator.store.isReadOnly)))
        case .backup: .response(try backUp())
        case .ticket: .response(try ticket(plan.rights))
        case .metadata: .response(try metadata(call))
        case .changes where call.route.method == .delete:
            .response(try changeFeed.delete(call.query))
        case .changes:
            .response(
                try changeFeed.answer(
                    call.request, call.query, as: call.format, seenBy: plan.rights.sight,
                    within: execution.budget))
        case .live(let parts):
            .response(try follow(parts, plan, in: place))
        case .list(let list): try call.locating { try execution.list(list, call.terms) }
        case .count(let count):
            try call.locating {
                try execution.reading { try execution.count(count, call.terms, $0) }
            }
        case .object(let object):
            try execution.reading { try execution.object(object, call.terms, $0) }
        case .binary(let binary):
            try execution.reading { try execution.binary(binary, call.terms, $0) }
        case .write(let write):
            try write.settlingUpload { try self.write(write, call, by: execution) }
        case .makeContext: .response(try makeContext(call, for: plan.rights))
        case .context:
            // The route has the id of an editing context.
            try place.editing.map { .response(try carryOut(call, $0, for: plan.rights)) } ?? .done
        }
    }

    /// Hands a write to the writer. The answer is made when the save is on disk.
    private func save(_ write: MadeWrite, _ call: Call, _ passage: Passage) -> Step {
        guard let request = write.request else {
            return .done(finish(write.unchanged, call, passage))
        }
        return .pending { [self] reply in
            coordinator.store.save(request) { result in
                switch result {
                case .success(let saved):
                    self.storeTrouble.end()
                    reply.answer { self.finish(write.applied.outcome(after: saved), call, passage) }
                // The race is lost, or the writer has a queue: a worker makes the write again.
                case .failure(.moved), .failure(.conflicts), .failure(.busy),
                    .failure(.unavailable):
                    reply.later(self.later(passage))
                case .failure(let error):
                    reply.answer { self.refuse(write.placing(error), passage) }
                }
            }
        }
    }

    /// Makes the answer of an outcome.
    private func finish(_ outcome: Outcome, _ call: Call, _ passage: Passage) -> Response {
        var timing = passage.timing
        timing.lap("execution")
        var response = passage.place.answers.response(outcome, for: call)
        if case .events(let stream) = response.body, passage.rights.canEnd {
            let rights = passage.rights
            stream.isAllowed = { rights.isValid }
        }
        timing.lap("response")
        timing.add(to: &response)
        if passage.route?.isRead == false { addHistoryToken(to: &response) }
        return noted(
            response, to: passage.request, passage.route?.pattern, from: passage.rights.name)
    }
}
