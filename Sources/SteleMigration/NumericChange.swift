/// What numbers become when an attribute changes its type.

import SteleModel

/// A change of an attribute from one numeric type to another, which inference carries out (the
/// numerical type conversion of lightweight migration). Boolean counts as numeric: its values are 0
/// and 1.
///
/// No value changes without an error. A value fits the new type if that has it without loss; where
/// the new type is Float, a Double or a Decimal is rounded to the nearest Float.
public struct NumericChange: Sendable, Hashable {
    /// The type before.
    public let source: AttributeType
    /// The type afterwards.
    public let destination: AttributeType

    /// Creates the change; nil where one of the types is not numeric, and where both are the same.
    public init?(from source: AttributeType, to destination: AttributeType) {
        guard source != destination, source.hasNumbers, destination.hasNumbers else { return nil }
        self.source = source
        self.destination = destination
    }

    /// Whether there are values of the type before that do not fit.
    public var isNarrowing: Bool {
        switch (source, destination) {
        case (.boolean, _), (.float, .double): false
        case (.integer16, .integer32), (.integer16, .integer64), (.integer32, .integer64): false
        case (.integer16, .float), (.integer16, .double), (.integer32, .double): false
        case (.integer16, .decimal), (.integer32, .decimal), (.integer64, .decimal): false
        default: true
        }
    }

    /// What fits, in words; only of a change that is narrowing.
    public var condition: String {
        switch destination {
        case .boolean: "0 or 1"
        case .integer16, .integer32, .integer64:
            "whole numbers from \(destination.integerRange.lowerBound) to "
                + "\(destination.integerRange.upperBound)"
        case .decimal: "numbers that a Decimal has: not infinite, from 1e-128 to 1e165"
        case .float where source.isInteger:
            "whole numbers that a Float has exactly, such as all up to 16777216"
        case .float: "within the range of Float: from 1e-45 to 3.4e38"
        case _ where source.isInteger:
            "whole numbers that a Double has exactly, such as all up to 9007199254740992"
        default: "numbers whose digits a Double has, such as all of up to 15 digits"
        }
    }

    /// Returns what a value becomes; nil if it does not fit. Null stays null.
    public func value(_ value: Value) -> Value? {
        if value.isNull { return .null }
        switch destination {
        case .boolean:
            switch whole(value) {
            case 0: return .bool(false)
            case 1: return .bool(true)
            default: return nil
            }
        case .double: return double(value).map { .double($0) }
        case .float: return float(value).map { .double(Double($0)) }
        case .decimal: return decimal(value).map { .decimal($0) }
        default:
            return whole(value).flatMap {
                destination.integerRange.contains($0) ? .int($0) : nil
            }
        }
    }

    /// A value of the type before, as text.
    func text(of value: Value) -> String {
        switch value {
        case .bool(let it): it ? "true" : "false"
        case .int(let it): "\(it)"
        case .double(let it): source == .float ? "\(Float(it))" : "\(it)"
        case .decimal(let it): it.digits
        default: "a value that is no number"
        }
    }

    private func whole(_ value: Value) -> Int64? {
        switch value {
        case .bool(let it): it ? 1 : 0
        case .int(let it): it
        case .double(let it): Int64(exactly: it)
        case .decimal(let it): it.exactWhole
        default: nil
        }
    }

    private func double(_ value: Value) -> Double? {
        switch value {
        case .bool(let it): return it ? 1 : 0
        case .int(let it): return Double(exactly: it)
        case .double(let it): return it
        case .decimal(let it):
            guard let nearest = Double(it.digits) else { return nil }
            return DecimalText.parse(nearest.description.utf8) == it ? nearest : nil
        default: return nil
        }
    }

    private func float(_ value: Value) -> Float? {
        switch value {
        case .bool(let it): return it ? 1 : 0
        case .int(let it): return Float(exactly: it)
        case .double(let it):
            let nearest = Float(it)
            return nearest.isFinite == it.isFinite && (nearest == 0) == (it == 0) ? nearest : nil
        case .decimal(let it):
            // From the text, because rounding to a Double first would round twice.
            guard let nearest = Float(it.digits), nearest.isFinite else { return nil }
            return (nearest == 0) == (it == 0) ? nearest : nil
        default: return nil
        }
    }

    private func decimal(_ value: Value) -> Decimal? {
        switch value {
        case .bool(let it): it ? 1 : 0
        case .int(let it): Decimal(it)
        case .double(let it):
            // The digits of 0.1 as a Float are those of 0.1, and not those of the nearest Double.
            DecimalText.parse((source == .float ? Float(it).description : it.description).utf8)
        case .decimal(let it): it
        default: nil
        }
    }
}

extension AttributeType {
    /// Whether values of the type are numbers, or 0 and 1.
    fileprivate var hasNumbers: Bool { isNumeric || self == .boolean }
}

extension Decimal {
    /// All digits.
    fileprivate var digits: String {
        var text: [UInt8] = []
        DecimalText.write(self, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// The value as an integer; nil if it has a fraction or does not fit in 64 bits.
    fileprivate var exactWhole: Int64? {
        guard let parts = DecimalText.parts(self) else { return nil }
        var (number, exponent) = (parts.significand, parts.exponent)
        if number == 0 { return 0 }
        while exponent < 0, number.isMultiple(of: 10) {
            (number, exponent) = (number / 10, exponent + 1)
        }
        while exponent > 0, number < 1 << 64 { (number, exponent) = (number * 10, exponent - 1) }
        guard exponent == 0, let whole = Int128(exactly: number) else { return nil }
        return Int64(exactly: parts.isNegative ? -whole : whole)
    }
}
