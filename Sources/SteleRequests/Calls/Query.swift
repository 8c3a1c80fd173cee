/// A request's query string, decoded.

import SteleModel
import StelePredicates

/// The parameters of a request, each known to its route and given once.
package struct Query: Sendable {
    /// The hint for a query that is too long for an address.
    package static let asBody = "POST /{Entity}/query takes the same as a JSON body"

    private let values: [(parameter: Parameter, value: String)]
    /// The values of `$NAME`, by the name after `var.`, sorted by name.
    package let variables: [(name: String, value: VariableValue)]
    /// The addresses of `q.NAME`, by the name after `q.`, in their order.
    let queries: [(name: String, value: String)]

    /// Reads a query string for a route that takes certain parameters.
    /// - Parameter template: the variables of the fetch request template that the route names.
    /// - Throws: `Problem` for what cannot be decoded, a parameter given twice, and one that the
    ///   route does not know, with the nearest.
    package init(
        _ text: String?, for known: Set<Parameter>, limits: Limits, template: [String] = []
    ) throws {
        try self.init(
            pairs: Self.pairs(text ?? "", limits: limits), for: known, template: template)
    }

    /// Reads names and values that are decoded already.
    /// - Parameter given: variables whose values have types.
    /// - Throws: as from a query string.
    init(
        pairs: [(name: String, value: String)],
        given: [(name: String, value: VariableValue)] = [], for known: Set<Parameter>,
        template: [String] = []
    ) throws {
        var values: [(parameter: Parameter, value: String)] = []
        var variables: [(name: String, value: VariableValue)] = []
        var names = Set<String>()
        func add(_ variable: String, _ value: VariableValue) throws {
            guard names.insert(variable).inserted else { throw Self.twice("var." + variable) }
            variables.append((variable, value))
        }
        var queries: [(name: String, value: String)] = []
        for (name, value) in pairs {
            if let parameter = Parameter.named(name), known.contains(parameter) {
                guard !values.contains(where: { $0.parameter == parameter }) else {
                    throw Self.twice(name)
                }
                values.append((parameter, value))
            } else if name.hasPrefix("var."), known.contains(.where) || known.contains(.select) {
                try add(String(name.dropFirst(4)), .written(value))
            } else if known.contains(.q), name.hasPrefix("q.") {
                let query = String(name.dropFirst(2))
                guard !queries.contains(where: { $0.name == query }) else {
                    throw Self.twice(name)
                }
                queries.append((query, value))
            } else {
                throw Self.unknown(name, value, known, template)
            }
        }
        for (name, value) in given { try add(name, value) }
        self.values = values
        self.queries = queries
        self.variables = variables.sorted { $0.name < $1.name }
    }

    /// The value of a parameter, or nil if it is not given.
    package subscript(_ parameter: Parameter) -> String? {
        values.first { $0.parameter == parameter }?.value
    }

    /// The bytes of all values.
    var bytes: Int {
        values.reduce(0) { $0 + $1.value.utf8.count }
            + variables.reduce(0) { $0 + $1.value.bytes }
            + queries.reduce(0) { $0 + $1.value.utf8.count }
    }

    /// Whether no parameter is given.
    package var isEmpty: Bool { values.isEmpty && variables.isEmpty && queries.isEmpty }

    /// The decoded names and values of a query string.
    static func pairs(
        _ text: String, limits: Limits
    ) throws -> [(name: String, value: String)] {
        guard text.utf8.count <= limits.queryBytes else {
            throw Problem(
                .targetTooLong, "the query is longer than \(limits.queryBytes) bytes",
                hint: Self.asBody)
        }
        if text.isEmpty { return [] }
        var text = text
        return try text.withUTF8 { bytes in
            let parts = bytes.count { $0 == UInt8(ascii: "&") } + 1
            guard parts <= limits.parameters else {
                throw Problem(
                    .targetTooLong, "the query has more than \(limits.parameters) parameters")
            }
            var pairs: [(name: String, value: String)] = []
            pairs.reserveCapacity(parts)
            var start = 0
            while pairs.count < parts {
                let end = bytes[start...].firstIndex(of: UInt8(ascii: "&")) ?? bytes.endIndex
                try pairs.append(pair(bytes[start..<end]))
                start = end + 1
            }
            return pairs
        }
    }

    /// The decoded name and value of `name=value`.
    private static func pair(
        _ part: Slice<UnsafeBufferPointer<UInt8>>
    ) throws -> (name: String, value: String) {
        if part.isEmpty {
            throw Problem(
                .target, "the query contains &&, or begins or ends with &",
                hint: "in a predicate write AND, or encode && as %26%26")
        }
        func decode(_ text: Slice<UnsafeBufferPointer<UInt8>>) throws -> String {
            try PercentDecoding.decode(
                UnsafeBufferPointer(rebasing: text), plusIsSpace: true, what: "the query")
        }
        let equals = part.firstIndex(of: UInt8(ascii: "=")) ?? part.endIndex
        return (try decode(part[..<equals]), try decode(part[equals...].dropFirst()))
    }

    private static func twice(_ name: String) -> Problem {
        Problem(.duplicateParameter, "the parameter \(name) is given twice")
    }

    private static func unknown(
        _ name: String, _ value: String, _ known: Set<Parameter>, _ template: [String]
    ) -> Problem {
        let names = known.map(\.name).sorted()
        let shown = name.count > 60 ? "\(name.prefix(60))…" : name
        if looksLikePredicate(name, value) {
            return Problem(
                .unknownParameter,
                "unknown parameter \(shown): it looks like the tail of a predicate",
                hint: "in a predicate write AND, or encode & as %26")
        }
        let variable = template.first { $0.lowercased() == name.lowercased() }
        let takes = names.isEmpty ? "takes none" : "takes \(names.joined(separator: ", "))"
        return Problem(
            .unknownParameter, "unknown parameter \(shown); this route \(takes)",
            hint: variable.map { "it is a variable of the template: var.\($0)=…" }
                ?? Parameter.meant(by: name, among: known) ?? Nearest.hint(to: name, among: names)
                ?? conditionHint(name, known))
    }

    /// The hint for `name=Ann` and `age=gt.40`, which are conditions in other services.
    private static func conditionHint(_ name: String, _ known: Set<Parameter>) -> String? {
        guard known.contains(.where), name.utf8.count <= 60,
            name.utf8.allSatisfy({ $0 == UInt8(ascii: "_") || isLetterOrDigit($0) || $0 == 0x2E })
        else { return nil }
        return "write a condition on a key in where: where=\(name) == …"
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
    }

    /// Whether a parameter is a part of `where=a > 1 && b == 2`, which arrives in pieces: later
    /// ones have operators in their names or an equals sign at the start of their values.
    private static func looksLikePredicate(_ name: String, _ value: String) -> Bool {
        name.hasPrefix(" ") || value.hasPrefix("=")
            || name.contains { " <>!(){}'\"".contains($0) }
    }
}

/// Whether a text has a time whose `+` before the offset was decoded to a space.
func hasSpaceForPlus(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    func isDigit(_ index: Int) -> Bool {
        bytes.indices.contains(index) && (0x30...0x39).contains(bytes[index])
    }
    return bytes.indices.contains { space in
        guard bytes[space] == UInt8(ascii: " "), isDigit(space - 1), isDigit(space + 1),
            isDigit(space + 2)
        else { return false }
        // In …T09:00:00 02:00 there is a colon three bytes before the space.
        return bytes[max(0, space - 12)..<space].contains(UInt8(ascii: ":"))
    }
}

/// The hint for a `+` that became a space.
let plusHint = "a + in an address is a space: write the + of the offset as %2B"
