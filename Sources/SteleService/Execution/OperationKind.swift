/// The `op` of an operation in a JSON Patch or a transaction.

import SteleJSON
import SteleModel
import SteleRequests

/// The kinds of operation that a list of them can hold, by the names that `op` has for them.
protocol OperationKind: RawRepresentable<String>, CaseIterable {}

extension OperationKind {
    /// Reads what kind an operation is of.
    /// - Throws: `Problem` where it is no object, or its `op` none of the names.
    static func read(_ node: JSONNode) throws(Problem) -> Self {
        guard node.kind == .object else {
            throw Problem(.body, "an operation is an object, and \(node.kindName) stands there")
        }
        let op = node["op"]
        if let kind = op?.string.flatMap(Self.init) { return kind }
        let names = allCases.map(\.rawValue)
        throw Problem(
            .body,
            "op is \(names.joined(separator: ", "))"
                + (op.map { ", \(ValueReader.shown($0))" } ?? ", and there is none"),
            hint: Nearest.hint(to: op?.string ?? "", among: names))
    }
}
