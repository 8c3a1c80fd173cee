/// Places in the JSON of a Transformable attribute, to which a JSON Patch points (RFC 6901, 6902).

import SteleJSON
import SteleModel
import SteleRequests

struct JSONPlace {
    /// What an operation does at the place.
    enum Access {
        case read, add(MutableJSON), replace(MutableJSON), remove
    }

    /// What reading and changing values costs.
    struct Effort {
        /// The parts of values that were read, looked at and written.
        var visited = 0
        /// The elements of arrays that made room for others or filled their place.
        var moved = 0
    }

    let attribute: Attribute
    /// The steps of the pointer after the attribute; at least one.
    let steps: [String]

    /// Whether the place is a part of what another one points to.
    func isInside(_ other: JSONPlace) -> Bool {
        attribute === other.attribute && steps.count > other.steps.count
            && steps.starts(with: other.steps) { Self.isSame($0, $1) }
    }

    /// Reads or changes the value at the place, in place.
    /// - Parameter effort: to which it adds.
    /// - Returns: the value that is there afterwards, or the removed one.
    /// - Throws: `Problem` if the place, or what must be around it, does not exist.
    @discardableResult
    func reach(
        _ root: inout MutableJSON, _ access: Access, _ effort: inout Effort
    ) throws -> MutableJSON {
        try reach(&root, access, &effort, 0)
    }

    private func reach(
        _ value: inout MutableJSON, _ access: Access, _ effort: inout Effort, _ depth: Int
    ) throws -> MutableJSON {
        effort.visited += 1
        let isLast = depth == steps.count - 1
        switch value.take() {
        case .object(var members):
            defer { value = .object(members) }
            let place = members.place(of: steps[depth], &effort.visited)
            if isLast, case .add(let new) = access, place == nil {
                members.append(steps[depth], new)
                return new
            }
            guard let found = place else { throw nothing(depth) }
            if !isLast { return try reach(&members.values[found], access, &effort, depth + 1) }
            switch access {
            case .read: break
            case .add(let new), .replace(let new): members.values[found] = new
            case .remove: return members.remove(at: found)
            }
            return members.values[found]
        case .array(var elements):
            defer { value = .array(elements) }
            var mayBeEnd = false
            if isLast, case .add = access { mayBeEnd = true }
            let found = try index(depth, elements.count, mayBeEnd: mayBeEnd)
            if !isLast { return try reach(&elements[found], access, &effort, depth + 1) }
            switch access {
            case .read: break
            case .replace(let new): elements[found] = new
            case .add(let new):
                effort.moved += elements.count - found
                elements.insert(new, at: found)
            case .remove:
                effort.moved += elements.count - found
                return elements.remove(at: found)
            }
            return elements[found]
        case .scalar(let scalar):
            value = .scalar(scalar)
            throw nothing(depth)
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
        let path = JSONPointer.text(of: steps[...depth])
        return Problem(
            .pointer, "the value of \(attribute.name) has nothing at \(path.prefix(100))",
            hint: hint
                ?? (depth < steps.count - 1 ? "add what is around it first" : nil))
    }

    /// Names of members are equal if their bytes are.
    private static func isSame(_ one: String, _ other: String) -> Bool {
        one.utf8.elementsEqual(other.utf8)
    }
}
