import SteleModel

extension Predicate {
    /// Replaces `$FETCHED_PROPERTY` by the property's name or an entry of its user info.
    package func filled(for property: FetchedPropertyDescription) -> Predicate {
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
