/// Questions a step smaller than another.

import SteleModel
import StelePredicates

extension Question {
    /// The boldest first.
    var smaller: [Question] {
        var result: [Question] = []
        func add(_ change: (inout Question) -> Void) {
            var copy = self
            change(&copy)
            if copy != self { result.append(copy) }
        }
        add { $0.condition = nil }
        add { $0.sort = [] }
        add { $0.isDistinct = false }
        add { $0.having = nil }
        add { $0.hasSubentities = true }
        add {
            $0.limit = nil
            $0.offset = 0
        }
        for index in sort.indices { add { $0.sort.remove(at: index) } }
        for index in select.indices { add { $0.select.remove(at: index) } }
        for index in groupBy.indices { add { $0.groupBy.remove(at: index) } }
        for text in Self.smaller(condition) { add { $0.condition = text } }
        for text in Self.smaller(having) { add { $0.having = text } }
        for index in sort.indices {
            let isDescending = sort[index].hasPrefix("-")
            for text in Self.smaller(
                expression: String(sort[index].dropFirst(isDescending ? 1 : 0)))
            { add { $0.sort[index] = text } }
        }
        for index in select.indices {
            guard let colon = select[index].firstIndex(of: ":") else { continue }
            let name = select[index][...colon]
            let body = String(select[index][select[index].index(after: colon)...])
            for text in Self.smaller(expression: body) {
                add {
                    $0.select[index] = name + text
                    for place in $0.groupBy.indices where $0.groupBy[place] == body {
                        $0.groupBy[place] = text
                    }
                }
            }
        }
        return result
    }

    private static func smaller(_ text: String?) -> [String] {
        guard let text, let predicate = try? Predicate(format: text) else { return [] }
        return predicate.smaller.map(\.predicateFormat).filter { $0 != text }
    }

    private static func smaller(expression text: String) -> [String] {
        guard let expression = try? Expression(format: text) else { return [] }
        return expression.smaller.map(\.description).filter { $0 != text }
    }
}

extension Predicate {
    /// Its parts, and itself with one part smaller.
    var smaller: [Predicate] {
        switch self {
        case .constant: return []
        case .not(let inner): return [inner] + inner.smaller.map { .not($0) }
        case .and(let parts): return parts + Self.changed(parts).map { .and($0) }
        case .or(let parts): return parts + Self.changed(parts).map { .or($0) }
        case .comparison(let it):
            var result: [Predicate] = [.constant(true), .constant(false)]
            func add(_ change: (inout Comparison) -> Void) {
                var copy = it
                change(&copy)
                if copy != it { result.append(.comparison(copy)) }
            }
            add { $0.options = [] }
            for left in it.left.smaller { add { $0.left = left } }
            for right in it.right.smaller { add { $0.right = right } }
            result += (it.left.conditions + it.right.conditions)
            return result
        }
    }

    private static func changed(_ parts: [Predicate]) -> [[Predicate]] {
        parts.indices.flatMap { index in
            var without = parts
            without.remove(at: index)
            return (without.isEmpty ? [] : [without])
                + parts[index].smaller.map { part in
                    var changed = parts
                    changed[index] = part
                    return changed
                }
        }
    }
}

extension Expression {
    /// The conditions within.
    fileprivate var conditions: [Predicate] {
        switch self {
        case .conditional(let condition, _, _): [condition]
        case .function(_, let items): items.flatMap(\.conditions)
        default: []
        }
    }

    /// Its parts, simple constants, and itself with one part smaller.
    var smaller: [Expression] {
        switch self {
        case .constant(let value): return Self.simpler(value).map { .constant($0) }
        case .function(let name, let items):
            return items + Self.changed(items).map { .function(name, $0) }
        case .aggregate(let items):
            let fewer =
                items.count > 2
                ? items.indices.map { index in
                    items.indices.filter { $0 != index }.map { items[$0] }
                }
                : []
            return fewer.map { .aggregate($0) } + Self.changed(items).map { .aggregate($0) }
        case .keyPath(let base, let path):
            let shorter: [Expression] = path.count > 1 ? [.keyPath(base, path.dropLast())] : []
            let later: [Expression] =
                path.count > 1
                ? [.keyPath(base, Array(path.dropFirst()))] : []
            return shorter + later + base.smaller.map { .keyPath($0, path) }
        case .subquery(let base, let name, let condition):
            return [base] + condition.smaller.map { .subquery(base, variable: name, $0) }
                + base.smaller.map { .subquery($0, variable: name, condition) }
        case .conditional(let condition, let a, let b):
            return [a, b] + condition.smaller.map { .conditional($0, a, b) }
                + a.smaller.map { .conditional(condition, $0, b) }
                + b.smaller.map { .conditional(condition, a, $0) }
        case .set(let operation, let a, let b):
            return [a, b] + a.smaller.map { .set(operation, $0, b) }
                + b.smaller.map { .set(operation, a, $0) }
        case .index(let base, let position):
            return [base] + base.smaller.map { .index($0, position) }
        case .evaluatedObject, .variable, .anyKey, .assignment: return []
        }
    }

    private static func changed(_ items: [Expression]) -> [[Expression]] {
        items.indices.flatMap { index in
            items[index].smaller.map { item in
                var changed = items
                changed[index] = item
                return changed
            }
        }
    }

    private static func simpler(_ value: Value) -> [Value] {
        switch value {
        case .int(let it) where it > 1 || it < 0: [.int(0), .int(1)]
        case .double(let it) where it != 0 && it != 1: [.double(0), .double(1)]
        case .decimal(let it) where it != 0 && it != 1: [.int(0), .int(1), .decimal(0.5)]
        case .string(let it) where it.unicodeScalars.count > 1:
            it.unicodeScalars.indices.map { place in
                var scalars = it.unicodeScalars
                scalars.remove(at: place)
                return .string(String(scalars))
            }
        case .date(let it) where it != 0: [.date(0)]
        default: []
        }
    }
}
