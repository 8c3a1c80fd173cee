extension Predicate {
    /// Parses a predicate (NSPredicate(format:)).
    ///
    /// Integers up to 64 bits become `Value.int`; larger ones and fixed-point numbers become
    /// `Value.decimal`, exact to 38 digits; YES and NO become 1 and 0. `PredicateCheck` converts
    /// them to the type that they are compared with.
    /// - Throws: `PredicateError` with the position, what was expected, and often a hint:
    ///   `predicate.syntax`, `predicate.unsupported` or `predicate.limit`.
    public init(format: String) throws(PredicateError) {
        try self.init(format: format, arguments: [])
    }

    /// Parses a predicate with a value for each `%@` and a key path for each `%K`.
    ///
    /// - Throws: `PredicateError` as without arguments, and if the arguments do not fit the format.
    public init(format: String, arguments: [FormatArgument]) throws(PredicateError) {
        self = try PredicateParser.parse(format, arguments) {
            (parser: inout PredicateParser) throws(PredicateError) in
            try parser.wholePredicate()
        }
    }
}

extension Expression {
    /// Parses an expression (NSExpression(format:)).
    ///
    /// - Throws: `PredicateError` as `Predicate(format:)`.
    public init(format: String) throws(PredicateError) {
        self = try PredicateParser.parse(format, []) {
            (parser: inout PredicateParser) throws(PredicateError) in
            try parser.wholeExpression()
        }
    }
}

extension PredicateParser {
    /// Runs a parser on a text of limited length.
    static func parse<T>(
        _ text: String, _ arguments: [FormatArgument],
        _ body: (inout PredicateParser) throws(PredicateError) -> T
    ) throws(PredicateError) -> T {
        try withBytes(of: text) { (bytes) throws(PredicateError) in
            guard bytes.count <= PredicateLimits.textLength else {
                let kept = bytes[..<PredicateLimits.textLength]
                throw PredicateError(
                    .limit, "the predicate is longer than \(PredicateLimits.textLength) bytes",
                    position: kept.reduce(0) { $1 & 0xC0 == 0x80 ? $0 : $0 + 1 })
            }
            var parser = PredicateParser(bytes, from: 0, to: bytes.count, arguments: arguments)
            return try body(&parser)
        }
    }
}

/// Calls `body` with the text's UTF-8 bytes, without copying contiguous text.
@inline(__always)
func withBytes<T>(
    of text: String, _ body: (UnsafeBufferPointer<UInt8>) throws(PredicateError) -> T
) throws(PredicateError) -> T {
    try withText(text) { bytes in
        Result { () throws(PredicateError) in try body(bytes) }
    }.get()
}
