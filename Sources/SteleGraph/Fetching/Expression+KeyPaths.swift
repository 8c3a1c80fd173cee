import StelePredicates

extension Expression {
    /// Calls `body` with the names of each key path that begins at the evaluated object.
    /// - Parameter alsoOfVariables: whether to include key paths of variables and of the results of
    ///   other expressions.
    func visitKeyPaths(alsoOfVariables all: Bool = false, _ body: ([String]) -> Void) {
        visit { $0.visitKeyPath(all, body) }
    }

    fileprivate func visitKeyPath(_ all: Bool, _ body: ([String]) -> Void) {
        guard case .keyPath(let operand, let path) = self else { return }
        if all || operand == .evaluatedObject { body(path) }
    }
}

extension Predicate {
    /// Calls `body` with the key paths of all expressions in the predicate.
    package func visitKeyPaths(alsoOfVariables all: Bool = false, _ body: ([String]) -> Void) {
        visit { $0.visitKeyPath(all, body) }
    }
}
