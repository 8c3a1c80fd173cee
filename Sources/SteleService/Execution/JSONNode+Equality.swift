// The equality of JSON values in the test of a patch.

import SteleJSON

extension JSONNode {
    /// Whether two values are equal by RFC 6902, section 4.6: numbers by value, objects in any
    /// order of their members.
    func isEqual(to other: JSONNode) -> Bool {
        switch (kind, other.kind) {
        case (.integer, .integer): return integer == other.integer
        case (.integer, .real), (.real, .integer), (.real, .real): return real == other.real
        case (.array, .array):
            guard count == other.count else { return false }
            return (0..<count).allSatisfy { index in
                guard let one = self[index], let two = other[index] else { return false }
                return one.isEqual(to: two)
            }
        case (.object, .object):
            guard count == other.count else { return false }
            var isEqual = true
            forEachMember { name, member in
                isEqual = isEqual && other[name].map { member.isEqual(to: $0) } ?? false
            }
            return isEqual
        case (.string, .string):
            return withStringBytes { one in other.withStringBytes { one.elementsEqual($0) } }
        default: return kind == other.kind && bool == other.bool
        }
    }
}
