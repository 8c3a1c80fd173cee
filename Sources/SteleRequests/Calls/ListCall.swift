/// The parameters of a list as types: parsed, and not yet looked up in the model.

import SteleModel
import StelePredicates

/// What a list is asked for.
package struct ListCall: Sendable {
    package var predicate: Predicate?
    /// The text of `where`, for the places of its mistakes.
    var whereText = ""
    package var sort: [SortKey] = []
    package var select: [SelectItem] = []
    var groupBy: [GroupKey] = []
    var having: Predicate?
    /// The text of `having`, for the places of its mistakes.
    var havingText = ""
    /// `distinct`; nil where it is not given.
    var isDistinct: Bool?
    /// `subentities`; nil where it is not given.
    package var includesSubentities: Bool?
    package var include: [IncludePath] = []
    /// As given; nil is as many as the format gives without it.
    package var limit: Int?
    package var offset = 0
    package var after: Cursor?
    package var wantsCount = false

    /// One key of `sort`.
    package struct SortKey: Sendable {
        /// As written, which may be an alias of `select`.
        var excerpt: Excerpt
        package var descriptor: SortDescriptor
    }

    /// One column of `select`.
    package struct SelectItem: Sendable {
        package var description: ExpressionDescription
        /// The expression as written, without its alias.
        var excerpt: Excerpt
    }

    /// One key of `groupBy`.
    package struct GroupKey: Sendable {
        package var expression: Expression
        var excerpt: Excerpt
    }

    /// One path of `include`.
    package struct IncludePath: Sendable {
        package var keys: [String]
        var excerpt: Excerpt
    }

    /// Reads the parameters of a list, or those that a single object takes.
    /// - Parameters:
    ///   - isBounded: whether `limit` has a ceiling, as it has in JSON.
    ///   - template: the variables of the fetch request template that is asked for.
    /// - Throws: `Problem` or `PredicateError` that names the parameter.
    package init(
        _ query: Query, limits: Limits, isBounded: Bool = true, template: Set<String> = []
    ) throws {
        try readQuery(query, limits)
        try readPage(query, limits, isBounded: isBounded)
        try checkUse(of: query.variables, template)
        if !groupBy.isEmpty, select.isEmpty {
            throw Problem(
                .parameter, "groupBy takes a select with aggregates beside it",
                hint: "for example select=team.name,n:count()&groupBy=team.name")
        }
    }

    /// What is asked for.
    private mutating func readQuery(_ query: Query, _ limits: Limits) throws {
        if let text = query[.where] {
            whereText = text
            predicate = try Excerpt(text, of: .where).predicate()
        }
        if let text = query[.sort] { sort = try Self.sort(text, limits) }
        if let text = query[.select] { select = try Self.select(text, limits) }
        if let text = query[.groupBy] {
            groupBy = try ListPiece.split(text, of: .groupBy, limits: limits).map {
                GroupKey(expression: try $0.excerpt.expression(), excerpt: $0.excerpt)
            }
        }
        if let text = query[.having] {
            havingText = text
            having = try Excerpt(text, of: .having).predicate()
        }
        if let text = query[.distinct] { isDistinct = try Self.truth(text, .distinct) }
        if let text = query[.subentities] {
            includesSubentities = try Self.truth(text, .subentities)
        }
        if let text = query[.include] { include = try Self.include(text, limits) }
    }

    /// Which part of it.
    private mutating func readPage(_ query: Query, _ limits: Limits, isBounded: Bool) throws {
        if let text = query[.limit] {
            limit = try Self.number(
                text, .limit, 1...(isBounded ? limits.maximumListLimit : Int.max >> 16))
        }
        if let text = query[.offset] { offset = try Self.number(text, .offset, 0...Int.max >> 16) }
        if let text = query[.after] {
            guard query[.offset] == nil else {
                throw Problem(.parameter, "after and offset exclude each other")
            }
            after = try Cursor(text)
        }
        if let text = query[.count] { wantsCount = try Self.truth(text, .count) }
    }

    /// Whether a regular expression is compiled with the plan.
    var hasPatterns: Bool {
        predicate?.hasPatterns ?? false || having?.hasPatterns ?? false
            || select.contains { $0.description.expression.hasPatterns }
            || sort.contains { $0.descriptor.expression.hasPatterns }
            || groupBy.contains { $0.expression.hasPatterns }
    }

    /// A variable that nothing reads is a mistake in its name, here or there.
    private func checkUse(
        of variables: [(name: String, value: String)], _ template: Set<String>
    ) throws {
        if variables.isEmpty { return }
        var used = template
        if let predicate { used.formUnion(predicate.freeVariables) }
        if let having { used.formUnion(having.freeVariables) }
        for key in sort { used.formUnion(key.descriptor.expression.freeVariables) }
        for column in select { used.formUnion(column.description.expression.freeVariables) }
        for group in groupBy { used.formUnion(group.expression.freeVariables) }
        try Self.checkUse(of: variables, among: used)
    }

    /// - Throws: `Problem` for a variable that is given and not among those that are read.
    package static func checkUse(
        of variables: [(name: String, value: String)], among used: Set<String>
    ) throws {
        guard let unused = variables.first(where: { !used.contains($0.name) })?.name else { return }
        throw Problem(
            .unknownParameter,
            "unknown parameter var.\(unused.prefix(60)): nothing reads "
                + "$\(unused.prefix(60))",
            hint: Nearest.hint(to: "var." + unused, among: used.sorted().map { "var." + $0 }))
    }

    private static func sort(_ text: String, _ limits: Limits) throws -> [SortKey] {
        try ListPiece.split(text, of: .sort, limits: limits).map { piece in
            let key = piece.sortKey
            do {
                return SortKey(
                    excerpt: key.expression,
                    descriptor: SortDescriptor(
                        try key.expression.expression(), ascending: key.ascending,
                        options: key.options))
            } catch var error as PredicateError {
                if let hint = piece.sortHint { error.hint = hint }
                throw error
            }
        }
    }

    private static func select(_ text: String, _ limits: Limits) throws -> [SelectItem] {
        var names = Set<String>()
        return try ListPiece.split(text, of: .select, limits: limits).map { piece in
            let (name, excerpt) = piece.named
            if ["_id", "_entity", "_version"].contains(name), name != excerpt.text {
                throw piece.excerpt.problem(
                    "select calls \(excerpt.text) \(name), which is a key of every object",
                    near: name, hint: "give it another alias")
            }
            guard names.insert(name).inserted else {
                throw piece.excerpt.problem(
                    "select has two columns of the name \(name)",
                    near: name, hint: "give one an alias: other:\(excerpt.text)")
            }
            do {
                return SelectItem(
                    description: ExpressionDescription(
                        name: name, expression: try excerpt.expression()), excerpt: excerpt)
            } catch var error as PredicateError {
                error.hint = piece.selectHint ?? error.hint ?? piece.embeddingHint
                throw error
            }
        }
    }

    private static func include(_ text: String, _ limits: Limits) throws -> [IncludePath] {
        let paths = try ListPiece.split(text, of: .include, limits: limits).map {
            IncludePath(
                keys: $0.text.split(separator: ".", omittingEmptySubsequences: false)
                    .map(String.init), excerpt: $0.excerpt)
        }
        guard paths.count <= limits.includePaths else {
            throw Problem(.parameter, "include names more than \(limits.includePaths) paths")
        }
        for path in paths where path.keys.count > limits.includeDepth || path.keys.contains("") {
            throw path.excerpt.problem(
                "include has the path \(path.excerpt.text.prefix(100)): paths "
                    + "are up to \(limits.includeDepth) relationships with dots between them")
        }
        return paths
    }

    /// A whole number in a range.
    package static func number(
        _ text: String, _ parameter: Parameter, _ range: ClosedRange<Int>
    ) throws -> Int {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let value = Int(text),
            range.contains(value)
        else {
            throw Problem(
                .parameter,
                "\(parameter.rawValue) is a whole number from \(range.lowerBound) to "
                    + "\(range.upperBound), not \(text.prefix(40))")
        }
        return value
    }

    /// `true` or `false`.
    package static func truth(_ text: String, _ parameter: Parameter) throws -> Bool {
        switch text {
        case "true": true
        case "false": false
        default:
            throw Problem(
                .parameter, "\(parameter.rawValue) is true or false, not \(text.prefix(40))")
        }
    }
}
