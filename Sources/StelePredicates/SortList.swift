import SteleModel

/// Sort keys as text, such as `-salary,name[cd],-average(pay)`.
public struct SortList: Sendable, Hashable {
    /// The sort keys, the most significant first.
    public var descriptors: [SortDescriptor]

    /// Creates a list of sort keys.
    public init(_ descriptors: [SortDescriptor]) { self.descriptors = descriptors }

    /// Parses a list. A leading `-` is descending order. The letters c, d and l in a trailing
    /// bracket are options; any other bracket is an index.
    ///
    /// - Throws: `PredicateError` as `Expression(format:)`.
    public init(_ text: String) throws(PredicateError) {
        descriptors = try withBytes(of: text) { (bytes) throws(PredicateError) in
            let items = try ListItems(bytes)
            return try items.ranges.map { (range) throws(PredicateError) in
                try Self.key(range, items)
            }
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
            let found = ComparisonOptions(
                letters: items.bytes[(bracket + 1)..<(range.upperBound - 1)]
                    .filter { !ListItems.isSpace($0) }),
            !found.isEmpty, !found.contains(.normalized)
        {
            options = found
            range = items.trimmed(range.lowerBound..<bracket)
        }
        var parser = PredicateParser(items.bytes, from: range.lowerBound, to: range.upperBound)
        return SortDescriptor(
            try parser.wholeExpression(), ascending: !isDescending, options: options)
    }

    /// The sort keys, checked.
    ///
    /// - Throws: `PredicateError` as `PredicateCheck.check(_:)`, and with code `predicate.type`
    ///   for a key without an order, such as a collection.
    public func checked(by check: PredicateCheck) throws(PredicateError) -> [SortDescriptor] {
        try descriptors.map { (descriptor) throws(PredicateError) in
            let (expression, type) = try check.check(descriptor.expression)
            guard [.any, .number, .text, .date, .uuid].contains(type.kind) else {
                let written = descriptor.expression.description
                var hint: String?
                if type.kind == .collection { hint = "sort by one of its aggregates" }
                if type.kind == .object { hint = "sort by one of its keys: \(written)._id" }
                throw PredicateError(
                    .type, "\(written) has no order to sort by: it is \(type.noun)",
                    near: written, hint: hint)
            }
            return SortDescriptor(
                expression, ascending: descriptor.ascending, options: descriptor.options)
        }
    }
}
