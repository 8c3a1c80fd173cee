/// `sort`, `groupBy` and `include`.

import SteleModel

/// The keys that `sort` names, such as `-salary,name[cd],-average(pay)`.
public struct SortList: Sendable, Hashable {
    /// The keys, the weightiest first.
    public var descriptors: [SortDescriptor]

    /// A list of those keys.
    public init(_ descriptors: [SortDescriptor]) { self.descriptors = descriptors }

    /// Reads the list. One leading `-` is descending; a trailing bracket of the letters c, d and l
    /// holds options, any other is an index.
    ///
    /// - Throws: `PredicateError` as `Expression(format:)`.
    public init(_ text: String) throws(PredicateError) {
        descriptors = try withBytes(of: text) { (bytes) throws(PredicateError) in
            let items = try ListItems(bytes, "sort")
            var descriptors: [SortDescriptor] = []
            for range in items.ranges { descriptors.append(try Self.key(range, items)) }
            return descriptors
        }
    }

    private static func key(
        _ range: Range<Int>, _ items: ListItems
    ) throws(PredicateError) -> SortDescriptor {
        var range = range
        let isDescending = items.bytes[range.lowerBound] == UInt8(ascii: "-")
        if isDescending { range = items.trimmed((range.lowerBound + 1)..<range.upperBound) }
        var options: ComparisonOptions = []
        if let bracket = items.bytes[range].lastIndex(of: UInt8(ascii: "[")),
            bracket > range.lowerBound, items.bytes[range.upperBound - 1] == UInt8(ascii: "]"),
            let found = Self.options(items.bytes[(bracket + 1)..<(range.upperBound - 1)])
        {
            options = found
            range = items.trimmed(range.lowerBound..<bracket)
        }
        return SortDescriptor(
            try items.expression(range), ascending: !isDescending, options: options)
    }

    private static func options(
        _ letters: Slice<UnsafeBufferPointer<UInt8>>
    ) -> ComparisonOptions? {
        var options: ComparisonOptions = []
        for letter in letters where !ListItems.isSpace(letter) {
            switch letter | 0x20 {
            case UInt8(ascii: "c"): options.insert(.caseInsensitive)
            case UInt8(ascii: "d"): options.insert(.diacriticInsensitive)
            case UInt8(ascii: "l"): options.insert(.localeSensitive)
            default: return nil
            }
        }
        return options.isEmpty ? nil : options
    }

    /// The keys fitted to the model; the columns of `select` are known by their names, too.
    ///
    /// - Throws: `PredicateError` as `PredicateCheck.check(_:)`, and with code `predicate.type`
    ///   for a key that has no order, such as a collection.
    public func checked(
        by check: PredicateCheck, columns: [SelectList.Column] = []
    ) throws(PredicateError) -> [SortDescriptor] {
        var check = check
        for column in columns where check.aliases[column.name] == nil {
            check.aliases[column.name] = column.expression
        }
        if columns.contains(where: \.isAggregate) { check.allowsRowAggregates = true }
        var result: [SortDescriptor] = []
        for descriptor in descriptors {
            let (expression, type) = try check.check(descriptor.expression)
            guard [.any, .number, .text, .date, .uuid].contains(type.kind) else {
                let written = descriptor.expression.description
                var hint: String?
                if type.kind == .collection { hint = "sort by one of its aggregates" }
                if type.kind == .object { hint = "sort by a key of it: \(written)._id" }
                throw PredicateError(
                    .type, "\(written) has no order to sort by: it is \(type.noun)",
                    near: written, hint: hint)
            }
            result.append(
                SortDescriptor(
                    expression, ascending: descriptor.ascending, options: descriptor.options))
        }
        return result
    }
}

/// The expressions that `groupBy` names.
public struct ExpressionList: Sendable, Hashable {
    public var expressions: [Expression]

    /// - Throws: `PredicateError` as `Expression(format:)`.
    public init(_ text: String) throws(PredicateError) {
        expressions = try withBytes(of: text) { (bytes) throws(PredicateError) in
            let items = try ListItems(bytes, "groupBy")
            var expressions: [Expression] = []
            for range in items.ranges { expressions.append(try items.expression(range)) }
            return expressions
        }
    }
}

/// The relationships that `include` names, such as `team.league,players`.
public struct IncludeList: Sendable, Hashable {
    /// Each path's keys.
    public var paths: [[String]]

    /// - Throws: `PredicateError` where an item is no path of keys.
    public init(_ text: String) throws(PredicateError) {
        paths = try withBytes(of: text) { (bytes) throws(PredicateError) in
            let items = try ListItems(bytes, "include")
            var paths: [[String]] = []
            for range in items.ranges {
                guard case .keyPath(.evaluatedObject, let path) = try items.expression(range),
                    !path.contains(where: { $0.utf8.first == UInt8(ascii: "@") })
                else {
                    throw PredicateError(
                        .syntax, "include takes paths of relationships, such as team.league",
                        position: items.position(of: range.lowerBound), near: items.text(range))
                }
                paths.append(path)
            }
            return paths
        }
    }

    /// Each path's relationships.
    ///
    /// - Throws: `PredicateError` with code `predicate.unknown-key`, or `predicate.type` where a
    ///   key is no relationship.
    public func resolved(
        from entity: Entity, in model: Model
    ) throws(PredicateError) -> [[Relationship]] {
        var result: [[Relationship]] = []
        for path in paths {
            var steps: [Relationship] = []
            for step in try KeyPathResolution.resolve(path, from: entity, in: model) {
                switch step {
                case .toOne(let it), .toMany(let it): steps.append(it)
                default:
                    let name = path.joined(separator: ".")
                    throw PredicateError(
                        .type, "\(name) cannot be included: it is no relationship", near: name,
                        hint: "attributes are there already; select names them")
                }
            }
            result.append(steps)
        }
        return result
    }
}
