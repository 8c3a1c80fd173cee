/// Plans of what reads: fetch requests made from a call's parameters.

import SteleModel
import StelePersistence
import StelePredicates

/// Makes the reading plans of one call.
struct Reading {
    let call: Call
    let model: Model
    let visibility: Visibility

    /// What the routes that read are asked for.
    private func parameters() throws -> ListCall {
        if let list = call.list { return list }
        throw Problem(.parameter, "the route reads nothing")
    }

    func list(_ entity: Entity, _ source: Source) throws -> ListPlan {
        let asked = try parameters()
        let names = names(entity)
        var request = FetchRequest(entity: entity)
        request.predicate = try predicate(asked, names)
        let columns = try asked.select.map { try names.column($0) }
        let isGrouped = !asked.groupBy.isEmpty || columns.contains { $0.isAggregate }
        let naming = names.naming(columns.map(\.description), aggregates: isGrouped)
        request.sortDescriptors = try asked.sort.map {
            try naming.sortDescriptor($0.descriptor, text: $0.text)
        }
        let shape: Shape
        if isGrouped {
            shape = try rows(asked, columns, naming, &request)
        } else {
            let inclusion = try Inclusion(asked.include, from: entity, model: model)
            shape = try self.shape(columns, inclusion, &request)
        }
        let fingerprint = fingerprint(entity, source)
        try check(asked.after, fingerprint, request)
        return ListPlan(
            source: source, request: request, shape: shape, limit: asked.limit,
            offset: asked.offset, after: asked.after, wantsCount: asked.wantsCount,
            fingerprint: fingerprint, tagHash: tagHash, isVolatile: Volatility.of(request))
    }

    func count(_ entity: Entity, _ source: Source) throws -> CountPlan {
        var request = FetchRequest(entity: entity)
        request.predicate = try predicate(parameters(), names(entity))
        return CountPlan(
            source: source, request: request, tagHash: tagHash,
            isVolatile: Volatility.of(request))
    }

    func object(_ target: ObjectPlan.Target, _ entity: Entity) throws -> ObjectPlan {
        let asked = try parameters()
        let names = names(entity)
        let columns = try asked.select.map { try names.column($0) }
        if let aggregate = columns.first(where: \.isAggregate) {
            throw Problem(
                .parameter,
                "select has the aggregate \(aggregate.description.name), and this route "
                    + "is of one object", hint: "ask the list for it")
        }
        let inclusion = try Inclusion(asked.include, from: entity, model: model)
        var request = FetchRequest(entity: entity)
        let shape = try shape(columns, inclusion, &request)
        return ObjectPlan(
            target: target, entity: entity, shape: shape, columns: request.propertiesToFetch,
            tagHash: tagHash, isVolatile: Volatility.of(request))
    }

    private func names(_ entity: Entity) -> Names {
        Names(model: model, entity: entity, variables: call.query.variables)
    }

    private func shape(
        _ columns: [SelectedColumn], _ inclusion: Inclusion, _ request: inout FetchRequest
    ) throws -> Shape {
        if columns.isEmpty { return .objects(inclusion) }
        let all = try Columns(columns, inclusion, of: request.entity)
        request.propertiesToFetch = all.fetched
        return .columns(all.shape, inclusion)
    }

    /// The one place where rights are woven in.
    private func predicate(_ asked: ListCall, _ names: Names) throws -> Predicate? {
        let checked = try asked.predicate.map { try names.predicate($0, text: asked.whereText) }
        return visibility.restrict(checked, of: names.entity)
    }

    private func rows(
        _ asked: ListCall, _ columns: [SelectedColumn], _ naming: Names,
        _ request: inout FetchRequest
    ) throws -> Shape {
        guard asked.include.isEmpty else {
            throw Problem(.parameter, "include embeds into objects, and select asks for aggregates")
        }
        guard asked.after == nil else {
            throw Problem(
                .parameter, "after goes over objects, and select asks for aggregates",
                hint: "page by offset")
        }
        let groups = try asked.groupBy.map { try naming.group($0) }
        for column in columns where !column.isAggregate {
            guard groups.contains(column.description.expression) else {
                throw Problem(
                    .parameter,
                    "\(column.description.name) in select is neither an aggregate nor "
                        + "in groupBy", hint: "add it to groupBy")
            }
        }
        request.propertiesToFetch = columns.map(\.description)
        request.propertiesToGroupBy = groups
        return .rows(try Columns.rows(columns))
    }

    /// What the pages of one list have in common, and cursors must not mix up.
    private func fingerprint(_ entity: Entity, _ source: Source) -> UInt64 {
        var print = Fingerprint()
        print.add(entity.name)
        if case .members(let owner, let relationship) = source {
            print.add("\(owner.entity.name)/\(owner.key)/\(relationship.name)")
        }
        for parameter in [Parameter.where, .sort, .select, .groupBy] {
            print.add(call.query[parameter] ?? "\u{1}")
        }
        for (name, value) in call.query.variables {
            print.add(name)
            print.add(value)
        }
        print.add(visibility.name)
        return print.value
    }

    private func check(
        _ after: Cursor?, _ fingerprint: UInt64, _ request: FetchRequest
    ) throws {
        guard let after else { return }
        guard after.fingerprint == fingerprint,
            after.position.count == request.sortDescriptors.count + 1
        else {
            throw Problem(
                .cursor,
                "the cursor is of another query: entity, where, sort, select and variables "
                    + "must be those of its page",
                hint: "follow the Link header as it is")
        }
    }

    /// All that an answer depends on beside the store's state.
    private var tagHash: UInt64 {
        var print = Fingerprint()
        print.add(call.request.path)
        print.add(call.request.query ?? "")
        print.add(visibility.name)
        return print.value
    }
}
