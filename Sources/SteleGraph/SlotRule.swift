import SteleModel

/// The validation rules of a slot's values, derived from the model once.
struct SlotRule: Sendable {
    enum Check: Sendable {
        case none
        case integer(ClosedRange<Int64>)
        case double(minimum: Double?, maximum: Double?)
        case decimal(minimum: Decimal?, maximum: Decimal?)
        /// Lengths are in UTF-16 units, as in NSString.
        case text(minimum: Int?, maximum: Int?, pattern: String?)
        case date(minimum: Double?, maximum: Double?)
        case uri
    }

    let slot: Int
    let name: String
    let isRequired: Bool
    /// Whether the store has the values.
    private(set) var isStored = true
    /// The type of an attribute.
    private(set) var type: AttributeType?
    /// The slots of the innermost enclosing optional composite attribute. If all of them are null,
    /// the slot need not have a value.
    var optionalSlots: Range<Int>?
    /// The to-one relationship if the delete rule of its inverse is No Action. An object whose
    /// destination was deleted stays valid until it gets another destination.
    var left: Relationship?
    private(set) var check: Check

    /// Nil if all values are valid.
    init?(_ attribute: Attribute, slot: Int) {
        self.slot = slot
        name = attribute.name
        isRequired = !attribute.isOptional
        isStored = !attribute.isTransient
        type = attribute.type
        // Bounds do not apply to derived values, which the store computes.
        check = attribute.isDerived ? .none : Self.check(attribute)
        if case .none = check, !isRequired { return nil }
    }

    /// Nil for an optional relationship.
    init?(_ toOne: Relationship, slot: Int, of model: Model) {
        if toOne.isOptional { return nil }
        if model.mayDangle(toOne) { left = toOne }
        self.slot = slot
        name = toOne.name
        isRequired = true
        check = .none
    }

    /// Returns the rule with another check; nil if all values are valid by it.
    func checking(_ check: Check) -> SlotRule? {
        if case .none = check, !isRequired { return nil }
        var rule = self
        rule.check = check
        return rule
    }

    private static func check(_ attribute: Attribute) -> Check {
        let (low, high) = (attribute.declaration.minimum, attribute.declaration.maximum)
        switch attribute.type {
        case .integer16, .integer32, .integer64:
            return integer(attribute.type.integerRange, low, high)
        case .float:
            let most = Double(Float.greatestFiniteMagnitude)
            return .double(
                minimum: max(low.asDouble ?? -most, -most),
                maximum: min(high.asDouble ?? most, most))
        case .double:
            if low.isNull && high.isNull { return .none }
            return .double(minimum: low.asDouble, maximum: high.asDouble)
        case .decimal:
            if low.isNull && high.isNull { return .none }
            return .decimal(minimum: low.asDecimal, maximum: high.asDecimal)
        case .string:
            let pattern = attribute.declaration.regularExpression
            if low.isNull && high.isNull && pattern == nil { return .none }
            return .text(
                minimum: low.asInteger.map { Int(clamping: $0) },
                maximum: high.asInteger.map { Int(clamping: $0) }, pattern: pattern)
        case .date:
            if low.isNull && high.isNull { return .none }
            return .date(minimum: low.asDouble, maximum: high.asDouble)
        case .uri: return .uri
        default: return .none
        }
    }

    private static func integer(
        _ type: ClosedRange<Int64>, _ low: Value, _ high: Value
    ) -> Check {
        let least = max(low.asInteger ?? type.lowerBound, type.lowerBound)
        let most = min(high.asInteger ?? type.upperBound, type.upperBound)
        if least == .min && most == .max { return .none }
        // Reading a model rejects bounds that no value satisfies. They must not trap here.
        return .integer(least...max(least, most))
    }
}

extension Value {
    /// The value of a bound as an integer, truncated.
    var asInteger: Int64? {
        switch self {
        case .int(let it): it
        case .double(let it): Int64(exactly: it.rounded(.towardZero))
        default: nil
        }
    }

    /// The value of a number, or of a date in seconds.
    var asDouble: Double? {
        switch self {
        case .int(let it): Double(it)
        case .double(let it), .date(let it): it
        default: nil
        }
    }

    var asDecimal: Decimal? {
        switch self {
        case .int(let it): Decimal(it)
        case .decimal(let it): it
        case .double(let it): Decimal(it)
        default: nil
        }
    }
}
