/// Making JSON of keyed archives.

import SteleJSON
import SteleModel

/// Reads the objects of an archive. The error for an unknown class has its name.
struct KeyedUnarchiver {
    private let archive: KeyedArchive
    private var budget: PropertyList.Budget

    /// A reader of an archive.
    init(_ archive: KeyedArchive) {
        self.archive = archive
        budget = archive.budget
    }

    /// The value of the archive's root.
    mutating func root() throws(TransformationError) -> JSONValue {
        try value(archive.root, depth: 0)
    }

    private mutating func value(
        _ place: Int, depth: Int
    ) throws(TransformationError) -> JSONValue {
        guard let stored = archive[place], depth <= JSONDocument.valueDepthLimit,
            budget.spend(bytes: stored.size)
        else {
            throw TransformationError("is an archive that refers to itself, or is too large")
        }
        if place == 0 { return .null }
        switch stored {
        case .bool(let it): return .bool(it)
        case .integer(let it): return .integer(it)
        case .unsigned(let it): return .raw(Array(String(it).utf8))
        case .real(let it): return try number(it)
        case .string(let it): return .string(it)
        case .data(let it): return Self.data(it)
        case .date(let it): return try Self.date(it)
        case .dictionary: return try object(stored, depth: depth)
        case .uid, .array: throw TransformationError("is an archive that cannot be read")
        }
    }

    private func number(_ value: Double) throws(TransformationError) -> JSONValue {
        guard value.isFinite else {
            throw TransformationError("contains \(value), which JSON does not have")
        }
        return .real(value)
    }

    private mutating func object(
        _ object: PropertyList, depth: Int
    ) throws(TransformationError) -> JSONValue {
        guard let name = archive.className(of: object) else {
            throw TransformationError("is an archive with an object without a class")
        }
        switch name {
        case "NSArray", "NSMutableArray":
            return .array(try elements(object["NS.objects"], depth))
        case "NSSet", "NSMutableSet":
            let elements = try elements(object["NS.objects"], depth)
            return .object([("$set", .array(Self.distinct(elements)))])
        case "NSDictionary", "NSMutableDictionary": return try dictionary(object, depth)
        case "NSString", "NSMutableString":
            if let text = archive.text(object) { return .string(text) }
        case "NSData", "NSMutableData":
            if case .data(let bytes)? = object["NS.data"] { return Self.data(bytes) }
            if let place = object["NS.data"]?.uid, case .data(let bytes)? = archive[place],
                budget.spend(bytes: bytes.count)
            {
                return Self.data(bytes)
            }
        case "NSDate":
            if case .real(let seconds)? = object["NS.time"] { return try Self.date(seconds) }
            if case .integer(let seconds)? = object["NS.time"] {
                return try Self.date(Double(seconds))
            }
        case "NSURL": return try url(object, depth)
        case "NSUUID":
            if case .data(let bytes)? = object["NS.uuidbytes"], bytes.count == 16 {
                var uuid = UUID().uuid
                withUnsafeMutableBytes(of: &uuid) { $0.copyBytes(from: bytes) }
                return .object([("$uuid", .string(UUID(uuid: uuid).uuidString))])
            }
        case "NSNull": return .null
        default:
            throw TransformationError("contains an object of the class \(name), which has no JSON")
        }
        throw TransformationError("contains an object of the class \(name) that cannot be read")
    }

    /// The distinct elements of a set, sorted by their text.
    private static func distinct(_ elements: [JSONValue]) -> [JSONValue] {
        let sorted = elements.map { element in
            var writer = ByteWriter()
            element.write(to: &writer)
            return (text: writer.take(), element: element)
        }.sorted { $0.text.lexicographicallyPrecedes($1.text) }
        return sorted.indices.filter {
            $0 == 0 || sorted[$0].text != sorted[$0 - 1].text
        }.map { sorted[$0].element }
    }

    private mutating func elements(
        _ list: PropertyList?, _ depth: Int
    ) throws(TransformationError) -> [JSONValue] {
        var found: [JSONValue] = []
        for element in list?.array ?? [] {
            guard let place = element.uid else {
                throw TransformationError("is an archive that cannot be read")
            }
            found.append(try value(place, depth: depth + 1))
        }
        return found
    }

    private mutating func dictionary(
        _ object: PropertyList, _ depth: Int
    ) throws(TransformationError) -> JSONValue {
        let keys = try elements(object["NS.keys"], depth)
        let values = try elements(object["NS.objects"], depth)
        guard keys.count == values.count else {
            throw TransformationError("is an archive that cannot be read")
        }
        var members: [(String, JSONValue)] = []
        var seen = Set<[UInt8]>()
        for (key, value) in zip(keys, values) {
            guard case .string(let name) = key, seen.insert(Array(name.utf8)).inserted else {
                throw TransformationError(
                    "contains a dictionary whose keys are not distinct texts")
            }
            members.append((name, value))
        }
        let isTag = members.count == 1 && members[0].0.utf8.first == UInt8(ascii: "$")
        return isTag ? .object([("$dictionary", .object(members))]) : .object(members)
    }

    private mutating func url(
        _ object: PropertyList, _ depth: Int
    ) throws(TransformationError) -> JSONValue {
        guard let place = object["NS.relative"]?.uid,
            case .string(let relative) = try value(place, depth: depth + 1)
        else { throw TransformationError("contains a URL that cannot be read") }
        if let base = object["NS.base"]?.uid, base != 0 {
            throw TransformationError("contains a URL relative to another, which has no JSON")
        }
        return .object([("$url", .string(relative))])
    }

    private static func data(_ bytes: [UInt8]) -> JSONValue {
        var writer = ByteWriter()
        writer.base64(bytes)
        return .object([("$data", .raw(writer.take()))])
    }

    private static func date(_ seconds: Double) throws(TransformationError) -> JSONValue {
        guard ISO8601.text(secondsSinceReferenceDate: seconds) != nil else {
            throw TransformationError("contains a date outside the years 1 to 9999")
        }
        var writer = ByteWriter(capacity: 32)
        writer.date(secondsSince2001: seconds)
        return .object([("$date", .raw(writer.take()))])
    }
}
