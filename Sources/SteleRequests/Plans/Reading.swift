/// Plans of what reads: fetch requests made from a call's parameters.

import SteleModel
import StelePersistence
import StelePredicates

/// Makes the reading plans of one call.
package struct Reading {
    package let call: Call
    package let model: Model
    package let pace: Pace

    /// Reads the parameters.
    /// - Throws: `TooLong` at a brief pace for a regular expression: it is compiled with the plan,
    ///   and nothing breaks that off.
    private func asked(_ template: FetchTemplate? = nil) throws -> ListCall {
        let list = try ListCall(
            call.query, limits: call.limits, isBounded: call.format == .json,
            template: Set(template?.variables ?? []))
        try pace.allow(!list.hasPatterns && template?.predicate?.hasPatterns != true)
        return list
    }

    package func list(
        _ entity: Entity, _ source: Source, _ template: FetchTemplate? = nil
    ) throws -> ListPlan {
        var asked = try self.asked(template)
        if let template { apply(template, to: &asked) }
        let names = names(entity)
        var request = try request(entity, source, template, asked, names)
        let columns = try asked.select.map { try column($0, names) }
        let isGrouped = !asked.groupBy.isEmpty || columns.contains { $0.isAggregate }
        let naming = names.naming(columns.map(\.description), aggregates: isGrouped)
        request.sortDescriptors = try asked.sort.map {
            try naming.sortDescriptor($0.descriptor, $0.excerpt)
        }
        let shape: Shape
        if isGrouped || asked.isDistinct ?? false {
            shape = try rows(asked, columns, naming, isGrouped: isGrouped, &request)
        } else {
            guard asked.having == nil else {
                throw Problem(
                    .parameter, "having is a condition on groups, and there are none",
                    hint: "add groupBy, or an aggregate to select; a condition on objects is where")
            }
            shape = try self.shape(columns, inclusion(asked, entity), &request)
        }
        request.isChecked = true
        return try plan(source, template, asked, request, shape)
    }

    /// The bounds of the list, by its parameters, its format and the model.
    private func plan(
        _ source: Source, _ template: FetchTemplate?, _ asked: ListCall, _ request: FetchRequest,
        _ shape: Shape
    ) throws -> ListPlan {
        let limits = call.limits
        let fingerprint = fingerprint(request.entity, source, template)
        try check(asked.after, fingerprint, request, shape)
        var ceiling = template?.limit
        if case .fetched(_, let property) = source { ceiling = property.limit }
        if ceiling != nil, asked.after != nil {
            throw Problem(
                .parameter, "after goes on without end, and the model gives the request a limit",
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
            isVolatile: Volatility.of(request) || !call.route.method.isSafe || call.isEditing)
    }

    /// What the model asks for with the template, where the request says nothing else.
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

    /// Which objects: what the source and the template say, and `where`.
    private func request(
        _ entity: Entity, _ source: Source, _ template: FetchTemplate?, _ asked: ListCall,
        _ names: Names
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

    /// A column of `select`; a fetched property is none of the language's expressions.
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
        return try names.column(item)
    }

    /// The composite attribute of the objects themselves that an expression names, or nil.
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
                .parameter, "include embeds objects, and a line of CSV has no room for them",
                hint: "select key paths such as team.name, or ask for format=ndjson")
        }
        return try Inclusion(asked.include, from: entity, model: model)
    }

    package func count(_ entity: Entity, _ source: Source) throws -> CountPlan {
        var request = try request(entity, asked(), names(entity))
        request.isChecked = true
        return CountPlan(
            source: source, request: request, tagHash: tagHash,
            isVolatile: Volatility.of(request) || call.isEditing)
    }

    /// All objects that `where` names, for a write of them.
    /// - Throws: `Problem`, 400, where there is no `where`.
    package func all(_ entity: Entity) throws -> FetchRequest {
        let asked = try self.asked()
        guard asked.predicate != nil else {
            throw Problem(
                .parameter, "\(call.route.method.rawValue) of a list takes where: which objects",
                hint: "where=TRUEPREDICATE is all of them")
        }
        return try request(entity, asked, names(entity))
    }

    /// The objects of an entity that `where` names.
    private func request(
        _ entity: Entity, _ asked: ListCall, _ names: Names
    ) throws -> FetchRequest {
        var request = FetchRequest(entity: entity)
        request.predicate = try predicate(asked, names)
        request.includesSubentities = asked.includesSubentities ?? true
        return request
    }

    package func object(_ target: ObjectPlan.Target, _ entity: Entity) throws -> ObjectPlan {
        let asked = try self.asked()
        let names = names(entity)
        let columns = try asked.select.map { try column($0, names) }
        if let aggregate = columns.first(where: \.isAggregate) {
            throw Problem(
                .parameter,
                "select has the aggregate \(aggregate.description.name), and this route "
                    + "is of one object", hint: "ask the list for it")
        }
        let inclusion = try inclusion(asked, entity)
        var request = FetchRequest(entity: entity)
        let shape = try shape(columns, inclusion, &request)
        return ObjectPlan(
            target: target, entity: entity, shape: shape, columns: request.propertiesToFetch,
            tagHash: tagHash, isVolatile: Volatility.of(request) || call.isEditing)
    }

    package func names(_ entity: Entity) -> Names {
        Names(
            model: model, entity: entity, variables: call.query.variables,
            storeIdentifier: call.storeIdentifier)
    }

    private func shape(
        _ columns: [SelectedColumn], _ inclusion: Inclusion, _ request: inout FetchRequest
    ) throws -> Shape {
        if columns.isEmpty { return .objects(inclusion) }
        let all = try Columns(columns, inclusion, of: request.entity)
        request.propertiesToFetch = all.fetched
        return .columns(all.shape, inclusion)
    }

    /// The condition that the reader gives; each passes here.
    private func predicate(_ asked: ListCall, _ names: Names) throws -> Predicate? {
        let named = asked.predicate.map { predicate in
            call.temporaries?.naming(predicate, of: names.entity, model, call.query.variables)
                ?? predicate
        }
        let checked = try named.map { predicate in
            do { return try names.predicate(predicate, text: asked.whereText) } catch var error
                as PredicateError
            {
                error.hint = aliasHint(error, asked, names) ?? error.hint
                throw error
            }
        }
        return checked
    }

    /// An alias of `select` is not known in `where`, which comes before it.
    private func aliasHint(
        _ error: PredicateError, _ asked: ListCall, _ names: Names
    ) -> String? {
        guard error.code == PredicateError.Code.unknownKey.rawValue,
            let column = asked.select.first(where: { $0.description.name == error.near })
        else { return nil }
        let name = column.description.name
        if names.isAggregate(column.description.expression) {
            return "\(name) is an aggregate of select: a condition on it is having"
        }
        return "where does not know the aliases of select: write \(column.excerpt.text)"
    }

    private func rows(
        _ asked: ListCall, _ columns: [SelectedColumn], _ naming: Names, isGrouped: Bool,
        _ request: inout FetchRequest
    ) throws -> Shape {
        let what = isGrouped ? "select asks for aggregates" : "distinct rows are no objects"
        guard !columns.isEmpty else {
            throw Problem(
                .parameter,
                "distinct=true takes select beside it: every object differs from all "
                    + "others", hint: "for example select=name&distinct=true")
        }
        guard asked.include.isEmpty else {
            throw Problem(.parameter, "include embeds into objects, and \(what)")
        }
        let groups = try asked.groupBy.map { try naming.group($0) }
        let grouping = Grouping(groups: groups, columns: columns, names: naming)
        if isGrouped {
            for column in columns {
                try grouping.check(column.description.expression, in: column.excerpt)
            }
            for (key, asked) in zip(request.sortDescriptors, asked.sort) {
                try grouping.check(key.expression, in: asked.excerpt)
            }
        } else if asked.having != nil {
            throw Problem(
                .parameter, "having is a condition on groups, and distinct rows are none",
                hint: "a condition on objects is where")
        }
        request.propertiesToGroupBy = groups
        request.havingPredicate = try asked.having.map {
            try naming.having($0, text: asked.havingText)
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
                            + "\(asked.excerpt.text) is none", hint: "add it to select")
                }
            }
        }
        return .rows(try Columns.rows(columns), position: fetch(columns, &request))
    }

    /// Has the columns fetched, and behind them what the rows' order takes beside them.
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
