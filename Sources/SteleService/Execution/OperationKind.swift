/// The `op` of an operation in a JSON Patch or a transaction.

import SteleJSON
import SteleModel
import SteleRequests

/// The kinds of operation in a list, by their names in `op`.
protocol OperationKind: RawRepresentable<String>, CaseIterable {}

extension OperationKind {
    /// Reads the kind of an operation.
    /// - Throws: `Problem` if it is not an object, or its `op` is not a name.
    static func read(_ node: JSONNode) throws(Problem) -> Self {
        guard node.kind == .object else {
            throw Problem(.body, "an operation must be an object, not \(node.kindName)")
        }
        let op = node["op"]
        if let kind = op?.string.flatMap(Self.init) { return kind }
        let names = allCases.map(\.rawValue)
        throw Problem(
            .body,
            "op must be one of \(names.joined(separator: ", "))"
                + (op.map { ", \(ValueReader.shown($0))" } ?? ""),
            hint: Nearest.hint(to: op?.string ?? "", among: names))
    }
}
