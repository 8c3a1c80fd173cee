/// The plans of reads: fetch requests made from a call's parameters.

import SteleModel
import StelePersistence
import StelePredicates

/// Makes the plans of a call that reads.
struct Reading {
    let call: Call
    let model: Model
    let pace: Pace
    let rights: Rights

    /// Reads the parameters.
    /// - Throws: `TooLong` at a brief pace for a regular expression, which is compiled with the
    ///   plan: nothing can interrupt that.
    private func asked(_ template: FetchTemplate? = nil) throws -> ListCall {
        let list = try ListCall(
            call.query, limits: call.limits, isBounded: call.format == .json,
            template: Set(template?.variables ?? []))
        try pace.allow(!list.hasPatterns && template?.predicate?.hasPatterns != true)
        return list
    }

    func list(
        _ entity: Entity, _ source: Source, _ template: FetchTemplate? = nil
    ) throws -> ListPlan {
        var asked = try self.asked(template)
        if let template { apply(template, to: &asked) }
        let names = names(entity)
        var request = try request(entity, asked, names, source: source, template: template)
        let columns = try asked.select.map { try column($0, names) }
        let isGrouped = !asked.groupBy.isEmpty || columns.contains { $0.isAggregate }
        let naming = names.naming(columns.map(\.description), aggregates: isGrouped)
        request.sortDescriptors = try asked.sort.map {
            try naming.sortDescriptor($0.descriptor, $0.excerpt)
        }
        let shape: Shape
        if isGrouped || asked.isDistinct ?? false {
            shape = try rows(asked, columns: columns, names: naming, isGrouped: isGrouped, &request)
        } else {
            guard asked.having == nil else {
                throw Problem(
                    .parameter, "having is a condition on groups, and this list has none",
                    hint: "add groupBy, or an aggregate to select; a condition on objects is where")
            }
            shape = try self.shape(columns, inclusion(asked, entity), &request)
        }
        request.isChecked = true
        return try listPlan(request, shape, asked, source: source, template: template)
    }

    /// The plan of a list: a fetch with the limits of its parameters, its format and the model.
    private func listPlan(
        _ request: FetchRequest, _ shape: Shape, _ asked: ListCall, source: Source,
        template: FetchTemplate?
    ) throws -> ListPlan {
        let limits = call.limits
        let fingerprint = fingerprint(request.entity, source, template)
        try check(asked.after, of: request, shape, fingerprint: fingerprint)
        var ceiling = template?.limit
        if case .fetched(_, let property) = source { ceiling = property.limit }
        if ceiling != nil, asked.after != nil {
            throw Problem(
                .parameter, "after has no end, and the model limits what this request gives",
                hint: "page by offset")
        }
        var limit = asked.limit
        if limit == nil, call.format == .json {
            limit = min(ceiling ?? limits.defaultListLimit, limits.maximumListLimit)
        }
        if let most = ceiling { limit = min(limit ?? .max, max(0, most - asked.offset)) }
        return ListPlan(
            source: source, request: request, shape: shape, limit: limit,
            ceiling: ceiling,
            isStreamed: limit.map { $0 > limits.maximumListLimit } ?? true,
            offset: asked.offset, after: asked.after, wantsCount: asked.wantsCount,
            fingerprint: fingerprint, tagHash: tagHash,
            isVolatile: request.isVolatile || !call.route.method.isSafe || call.isEditing)
    }

    /// Applies what the template says and the request does not.
    private func apply(_ template: FetchTemplate, to asked: inout ListCall) {
        let declared = template.declared
        asked.includesSubentities = asked.includesSubentities ?? declared.includesSubentities
        if declared.resultType == .objectIDs, asked.select.isEmpty, asked.include.isEmpty {
            asked.select = [
                ListCall.SelectItem(
                    description: ExpressionDescription(name: "_id", expression: .key("_id")),
                    excerpt: Excerpt("_id", of: .select))
            ]
        }
        if declared.returnsDistinctResults, declared.resultType == .dictionaries,
            !asked.select.isEmpty
        {
            asked.isDistinct = asked.isDistinct ?? true
        }
    }

    /// The objects that the source, the template and `where` select.
    private func request(
        _ entity: Entity, _ asked: ListCall, _ names: Names, source: Source = .entity,
        template: FetchTemplate? = nil
    ) throws -> FetchRequest {
        var request = FetchRequest(entity: entity)
        var conditions: [Predicate] = []
        if let template, let own = try template.predicate(names, given: call.query.variables) {
            conditions.append(own)
        }
        if case .fetched(let owner, let property) = source {
            request = property.request(for: [owner.key])
            if let own = request.predicate { conditions.append(own) }
        }
        if let asked = try predicate(asked, names) { conditions.append(asked) }
        request.predicate = conditions.count > 1 ? .and(conditions) : conditions.first
        request.includesSubentities = asked.includesSubentities ?? true
        return request
    }

    /// A column of `select`. A fetched property is not an expression of the language.
    private func column(_ item: ListCall.SelectItem, _ names: Names) throws -> SelectedColumn {
        let asked = item.description
        if case .keyPath(.evaluatedObject, let path) = asked.expression, path.count == 1,
            case .fetchedProperty(let declared) = names.entity.property(named: path[0])
        {
            let property = try FetchedProperty(declared, of: names.entity, model)
            return SelectedColumn(
                description: asked, excerpt: item.excerpt,
                type: .collection(.object(property.request.entity.index)), isAggregate: false,
                fetched: property)
        }
        if let composite = composite(asked.expression, of: names.entity) {
            return SelectedColumn(
                description: asked, excerpt: item.excerpt, type: .value(.composite),
                isAggregate: false, composite: composite)
        }
        if case .keyPath(.evaluatedObject, let path) = asked.expression, path.count == 1,
            case .attribute(let attribute)? = names.entity.property(named: path[0]),
            attribute.isTransient, !attribute.isComposite
        {
            return SelectedColumn(
                description: asked, excerpt: item.excerpt, type: .value(attribute.type),
                isAggregate: false, transient: attribute)
        }
        return try names.column(item)
    }

    /// The composite attribute that an expression names, or nil.
    private func composite(_ expression: Expression, of entity: Entity) -> Attribute? {
        guard case .keyPath(.evaluatedObject, let path) = expression,
            let attribute = entity.attribute(named: path.joined(separator: ".")),
            attribute.isComposite
        else { return nil }
        return attribute
    }

    private func inclusion(_ asked: ListCall, _ entity: Entity) throws -> Inclusion {
        if call.format == .csv, !asked.include.isEmpty {
            throw Problem(
                .parameter, "include embeds objects, which a line of CSV cannot hold",
                hint: "select key paths such as team.name, or ask for format=ndjson")
        }
        return try Inclusion(asked.include, from: entity, model: model)
    }

    func count(_ entity: Entity, _ source: Source) throws -> CountPlan {
        var request = try request(entity, asked(), names(entity))
        request.isChecked = true
        return CountPlan(
            source: source, request: request, tagHash: tagHash,
            isVolatile: request.isVolatile || call.isEditing)
    }

    /// The objects that `where` selects, for a write of all of them.
    /// - Throws: `Problem`, 400, if there is no `where`.
    func all(_ entity: Entity) throws -> FetchRequest {
        let asked = try self.asked()
        guard asked.predicate != nil else {
            throw Problem(
                .parameter, "\(call.route.method.rawValue) of a list needs where",
                hint: "where=TRUEPREDICATE selects all objects")
        }
        var request = try request(entity, asked, names(entity))
        request.isChecked = true
        return request
    }

    func object(_ target: ObjectPlan.Target, _ entity: Entity) throws -> ObjectPlan {
        let asked = try self.asked()
        let names = names(entity)
        let columns = try asked.select.map { try column($0, names) }
        if let aggregate = columns.first(where: \.isAggregate) {
            throw Problem(
                .parameter,
                "select has the aggregate \(aggregate.description.name), and this route "
                    + "gives one object", hint: "send the request to the list")
        }
        let inclusion = try inclusion(asked, entity)
        var request = FetchRequest(entity: entity)
        let shape = try shape(columns, inclusion, &request)
        return ObjectPlan(
            target: target, entity: entity, shape: shape, columns: request.propertiesToFetch,
            tagHash: tagHash, isVolatile: request.isVolatile || call.isEditing)
    }

    func names(_ entity: Entity) -> Names {
        Names(
            model: model, entity: entity, variables: call.query.variables,
            storeIdentifiers: call.storeIdentifiers, temporaries: call.temporaries)
    }

    private func shape(
        _ columns: [SelectedColumn], _ inclusion: Inclusion, _ request: inout FetchRequest
    ) throws -> Shape {
        if columns.isEmpty { return .objects(inclusion) }
        let all = try Columns(columns, inclusion, of: request.entity)
        request.propertiesToFetch = all.fetched
        return .columns(all.shape, inclusion)
    }

    /// The condition of `where`.
    private func predicate(_ asked: ListCall, _ names: Names) throws -> Predicate? {
        guard let given = asked.predicate else { return nil }
        do { return try names.predicate(given, text: asked.whereText) } catch var error
            as PredicateError
        {
            error.hint = aliasHint(error, asked, names) ?? error.hint
            throw error
        }
    }

    /// The hint for an alias of `select` in `where`, which is evaluated before it.
    private func aliasHint(
        _ error: PredicateError, _ asked: ListCall, _ names: Names
    ) -> String? {
        guard error.code == PredicateError.Code.unknownKey.rawValue,
            let column = asked.select.first(where: { $0.description.name == error.near })
        else { return nil }
        let name = column.description.name
        if names.isAggregate(column.description.expression) {
            return "\(name) is an aggregate of select: use having for a condition on it"
        }
        return "where does not know the aliases of select: write \(column.excerpt.text)"
    }

    private func rows(
        _ asked: ListCall, columns: [SelectedColumn], names: Names, isGrouped: Bool,
        _ request: inout FetchRequest
    ) throws -> Shape {
        let what = isGrouped ? "select asks for aggregates" : "distinct rows are not objects"
        guard !columns.isEmpty else {
            throw Problem(
                .parameter, "distinct=true needs select, because all objects are distinct",
                hint: "for example select=name&distinct=true")
        }
        guard asked.include.isEmpty else {
            throw Problem(.parameter, "include embeds into objects, and \(what)")
        }
        let groups = try asked.groupBy.map { try names.group($0) }
        let grouping = Grouping(groups: groups, columns: columns, names: names)
        if isGrouped {
            for column in columns {
                try grouping.check(column.description.expression, in: column.excerpt)
            }
            for (key, asked) in zip(request.sortDescriptors, asked.sort) {
                try grouping.check(key.expression, in: asked.excerpt)
            }
        } else if asked.having != nil {
            throw Problem(
                .parameter, "having is a condition on groups, and distinct rows have none",
                hint: "a condition on objects is where")
        }
        request.propertiesToGroupBy = groups
        request.havingPredicate = try asked.having.map {
            try names.predicate($0, text: asked.havingText, of: .having)
        }
        if let having = request.havingPredicate {
            try grouping.check(having, in: Excerpt(asked.havingText, of: .having))
        }
        request.returnsDistinctResults = asked.isDistinct ?? false
        if request.returnsDistinctResults {
            for (key, asked) in zip(request.sortDescriptors, asked.sort) {
                guard columns.contains(where: { $0.description.expression == key.expression })
                else {
                    throw asked.excerpt.problem(
                        "sort: distinct rows are sorted by their own columns, and "
                            + "\(asked.excerpt.text) is not one", hint: "add it to select")
                }
            }
        }
        return .rows(try Columns.rows(columns), position: fetch(columns, &request))
    }

    /// Fetches the columns, and after them the values that the order of the rows needs besides.
    /// - Returns: the places of the order's values in a row.
    private func fetch(_ columns: [SelectedColumn], _ request: inout FetchRequest) -> [Int] {
        var fetched = columns.map(\.description.expression)
        func place(of expression: Expression) -> Int {
            if let known = fetched.firstIndex(of: expression) { return known }
            fetched.append(expression)
            return fetched.count - 1
        }
        var places = request.sortDescriptors.map { place(of: $0.expression) }
        if request.returnsDistinctResults {
            places += columns.indices
        } else {
            places += request.propertiesToGroupBy.map(place)
        }
        request.propertiesToFetch = fetched.enumerated().map { index, expression in
            ExpressionDescription(name: "#\(index)", expression: expression)
        }
        return places
    }
}
