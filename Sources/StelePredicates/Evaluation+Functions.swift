/// Evaluation of functions on single values.

import SteleModel

extension Evaluation {
    func call(
        _ function: PredicateFunction, _ arguments: [BoundExpression], _ frame: Frame<Object>
    ) throws(PredicateError) -> Result {
        switch function {
        case .now: return .value(.date(now))
        case .random: return .value(.int(Int64.random(in: 0...0x7FFF_FFFF)))
        case .noIndex: return try value(arguments[0], frame)
        case .distance:
            guard let a = Self.location(try value(arguments[0], frame)),
                let b = Self.location(try value(arguments[1], frame))
            else { return .null }
            return .value(PredicateCalls.distance(a, b))
        default: break
        }
        let first = try value(arguments[0], frame).value
        if function == .randomBelow { return .value(PredicateCalls.random(below: first)) }
        let second = arguments.count == 2 ? try value(arguments[1], frame).value : nil
        return .value(PredicateCalls.apply(function, first, second))
    }

    private static func location(_ value: Result) -> (latitude: Value, longitude: Value)? {
        let items = value.items
        return items.count == 2 ? (items[0].value, items[1].value) : nil
    }
}
