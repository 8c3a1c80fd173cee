/// Lists of values: written out where they are short, one bound text where they are long.

import SteleModel
import StelePersistence
import StelePredicates

extension Translation {
    /// The most values written one by one where one text could hold them all.
    private static let writtenOut = 8
    /// The most parameters of a statement that any SQLite takes.
    static let parameterLimit = 32_766

    /// The value is one of the list; true, or else false or NULL.
    func oneOf(
        _ element: Operand, _ items: [Expression], _ options: ComparisonOptions, _ env: Environment
    ) throws(StoreError) -> Condition {
        let options = options.ofEquality
        var operands: [Operand] = []
        operands.reserveCapacity(items.count)
        for item in items {
            let operand = try operand(item, env)
            if !operand.isNull { operands.append(operand) }
        }
        if operands.isEmpty { return .constant(false) }
        var element = element
        if case .entityName = element.content {
            let pairs = operands.compactMap { entityNumber(element, $0) }
            if pairs.count == operands.count, let first = pairs.first {
                element = first.0
                operands = pairs.map(\.1)
            }
        }
        let long = element.isLongDecimal || operands.contains(where: \.isLongDecimal)
        let text = comparable(element, options, long: long)
        let values = operands.compactMap(\.value)
        if values.count == operands.count, values.count > Self.writtenOut,
            let list = JSONList.text(values)
        {
            let item = wrap("value", element.kind, options, long: long)
            return Condition("\(text) IN (SELECT \(item) FROM json_each(\(bind(.string(list)))))")
        }
        guard operands.count + bindings.count <= Self.parameterLimit / 2 else {
            throw .unsupported("a list of more than \(Self.parameterLimit / 2) such values")
        }
        // Few lengths make few statements: the last value fills the list to a power of two.
        var length = 1
        while length < operands.count { length *= 2 }
        if let last = operands.last, last.value != nil {
            operands += Array(repeating: last, count: length - operands.count)
        }
        let list = operands.map { comparable($0, options, long: long) }
        return Condition("\(text) IN (\(list.joined(separator: ", ")))")
    }
}

/// Integers or texts as one JSON array, which `json_each` gives back exactly. Fractions it does
/// not: SQLite reads them to 15 digits.
enum JSONList {
    /// The array, or nil where the values are of other types or of several.
    static func text(_ values: [Value]) -> String? {
        var bytes: [UInt8] = [UInt8(ascii: "[")]
        bytes.reserveCapacity(values.count * 8)
        var kind: Bool?
        for value in values {
            let isText: Bool
            switch value {
            case .int(let it), .key(let it):
                isText = false
                bytes.append(contentsOf: String(it).utf8)
            case .string(let it):
                isText = true
                write(it, to: &bytes)
            default: return nil
            }
            if let kind, kind != isText { return nil }
            kind = isText
            bytes.append(UInt8(ascii: ","))
        }
        if values.isEmpty { return "[]" }
        bytes[bytes.count - 1] = UInt8(ascii: "]")
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func write(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0..<0x20:
                let digits = Array("0123456789abcdef".utf8)
                bytes.append(contentsOf: "\\u00".utf8)
                bytes.append(digits[Int(byte >> 4)])
                bytes.append(digits[Int(byte & 15)])
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
