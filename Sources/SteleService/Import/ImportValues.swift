/// The values of records, as the options of an import read them.

import FoundationEssentials
import SteleJSON
import SteleModel
import StelePersistence
import SteleRequests

/// Reads the values of attributes in files.
struct ImportValues: Sendable {
    private let zone: ZoneRules?
    private let dates: ImportOptions.Dates?

    init(_ options: ImportOptions) {
        zone = options.timeZone
        dates = options.dates
    }

    /// The value of an attribute in JSON. A Decimal keeps all digits, also of a bare number. What
    /// programs without its type write is read too: Booleans as in cells, and the empty text for null.
    /// - Throws: `Problem`, `ImportError` without a place.
    func read(_ node: JSONNode, _ attribute: Attribute, _ entity: Entity) throws -> Value {
        switch attribute.type {
        case .string, .uri, .binary, .transformable: break
        case _ where node.kind == .string && node.string?.isEmpty == true: return .null
        case .boolean:
            if let text = node.string ?? node.wholeNumber.map({ "\($0)" }),
                let truth = Self.truth(text)
            {
                return .bool(truth)
            }
        case .date:
            var writer = ByteWriter()
            switch node.kind {
            case .string:
                let text = node.string ?? ""
                if NumberText.plain(text.utf8) != nil {
                    return .date(try seconds(text, attribute, entity))
                }
                if let seconds = try date(text, attribute, entity) { return .date(seconds) }
            case .integer, .real:
                node.write(to: &writer)
                let text = String(decoding: writer.bytes, as: UTF8.self)
                return .date(try seconds(text, attribute, entity))
            case .null, .bool, .array, .object: break
            }
        default: break
        }
        return try ValueReader.read(node, for: attribute, of: entity, keepsDigits: true)
    }

    /// The value of a cell.
    /// - Throws: `Problem`, `JSONError`, `ImportError` without a place.
    func read(_ cell: Cell, _ attribute: Attribute, _ entity: Entity) throws -> Value {
        if cell.isNull { return .null }
        var writer = ByteWriter(capacity: cell.text.utf8.count + 2)
        switch attribute.type {
        case .string, .uri: return .string(cell.text)
        case .integer16, .integer32, .integer64:
            if let number = Int64(cell.text) { return .int(number) }
        case .boolean:
            if let truth = Self.truth(cell.text) { return .bool(truth) }
        case .transformable:
            writer.write(cell.text)
            return try read(JSONDocument(writer.bytes).root, attribute, entity)
        default: break
        }
        writer.string(cell.text)
        return try read(JSONDocument(writer.bytes).root, attribute, entity)
    }

    /// The truth of a word.
    private static func truth(_ text: String) -> Bool? {
        switch text.lowercased() {
        case "true", "t", "yes", "y", "on", "1", "1.0": true
        case "false", "f", "no", "n", "off", "0", "0.0": false
        default: nil
        }
    }

    // MARK: Dates

    /// A date in ISO 8601; nil for a text that is none.
    private func date(
        _ text: String, _ attribute: Attribute, _ entity: Entity
    ) throws -> Double? {
        func seconds(_ zone: ZoneRules?) throws(ISO8601.Failure) -> Double {
            try ISO8601.secondsSinceReferenceDate(text, zone: zone)
        }
        do throws(ISO8601.Failure) { return try seconds(zone) } catch {
            let what = "\(attribute.name) of \(entity.name) must be a date: \(error.message)"
            if zone != nil { throw ImportError(error.hint.map { "\(what) (\($0))" } ?? what) }
            guard (try? seconds(ZoneRules(offset: 0))) != nil else { return nil }
            throw ImportError(
                "\(what) (--time-zone UTC, or another, is the zone of dates without an offset)")
        }
    }

    /// The date of a number.
    private func seconds(
        _ text: String, _ attribute: Attribute, _ entity: Entity
    ) throws -> Double {
        let what = "\(attribute.name) of \(entity.name) must be a date"
        guard let dates else {
            throw ImportError(
                "\(what), not \(text.prefix(60)) (--dates \(Self.unit(of: text)) reads numbers as the "
                    + "time since 1970)")
        }
        guard let number = NumberText.decimal(text.utf8) else {
            throw ImportError("\(what), and \(text.prefix(60)) has too many digits")
        }
        let scaled = Decimal(
            sign: number < 0 ? .minus : .plus, exponent: dates.exponent, significand: abs(number))
        let seconds = Double("\(scaled - Self.secondsTo2001)") ?? .infinity
        guard seconds.magnitude < ISO8601.secondsLimit else {
            throw ImportError(
                "\(what), and \(text.prefix(60)) is beyond the years that it can have")
        }
        return seconds
    }

    /// What a number in the place of a date counts, of those that make it a date near ours.
    private static func unit(of text: String) -> String {
        let number = NumberText.decimal(text.utf8).map { Double("\($0)") ?? 0 } ?? 0
        return switch number.magnitude {
        case ..<5e9: "seconds"
        // A second after 2128, or a millisecond before 1973.
        case ..<1e11: "seconds, or milliseconds,"
        case ..<1e14: "milliseconds"
        case ..<1e17: "microseconds"
        default: "nanoseconds"
        }
    }

    /// Seconds from 1970 to 2001.
    private static let secondsTo2001 = Decimal(978_307_200)
}

extension ImportOptions.Dates {
    /// The unit in seconds, as a power of ten.
    fileprivate var exponent: Int {
        switch self {
        case .seconds: 0
        case .milliseconds: -3
        case .microseconds: -6
        case .nanoseconds: -9
        }
    }
}
