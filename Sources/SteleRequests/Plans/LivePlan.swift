/// The plan of a live query: a list that can be followed.

import SteleGraph
import SteleJSON
import SteleModel
import StelePersistence
import StelePredicates

/// The plan of a live query. Streams with equal keys share a query and its bytes.
package struct LivePlan: Sendable {
    /// All parameters, as ASCII text.
    package let key: String
    /// The object in the address of a relationship or a fetched property; nil for an entity's list.
    package let address: ObjectAddress?
    /// The same as the owner of a result.
    package let owner: ResultsOwner?
    /// The fetch with its limit and offset, without a cursor, and with the rules of what is
    /// visible: for a reader of everything.
    package let request: FetchRequest
    /// The same fetch as it was asked, sorted by its sections: for a reader of what is visible,
    /// which adds the rules. With the rules of `request` they would be added twice, and a rule that
    /// leads to hidden objects would find none.
    package let asked: FetchRequest
    package let shape: Shape
    /// The list, sorted by its sections.
    package let list: ListPlan
    /// The expression of `sectionBy`.
    package let section: Expression?
    package let numbersAsStrings: Bool
    package let maximumRows: Int
    /// What is visible to its listeners; nil for everything.
    package let sight: Sight?

    package var entity: Entity { request.entity }

    /// - Throws: `Problem` for a list that cannot be followed, with a hint.
    init(_ list: ListPlan, _ call: Call, _ names: Names, _ sight: Sight?) throws {
        let relationship: Relationship?
        switch list.source {
        case .entity: (address, relationship) = (nil, nil)
        case .members(let owner, let it): (address, relationship) = (owner, it)
        case .fetched(let owner, _): (address, relationship) = (owner, nil)
        }
        owner = address.map {
            ResultsOwner($0.id, entity: $0.entity, relationship: relationship, sight: sight)
        }
        if list.request.isVolatile {
            throw Problem(
                .parameter,
                "the values of now() and random() change without a save, so a live query cannot "
                    + "follow them",
                hint: "send the value: where=due < $today&var.today=2026-01-31T00:00:00Z")
        }
        for parameter in [Parameter.after, .count] where call.query[parameter] != nil {
            throw Problem(
                .parameter, "\(parameter.name) is for pages, and a live query is one list",
                hint: "use limit and offset for a part of the list")
        }
        let limits = call.limits
        if let limit = list.limit, limit > limits.liveRows {
            throw Problem(
                .parameter,
                "limit of a live query is at most \(limits.liveRows), not \(limit)")
        }
        if Self.hasFetched(list.shape) {
            throw Problem(
                .parameter,
                "a fetched property depends on objects that no relationship leads to, so a live "
                    + "query cannot follow it", hint: "use a live query of its entity")
        }
        let section: Expression? = try call.query[.sectionBy].map { text in
            if case .rows = list.shape {
                throw Problem(
                    .parameter,
                    "sectionBy needs objects, and select asks for aggregates or distinct rows",
                    hint: "use groupBy to group such rows")
            }
            let excerpt = Excerpt(text, of: .sectionBy)
            let keys: [SortDescriptor]
            do throws(PredicateError) { keys = try SortList(text).descriptors } catch {
                throw excerpt.located(error)
            }
            guard keys.count == 1, let key = keys.first, key.ascending, key.options == [] else {
                throw Problem(
                    .parameter, "sectionBy is one key path, such as team.name",
                    hint: "sort=-team.name puts the sections in descending order")
            }
            return try names.sortDescriptor(key, excerpt).expression
        }
        var sorted = list
        let sort = list.request.sortDescriptors.first
        if let section, sort?.expression != section || sort?.options != [] {
            sorted.request.sortDescriptors.insert(SortDescriptor(section), at: 0)
            sorted.request.isChecked = true
        }
        self.list = sorted
        var asked = sorted.request
        asked.fetchLimit = list.limit
        asked.fetchOffset = list.offset
        self.asked = asked
        self.sight = sight
        // Saves are judged by the request, without a reader of what is visible.
        let woven = sight?.woven(asked) ?? asked
        request = woven
        self.section = section == nil ? nil : woven.sortDescriptors.first?.expression
        shape = list.shape
        numbersAsStrings = call.numbersAsStrings
        maximumRows = limits.liveRows
        key = Self.key(call, asked, sight)
    }

    private static func key(_ call: Call, _ request: FetchRequest, _ sight: Sight?) -> String {
        var parts = [
            request.entity.name, call.route.pattern.rawValue,
            String(call.numbersAsStrings), String(request.fetchLimit ?? -1),
            String(request.fetchOffset),
        ]
        switch call.route.resource {
        case .template(let template): parts.append(template.name)
        case .related(let owner, let it): parts += [owner.entity.name, "\(owner.key)", it.name]
        case .fetched(let owner, let it): parts += [owner.entity.name, "\(owner.key)", it.name]
        default: break
        }
        for parameter in [
            Parameter.where, .sort, .select, .groupBy, .having, .distinct, .include, .subentities,
            .sectionBy,
        ] {
            parts.append(call.query[parameter].map { "=" + $0 } ?? "")
        }
        for (name, value) in call.query.variables { parts += [name, value.key] }
        if let sight { parts.append(sight.name) }
        let text = parts.map { "\($0.utf8.count):\($0)" }.joined()
        // `==` takes composed and decomposed forms of other characters as equal.
        return text.utf8.map { $0 < 0x80 ? String(UnicodeScalar($0)) : "%\($0)" }.joined()
    }

    private static func hasFetched(_ shape: Shape) -> Bool {
        switch shape {
        case .objects(let inclusion): return inclusion.hasFetched
        case .rows: return false
        case .columns(let columns, let inclusion):
            return inclusion.hasFetched
                || columns.contains { if case .fetched = $0.source { true } else { false } }
        }
    }

    /// The query to follow if the rows are objects; nil for rows of aggregates.
    package func results(_ model: Model) -> ResultsQuery? {
        let content: ResultsQuery.Content
        switch shape {
        case .rows: return nil
        case .objects(let inclusion): content = .including(inclusion.paths)
        case .columns(let columns, let inclusion):
            var expressions = request.propertiesToFetch.map(\.expression)
            // A class computes a transient attribute of others, which are not known.
            if columns.contains(where: { if case .transient = $0.source { true } else { false } }) {
                for case .attribute(let it) in entity.slots where !it.isTransient {
                    expressions.append(.key(it.name))
                }
            }
            for column in columns {
                let many: Expression
                switch column.source {
                case .toMany(let it): many = .key(it.name)
                case .many(let it): many = it.expression
                default: continue
                }
                expressions.append(sight?.woven(many, of: entity) ?? many)
            }
            content = .columns(expressions, including: inclusion.paths)
        }
        return ResultsQuery(
            request, of: owner, section: section, content: content, maximumRows: maximumRows,
            seenBy: sight, model: model)
    }

    /// Whether a row may look the same after a change. A whole object does not: it shows all its
    /// values, and its version, which every change raises unless it is of a derived attribute.
    package func canLookTheSame(_ model: Model) -> Bool {
        switch shape {
        case .objects(let inclusion):
            !inclusion.isEmpty || sight != nil
                || model.entities[entity.subtree].contains { $0.slots.contains(where: \.isDerived) }
        case .columns: true
        case .rows: false
        }
    }

    /// The places of the values that identify a row of aggregates.
    package var identity: [Int] {
        guard case .rows(let columns, let position) = shape else { return [] }
        if request.returnsDistinctResults { return Array(columns.indices) }
        return position.suffix(request.propertiesToGroupBy.count)
    }
}

extension Inclusion {
    /// The paths of relationships to what is embedded, each to its end.
    package var paths: [[Relationship]] {
        branches.flatMap { branch -> [[Relationship]] in
            guard case .relationship(let it) = branch.kind else { return [] }
            let below = branch.below.paths
            return below.isEmpty ? [[it]] : below.map { [it] + $0 }
        }
    }

    /// Whether a fetched property is embedded anywhere.
    var hasFetched: Bool {
        branches.contains { branch in
            if case .fetched = branch.kind { return true }
            return branch.below.hasFetched
        }
    }
}

/// A query of a stream, and the prefix of the names of its events.
package struct LivePart: Sendable {
    package let plan: LivePlan
    package let prefix: String
}
