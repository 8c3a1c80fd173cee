/// What a fetched property says of itself in its predicate.

import SteleModel

extension Predicate {
    /// The predicate with what `$FETCHED_PROPERTY` says: the property's name, and its userInfo.
    public func filled(for property: FetchedPropertyDescription) -> Predicate {
        replacingVariables { name, path in
            guard name == "FETCHED_PROPERTY" else { return nil }
            switch path.first {
            case "name" where path.count == 1: return .constant(.string(property.name))
            case "userInfo" where path.count == 2:
                let entry = property.userInfo.first { $0.key == path[1] }
                return .constant(entry.map { .string($0.value) } ?? .null)
            default: return nil
            }
        }
    }
}
