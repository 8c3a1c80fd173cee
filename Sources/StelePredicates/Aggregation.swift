import SteleModel

/// Aggregates and set operations as SQL computes them. Nulls are skipped. The sum of no values is
/// 0; every other aggregate of no values is null.
enum Aggregation {
    static func apply<O>(_ name: String, to whole: Evaluated<O>) -> Evaluated<O> {
        let function: PredicateFunction
        switch name {
        case "@count": function = .count
        case "@sum": function = .sum
        case "@avg": function = .average
        case "@min": function = .min
        case "@max": function = .max
        case "@distinctUnionOfObjects", "@distinctUnionOfArrays", "@distinctUnionOfSets":
            return .collection(distinct(whole.items))
        default: return whole
        }
        return apply(function, to: whole.items)
    }

    static func apply<O>(
        _ function: PredicateFunction, to items: [Evaluated<O>], isDistinct: Bool = false,
        countsNull: Bool = true
    ) -> Evaluated<O> {
        let items = isDistinct ? distinct(items) : items
        switch function {
        case .count:
            if countsNull { return .value(.int(Int64(items.count))) }
            return .value(.int(Int64(values(items).count)))
        case .sum: return .value(total(values(items)))
        case .average: return .value(average(values(items)))
        case .min: return extreme(items, keeps: { $0 < 0 })
        case .max: return extreme(items, keeps: { $0 > 0 })
        case .median: return .value(median(values(items)))
        case .standardDeviation:
            return .value(PredicateCalls.standardDeviation(values(items).compactMap(\.asDouble)))
        case .mode: return .collection(mode(items))
        default: return .null
        }
    }

    private static func values<O>(_ items: [Evaluated<O>]) -> [Value] {
        items.compactMap {
            let value = $0.value
            return value.isNull ? nil : value
        }
    }

    static func total(_ values: [Value]) -> Value {
        plain(values)?.sum ?? decimals(values).map { Arithmetic.exact($0.sum) }
            ?? values.reduce(.int(0)) { Arithmetic.binary(.add, $0, $1) }
    }

    /// The sum of Decimals and integers; nil if there are other values.
    private static func decimals(_ values: [Value]) -> DecimalTotal? {
        var total = DecimalTotal()
        for value in values {
            if case .double = value { return nil }
            guard let number = value.asDecimal else { return nil }
            total.add(number)
        }
        return total
    }

    /// The sum of integers and Doubles; nil if there are other values.
    private static func plain(_ values: [Value]) -> NumberSum? {
        var sum = NumberSum()
        for value in values {
            switch value {
            case .int(let it): sum.add(it)
            case .bool(let it): sum.add(it ? Int64(1) : 0)
            case .double(let it): sum.add(it)
            default: return nil
            }
        }
        return sum
    }

    static func average(_ values: [Value]) -> Value {
        if let plain = plain(values) { return plain.mean }
        if let total = decimals(values) { return Arithmetic.exact(total.mean) }
        return total(values).asDouble.map { .double($0 / Double(values.count)) } ?? .null
    }

    private static func extreme<O>(_ items: [Evaluated<O>], keeps: (Int) -> Bool) -> Evaluated<O> {
        var best = Value.null
        for item in items {
            let value = item.value
            if best.isNull {
                best = value
            } else if let order = ValueOrder.order(value, best), keeps(order) {
                best = value
            }
        }
        return .value(best)
    }

    static func median(_ values: [Value]) -> Value {
        if values.isEmpty { return .null }
        let sorted = values.sorted { ValueOrder.sortOrder($0, $1) < 0 }
        let middle = sorted.count / 2
        if sorted.count % 2 == 1 { return average([sorted[middle]]) }
        let (low, high) = (sorted[middle - 1], sorted[middle])
        // Halves of numbers whose sum is beyond a Double are exact.
        if case .double(let x) = low, case .double(let y) = high, !(x + y).isFinite {
            return Arithmetic.finite(x / 2 + y / 2)
        }
        return average([low, high])
    }

    /// The most frequent values, in the order of their first occurrence.
    private static func mode<O>(_ items: [Evaluated<O>]) -> [Evaluated<O>] {
        var counts: [ValueKey: Int] = [:]
        for item in items where !item.value.isNull { counts[ValueKey(item.value), default: 0] += 1 }
        guard let most = counts.values.max() else { return [] }
        return distinct(items).filter { counts[ValueKey($0.value)] == most }
    }

    static func distinct<O>(_ items: [Evaluated<O>]) -> [Evaluated<O>] {
        var seen = Set<ValueKey>()
        return items.filter { seen.insert(ValueKey($0.value)).inserted }
    }

    /// A set operation. Each value occurs once, in the order of the left side and then the right.
    static func join<O>(
        _ operation: Expression.SetOperation, _ left: [Evaluated<O>], _ right: [Evaluated<O>]
    ) -> Evaluated<O> {
        switch operation {
        case .union: return .collection(distinct(left + right))
        case .intersect, .minus:
            let other = Set(right.map { ValueKey($0.value) })
            let keeps = operation == .intersect
            return .collection(
                distinct(left).filter { other.contains(ValueKey($0.value)) == keeps })
        }
    }
}
