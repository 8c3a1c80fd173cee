/// Property lists as JSON.

package import SteleJSON

extension PropertyList {
    /// Why JSON is not a property list; a sentence that names the place.
    package struct JSONFailure: Error, CustomStringConvertible {
        package let description: String
    }

    // The names are those of keyed archives in JSON.
    private static let date = "$date"
    private static let data = "$data"
    private static let dictionary = "$dictionary"

    /// Reads a JSON value.
    ///
    /// An object whose only member is `$date`, a date or seconds since 2001-01-01T00:00:00Z, is a
    /// date. If that is `$data`, base64, it is data, and if it is `$dictionary`, its value, whose
    /// only key may then begin with `$`.
    /// - Parameter place: the name of the value in messages.
    /// - Throws: `JSONFailure` for null, and for a `$date` or `$data` that cannot be read.
    package init(_ node: JSONNode, at place: String) throws(JSONFailure) {
        switch node.kind {
        case .null:
            throw JSONFailure(description: "\(place) is null, which a property list does not have")
        case .bool: self = .bool(node.bool ?? false)
        case .integer: self = .integer(node.integer ?? 0)
        case .real:
            let unsigned = node.wideIntegerText.flatMap { UInt64($0) }
            self = unsigned.map { .unsigned($0) } ?? .real(node.real ?? 0)
        case .string: self = .string(node.string ?? "")
        case .array:
            var elements: [PropertyList] = []
            for index in 0..<node.count {
                guard let element = node[index] else { continue }
                elements.append(try PropertyList(element, at: "\(place)[\(index)]"))
            }
            self = .array(elements)
        case .object:
            if node.count == 1, let given = node[Self.date] {
                self = .date(try Self.seconds(given, place))
            } else if node.count == 1, let given = node[Self.data] {
                guard let text = given.string, let bytes = Base64.decode(spaced: text) else {
                    throw JSONFailure(description: "$data of \(place) is not base64")
                }
                self = .data(bytes)
            } else {
                self = .dictionary(try Self.entries(Self.spelled(node), place))
            }
        }
    }

    /// The object that `$dictionary` spells, or the node itself.
    private static func spelled(_ node: JSONNode) -> JSONNode {
        guard node.count == 1, let inner = node[Self.dictionary], inner.kind == .object else {
            return node
        }
        return inner
    }

    private static func entries(
        _ node: JSONNode, _ place: String
    ) throws(JSONFailure) -> [Entry] {
        var members: [(String, JSONNode)] = []
        node.forEachMember { members.append(($0, $1)) }
        return try members.map { name, value throws(JSONFailure) in
            Entry(key: name, value: try PropertyList(value, at: "\(place).\(name)"))
        }
    }

    private static func seconds(
        _ node: JSONNode, _ place: String
    ) throws(JSONFailure) -> Double {
        if let number = node.real { return number }
        if let text = node.string, let read = try? ISO8601.secondsSinceReferenceDate(text) {
            return read
        }
        throw JSONFailure(
            description: "$date of \(place) is not a date such as 2026-05-01T09:00:00Z")
    }

    /// The value as JSON, which reads back as the same value. A date that has no text is seconds
    /// since 2001-01-01T00:00:00Z; NaN and the infinities are null.
    package var json: JSONValue {
        switch self {
        case .bool(let it): return .bool(it)
        case .integer(let it): return .integer(it)
        case .unsigned(let it): return .raw(Array(String(it).utf8))
        // With a point, so that it reads back as a real.
        case .real(let it): return it.isFinite ? .raw(Array(it.description.utf8)) : .null
        case .date(let it):
            let text = ISO8601.text(secondsSinceReferenceDate: it)
            return .object([(Self.date, text.map { .string($0) } ?? .real(it))])
        case .data(let it):
            var writer = ByteWriter()
            writer.base64(it)
            return .object([(Self.data, .raw(writer.take()))])
        case .string(let it): return .string(it)
        case .uid(let it): return .object([("CF$UID", .integer(Int64(it)))])
        case .array(let elements): return .array(elements.map(\.json))
        case .dictionary(let entries):
            let members = JSONValue.object(entries.map { ($0.key, $0.value.json) })
            let isTag = entries.count == 1 && entries[0].key.utf8.first == UInt8(ascii: "$")
            return isTag ? .object([(Self.dictionary, members)]) : members
        }
    }

    /// Applies a JSON merge patch (RFC 7396): null removes a key, and objects merge, also one that
    /// `$dictionary` spells.
    /// - Parameter place: the name of the value in messages.
    /// - Throws: `JSONFailure`.
    package static func merge(
        _ node: JSONNode, into value: PropertyList?, at place: String
    ) throws(JSONFailure) -> PropertyList? {
        if node.isNull { return nil }
        // Null is the value of no tag: it removes the member of that name.
        let tagged = node.count == 1 ? node[Self.date] ?? node[Self.data] : nil
        let isTag = tagged?.isNull == false
        guard node.kind == .object, !isTag else { return try PropertyList(node, at: place) }
        var members: [(String, JSONNode)] = []
        spelled(node).forEachMember { members.append(($0, $1)) }
        var entries = value?.entries ?? []
        for (name, member) in members {
            let index = entries.firstIndex { $0.key == name }
            let merged = try merge(
                member, into: index.map { entries[$0].value }, at: "\(place).\(name)")
            switch (index, merged) {
            case (let index?, let merged?): entries[index].value = merged
            case (let index?, nil): entries.remove(at: index)
            case (nil, let merged?): entries.append(Entry(key: name, value: merged))
            case (nil, nil): break
            }
        }
        return .dictionary(entries)
    }
}
