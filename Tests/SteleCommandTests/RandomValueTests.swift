/// Exporting random values, and importing them: each format keeps every bit.

import Foundation
import SteleGraph
import SteleJSON
import SteleModel
import StelePersistence
import SteleService
import TestSupport
import Testing

@Suite struct RandomValueTests {
    private func model() throws -> Model {
        try makeModel([
            EntityMaker("Box").attribute("i16", .integer16).attribute("i64", .integer64)
                .attribute("double", .double).attribute("float", .float)
                .attribute("decimal", .decimal).attribute("string", .string)
                .attribute("uri", .uri).attribute("flag", .boolean).attribute("date", .date)
                .attribute("bytes", .binary).attribute("uuid", .uuid)
                .attribute("json", .transformable)
        ])
    }

    private func text(_ numbers: inout SeededNumbers) -> String {
        let pieces = [
            "", " ", "\t", "\n", "\r", "\r\n", ",", "\"", "\"\"", "'", "\\", "\u{1F}",
            "\u{7F}", "\u{85}", "\u{2028}", "\u{FEFF}", "é", "e\u{301}",
            "\u{1F468}\u{200D}\u{1F469}",
            "\u{10FFFF}", "null", "true", "-1", "{", "[", "=1+1", "a",
        ]
        return (0..<numbers.below(6)).map { _ in numbers.pick(pieces, or: "") }.joined()
    }

    /// A finite number of any size.
    private func double(_ numbers: inout SeededNumbers) -> Double {
        let bits = Double(bitPattern: numbers.next())
        let any = [0, -0.0, 1, 0.1, -2.5e-300, .greatestFiniteMagnitude, .leastNonzeroMagnitude]
        return numbers.one(in: 2) && bits.isFinite ? bits : numbers.pick(any, or: 0)
    }

    private func value(_ type: AttributeType, _ numbers: inout SeededNumbers) -> Value {
        switch type {
        case .integer16: return .int(Int64(Int16(truncatingIfNeeded: numbers.next())))
        case .integer64: return .int(Int64(bitPattern: numbers.next()))
        case .double: return .double(double(&numbers))
        case .float:
            let float = Float(bitPattern: UInt32(truncatingIfNeeded: numbers.next()))
            return .double(Double(float.isFinite ? float : 0.3))
        case .decimal:
            let digits = String(numbers.next()) + String(numbers.next() % 1_000_000_000_000)
            // JSON reads integers of up to 64 bits.
            let point = numbers.below(16)
            return .decimal(
                Decimal(string: "-\(digits.prefix(point))0.\(digits.dropFirst(point))") ?? 0)
        case .string: return .string(text(&numbers))
        case .uri: return .string("https://example.org/\(numbers.below(9))?a=b,c")
        case .boolean: return .bool(numbers.one(in: 2))
        case .date:
            // Years 1 to 9999, to parts of a microsecond.
            let seconds = Double(Int64(numbers.next() % 250_000_000_000) - 60_000_000_000)
            return .date(seconds + Double(numbers.below(1 << 30)) / Double(1 << 30))
        case .binary:
            return .data(
                (0..<numbers.below(5)).map { _ in UInt8(truncatingIfNeeded: numbers.next()) })
        case .uuid:
            return .uuid(UUID())
        default:
            let json = numbers.pick("1.5", "\"\"", "\"a,\\n\"", "[1,{\"a\":null}]", "1e400")
            return json == "1e400" ? .null : .data(Array(json.utf8))
        }
    }

    /// The values of all objects, bit by bit.
    private func values(_ house: House) throws -> [String] {
        try house.all("Box").map { object in
            let texts = object.values.map { value in
                switch value {
                case .double(let it), .date(let it): "\(it.bitPattern)"
                case .string(let it): "\(Array(it.utf8))"
                default: "\(value)"
                }
            }
            return "\(object.key) \(texts)"
        }
    }

    @Test(arguments: [DataFormat.ndjson, .json, .csv])
    func valuesAreTheSame(format: DataFormat) throws {
        var numbers = SeededNumbers(seed: drawSeed("valuesAreTheSame"))
        let house = try House(try model())
        let entity = try house.entity("Box")
        try house.change { context in
            for _ in 0..<300 {
                let object = try context.insert(entity)
                for case .attribute(let it) in entity.properties where !numbers.one(in: 5) {
                    object.setValue(value(it.type, &numbers), for: it)
                }
            }
        }
        var bytes: [UInt8] = []
        let plan = try ExportPlan(model: house.model, format: format)
        _ = try Export(house.coordinator, plan).run { bytes += $0 }
        let other = try House(house.model)
        _ = try other.load(
            [("box.\(format.rawValue)", String(decoding: bytes, as: UTF8.self))], batch: 70)
        let (before, after) = (try values(house), try values(other))
        for (one, two) in zip(before, after) where one != two {
            Issue.record("\(one)\n\(two)")
            break
        }
        #expect(before.count == after.count)
    }

    /// A date without a text is not saved, since no answer and no export could have it.
    @Test func datesWithoutTextAreRefused() throws {
        let house = try House(try model())
        for seconds in [ISO8601.secondsLimit, -ISO8601.secondsLimit, 1e19, .infinity, .nan] {
            #expect(!Value.isDate(seconds))
            #expect(throws: (any Error).self) {
                try house.change { try $0.insert(house.entity("Box"))["date"] = .date(seconds) }
            }
        }
        #expect(Value.isDate(ISO8601.secondsLimit.nextDown))
    }
}
