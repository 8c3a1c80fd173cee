/// Reading predicates and expressions from text (NSPredicate(format:), NSExpression(format:)).

extension Predicate {
    /// The predicate that the text says.
    ///
    /// Integers up to 64 bits are `Value.int`, larger ones and fixed-point numbers exact
    /// `Value.decimal`s up to 38 digits, `YES` and `NO` the numbers 1 and 0; a check against the
    /// model makes of them what they are compared with.
    /// - Throws: `PredicateError` with the place, what was expected there and often a hint:
    ///   `predicate.syntax`, `predicate.unsupported` or `predicate.limit`.
    public init(format: String) throws(PredicateError) {
        try self.init(format: format, arguments: [])
    }

    /// The same, with a value for each `%@` and a key path for each `%K` in the text.
    public init(format: String, arguments: [FormatArgument]) throws(PredicateError) {
        self = try PredicateParser.parse(format, arguments) {
            (parser: inout PredicateParser) throws(PredicateError) in
            try parser.wholePredicate()
        }
    }
}

extension Expression {
    /// The expression that the text says.
    ///
    /// - Throws: `PredicateError` as `Predicate(format:)` does.
    public init(format: String) throws(PredicateError) {
        self = try PredicateParser.parse(format, []) {
            (parser: inout PredicateParser) throws(PredicateError) in
            try parser.wholeExpression()
        }
    }
}

extension PredicateParser {
    /// Runs a parser over a text of bounded length.
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

/// The text's UTF-8 bytes, without copying them where they lie in one piece.
@inline(__always)
func withBytes<T>(
    of text: String, _ body: (UnsafeBufferPointer<UInt8>) throws(PredicateError) -> T
) throws(PredicateError) -> T {
    let run = { (bytes: UnsafeBufferPointer<UInt8>) -> Result<T, PredicateError> in
        do throws(PredicateError) { return .success(try body(bytes)) } catch {
            return .failure(error)
        }
    }
    if let result = text.utf8.withContiguousStorageIfAvailable(run) { return try result.get() }
    var copy = text
    return try copy.withUTF8(run).get()
}
