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
            return .value(
                Self.distance(try value(arguments[0], frame), try value(arguments[1], frame)))
        default: break
        }
        let first = try value(arguments[0], frame).value
        if arguments.count == 2 {
            return .value(Arithmetic.binary(function, first, try value(arguments[1], frame).value))
        }
        switch function {
        case .uppercase, .lowercase, .canonical, .length:
            return .value(PredicateText.apply(function, to: first))
        case .randomBelow: return .value(PredicateCalls.random(below: first))
        default: return .value(Arithmetic.unary(function, first))
        }
    }

    private static func distance(_ a: Result, _ b: Result) -> Value {
        guard let x = place(a), let y = place(b) else { return .null }
        return Arithmetic.distance(x, y)
    }

    private static func place(_ value: Result) -> (Double, Double)? {
        let items = value.items
        guard items.count == 2, let latitude = items[0].value.asDouble,
            let longitude = items[1].value.asDouble
        else { return nil }
        return (latitude, longitude)
    }
}

/// Text functions, which SQL stores call too.
public enum PredicateText {
    /// The result of `uppercase`, `lowercase`, `canonical` or `length`; null if the value is not
    /// text.
    public static func apply(_ function: PredicateFunction, to value: Value) -> Value {
        guard case .string(let text) = value else { return .null }
        switch function {
        case .uppercase: return .string(text.uppercased())
        case .lowercase: return .string(text.lowercased())
        case .canonical: return .string(canonical(text))
        case .length: return .int(Int64(text.utf16.count))
        default: return .null
        }
    }

    /// Removes case and accents, as `canonical:` and derived attributes do.
    public static func canonical(_ text: String) -> String {
        TextComparison.fold(text, options: [.caseInsensitive, .diacriticInsensitive])
    }
}
