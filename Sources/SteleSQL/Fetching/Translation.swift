/// One statement in the making: its bindings and aliases; the parts of it are in extensions.

import SteleModel
import StelePersistence
import StelePredicates

/// The translation of expressions and predicates into one statement.
final class Translation {
    let translator: FetchTranslator
    private(set) var bindings: [Value] = []
    private var aliases = 0
    /// Whether a condition is of the kind that an index finds few rows by.
    var findsFew = false
    /// How deep what is translated stands in the whole.
    private var depth = 0

    /// What `now()` is, wherever the statement says it: seconds since 2001-01-01T00:00:00Z.
    lazy var now = PredicateCalls.now

    init(_ translator: FetchTranslator) {
        self.translator = translator
        bindings.reserveCapacity(16)
    }

    var schema: SQLSchema { translator.schema }

    var model: Model { translator.schema.model }

    /// Goes a step deeper; `leave` goes back.
    func enter() throws(StoreError) {
        depth += 1
        if depth & 3 == 0, !StackBound.hasRoom { throw .predicate(StackBound.error) }
    }

    func leave() { depth -= 1 }

    /// Binds a value and gives the text that stands for it.
    func bind(_ value: consuming Value) -> String {
        bindings.append(value)
        let count = bindings.count
        return count < Self.parameters.count ? Self.parameters[count] : "?\(count)"
    }

    func makeAlias() -> String {
        aliases += 1
        let number = aliases - 1
        return number < Self.names.count ? Self.names[number] : "t\(number)"
    }

    /// What most statements need, made once.
    private static let parameters = (0..<64).map { "?\($0)" }
    private static let names = (0..<16).map { "t\($0)" }

    /// The SQL of an operand; a constant is bound by this, so ask once.
    func sql(_ operand: Operand) -> String {
        switch operand.content {
        case .constant(let value): value.isNull ? "NULL" : bind(value)
        case .sql(let text): text
        case .entityName(let position): entityName(of: position)
        }
    }

    /// The SQL by which an operand compares and sorts: folded text, or a long Decimal's key.
    func comparable(_ operand: Operand, _ options: ComparisonOptions, long: Bool) -> String {
        let text = sql(operand)
        guard long || operand.kind == .text else { return text }
        return wrap(text, operand.kind, options, long: long)
    }

    func wrap(
        _ text: consuming String, _ kind: ColumnKind, _ options: ComparisonOptions, long: Bool
    ) -> String {
        if long { return SQLWords.joined(SQLFunctions.decimalKey.name, "(", text, ")") }
        if kind == .text, options.folds {
            return "\(SQLFunctions.fold.name)(\(text), \(options.rawValue))"
        }
        return text
    }

    /// The alias of an object's row, joined now if it is not yet.
    func row(of it: Position) throws(StoreError) -> String {
        if let alias = it.scope.row(it.key) { return alias }
        guard let table = schema.table(of: it.entity.index) else {
            throw .unsupported("\(it.entity.name) has no table in this store")
        }
        let alias = makeAlias()
        it.scope.join(
            table.name, alias, on: SQLWords.joined(alias, ".Z_PK = ", it.key), outer: it.isNullable)
        it.scope.setRow(it.key, alias)
        return alias
    }

    /// A column with the names of entities made from their numbers.
    private func entityName(of it: Position) -> String {
        guard let alias = it.scope.row(it.key) else { return "NULL" }
        let names = model.family(of: it.entity).map {
            " WHEN \(schema.number(of: $0.index)) THEN '\($0.name)'"
        }
        return "CASE \(alias).Z_ENT\(names.joined()) END"
    }
}

extension ComparisonOptions {
    /// Whether text is folded before it is compared; `[n]` says that it is prepared already.
    var folds: Bool {
        !contains(.normalized)
            && !isDisjoint(with: [.caseInsensitive, .diacriticInsensitive, .localeSensitive])
    }

    /// What matters to equality and to parts of text; `[l]` matters to order alone.
    var ofEquality: ComparisonOptions { subtracting(.localeSensitive) }
}
