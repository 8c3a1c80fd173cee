/// The parameters of a list, parsed and not yet checked against the model.

import SteleModel
import StelePredicates

package struct ListCall: Sendable {
    var predicate: Predicate?
    /// The text of `where`, to locate errors.
    var whereText = ""
    var sort: [SortKey] = []
    var select: [SelectItem] = []
    var groupBy: [GroupKey] = []
    var having: Predicate?
    /// The text of `having`, to locate errors.
    var havingText = ""
    /// `distinct`; nil if it is not given.
    var isDistinct: Bool?
    /// `subentities`; nil if it is not given.
    var includesSubentities: Bool?
    var include: [IncludePath] = []
    /// `limit` as given; nil for the default of the format.
    var limit: Int?
    var offset = 0
    var after: Cursor?
    var wantsCount = false

    struct SortKey: Sendable {
        /// As written; it may be an alias of `select`.
        var excerpt: Excerpt
        var descriptor: SortDescriptor
    }

    /// A column of `select`.
    struct SelectItem: Sendable {
        var description: ExpressionDescription
        /// The expression as written, without its alias.
        var excerpt: Excerpt
    }

    struct GroupKey: Sendable {
        var expression: Expression
        var excerpt: Excerpt
    }

    struct IncludePath: Sendable {
        var keys: [String]
        var excerpt: Excerpt
    }

    /// Parses the parameters of a list, or those of a single object.
    /// - Parameters:
    ///   - isBounded: whether `limit` has a maximum, as in JSON.
    ///   - template: the variables of the fetch request template that is asked for.
    /// - Throws: `Problem` or `PredicateError` that names the parameter.
    init(
        _ query: Query, limits: Limits, isBounded: Bool = true, template: Set<String> = []
    ) throws {
        try readQuery(query, limits)
        try readPage(query, limits, isBounded: isBounded)
        try checkUse(of: query.variables, template)
        if !groupBy.isEmpty, select.isEmpty {
            throw Problem(
                .parameter, "groupBy needs a select with aggregates",
                hint: "for example select=team.name,n:count()&groupBy=team.name")
        }
    }

    /// Parses which rows are asked for, and in which form.
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

    /// Parses which part of the list is asked for.
    private mutating func readPage(_ query: Query, _ limits: Limits, isBounded: Bool) throws {
        if let text = query[.limit] {
            limit = try Self.number(
                text, .limit, 1...(isBounded ? limits.maximumListLimit : Int.max >> 16))
        }
        if let text = query[.offset] { offset = try Self.number(text, .offset, 0...Int.max >> 16) }
        if let text = query[.after] {
            guard query[.offset] == nil else {
                throw Problem(.parameter, "after and offset cannot be used together")
            }
            after = try Cursor(text)
        }
        if let text = query[.count] { wantsCount = try Self.truth(text, .count) }
    }

    /// Whether a regular expression is compiled with the plan.
    var hasPatterns: Bool {
        predicate?.hasPatterns ?? false || having?.hasPatterns ?? false
            || expressions.contains(where: \.hasPatterns)
    }

    private var expressions: [Expression] {
        select.map(\.description.expression) + sort.map(\.descriptor.expression)
            + groupBy.map(\.expression)
    }

    /// Checks that each variable is read; one that is not is a mistake in a name.
    private func checkUse(
        of variables: [(name: String, value: VariableValue)], _ template: Set<String>
    ) throws {
        if variables.isEmpty { return }
        var used = template
        if let predicate { used.formUnion(predicate.freeVariables) }
        if let having { used.formUnion(having.freeVariables) }
        for expression in expressions { used.formUnion(expression.freeVariables) }
        try Self.checkUse(of: variables, among: used)
    }

    /// - Throws: `Problem` for a variable that is given and not read.
    package static func checkUse(
        of variables: [(name: String, value: VariableValue)], among used: Set<String>
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
                    "select names \(excerpt.text) \(name), which is a key of every object",
                    near: name, hint: "give it another alias")
            }
            guard names.insert(name).inserted else {
                throw piece.excerpt.problem(
                    "select has two columns named \(name)",
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
                keys: $0.text.utf8.split(
                    separator: UInt8(ascii: "."), omittingEmptySubsequences: false
                ).map { String(Substring($0)) }, excerpt: $0.excerpt)
        }
        guard paths.count <= limits.includePaths else {
            throw Problem(.parameter, "include names more than \(limits.includePaths) paths")
        }
        for path in paths where path.keys.count > limits.includeDepth || path.keys.contains("") {
            throw path.excerpt.problem(
                "include has the path \(path.excerpt.text.prefix(100)); a path is up to "
                    + "\(limits.includeDepth) relationships, separated by dots")
        }
        return paths
    }

    /// Parses a whole number in a range.
    package static func number(
        _ text: String, _ parameter: Parameter, _ range: ClosedRange<Int>
    ) throws -> Int {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let value = Int(text),
            range.contains(value)
        else {
            throw Problem(
                .parameter,
                "\(parameter.name) must be a whole number from \(range.lowerBound) to "
                    + "\(range.upperBound), not \(text.prefix(40))")
        }
        return value
    }

    /// Parses `true` or `false`.
    package static func truth(_ text: String, _ parameter: Parameter) throws -> Bool {
        switch text {
        case "true": true
        case "false": false
        default:
            throw Problem(
                .parameter, "\(parameter.name) must be true or false, not \(text.prefix(40))")
        }
    }
}
