/// Places in the JSON of a Transformable attribute, to which a JSON Patch points (RFC 6901, 6902).

import SteleJSON
import SteleModel
import SteleRequests

struct JSONPlace {
    /// What an operation does at the place.
    enum Change {
        case add(JSONValue), replace(JSONValue), remove
    }

    let attribute: Attribute
    /// The steps of the pointer after the attribute; at least one.
    let steps: [String]

    /// Whether the place is a part of what another one points to.
    func isInside(_ other: JSONPlace) -> Bool {
        attribute === other.attribute && steps.count > other.steps.count
            && steps.starts(with: other.steps) { Self.isSame($0, $1) }
    }

    /// The value at the place.
    /// - Throws: `Problem` if there is none.
    func value(in root: JSONNode) throws -> JSONNode {
        var node = root
        for (depth, step) in steps.enumerated() {
            var inner: JSONNode?
            switch node.kind {
            case .object: inner = node[step]
            case .array: inner = try node[index(depth, node.count, mayBeEnd: false)]
            default: break
            }
            guard let found = inner else { throw nothing(depth) }
            node = found
        }
        return node
    }

    /// The JSON of the attribute after a change at the place.
    /// - Throws: `Problem` if the place, or what must be around it, does not exist.
    func changed(_ root: JSONValue, by change: Change) throws -> JSONValue {
        try changed(root, 0, change)
    }

    private func changed(_ value: JSONValue, _ depth: Int, _ change: Change) throws -> JSONValue {
        let isLast = depth == steps.count - 1
        switch value {
        case .object(var members):
            let index = members.firstIndex { Self.isSame($0.0, steps[depth]) }
            if isLast, case .add(let new) = change, index == nil {
                members.append((steps[depth], new))
                return .object(members)
            }
            guard let found = index else { throw nothing(depth) }
            if !isLast {
                members[found].1 = try changed(members[found].1, depth + 1, change)
            } else {
                switch change {
                case .add(let new), .replace(let new): members[found].1 = new
                case .remove: members.remove(at: found)
                }
            }
            return .object(members)
        case .array(var elements):
            var mayBeEnd = false
            if isLast, case .add = change { mayBeEnd = true }
            let found = try index(depth, elements.count, mayBeEnd: mayBeEnd)
            if !isLast {
                elements[found] = try changed(elements[found], depth + 1, change)
            } else {
                switch change {
                case .add(let new): elements.insert(new, at: found)
                case .replace(let new): elements[found] = new
                case .remove: elements.remove(at: found)
                }
            }
            return .array(elements)
        case .null, .bool, .integer, .real, .string, .raw: throw nothing(depth)
        }
    }

    /// The place in an array that a step gives.
    private func index(_ depth: Int, _ count: Int, mayBeEnd: Bool) throws -> Int {
        if steps[depth] == "-", mayBeEnd { return count }
        guard let index = Int(steps[depth]), steps[depth] == String(index), index >= 0,
            index < count || mayBeEnd && index == count
        else {
            throw nothing(
                depth,
                hint: "the array has \(count.counted("element")): places are whole numbers from 0, "
                    + "and - is behind the last, for add")
        }
        return index
    }

    private func nothing(_ depth: Int, hint: String? = nil) -> Problem {
        let path = steps[...depth].map {
            "/" + $0.replacing("~", with: "~0").replacing("/", with: "~1")
        }
        return Problem(
            .pointer, "the value of \(attribute.name) has nothing at \(path.joined().prefix(100))",
            hint: hint
                ?? (depth < steps.count - 1 ? "add what is around it first" : nil))
    }

    /// Names of members are equal if their bytes are.
    private static func isSame(_ one: String, _ other: String) -> Bool {
        one.utf8.elementsEqual(other.utf8)
    }
}
