/// The values of property mappings that expressions describe.

import SteleModel
import StelePredicates

extension PropertyMapping.Value {
    /// The value of an expression. `$source.name` and the two functions of a migration manager that
    /// return destination instances have forms of their own.
    init(_ expression: Expression) {
        self = Self.source(expression) ?? Self.instances(expression) ?? .expression(expression)
    }

    private static func source(_ expression: Expression) -> Self? {
        guard case .keyPath(.variable(MigrationVariable.source), let path) = expression,
            path.count == 1
        else { return nil }
        return .source(path[0])
    }

    private static func instances(_ expression: Expression) -> Self? {
        guard case .function(let selector, let arguments) = expression, arguments.count == 3,
            arguments[0] == .variable(MigrationVariable.manager),
            case .constant(.string(let name)) = arguments[1],
            let keyPath = arguments[2].sourceKeyPath
        else { return nil }
        switch selector {
        case "destinationInstancesForEntityMappingNamed:sourceInstances:":
            return .destinations(mapping: name, of: keyPath)
        case "destinationInstancesForSourceRelationshipNamed:sourceInstances:":
            return .destinations(mapping: nil, of: keyPath)
        default: return nil
        }
    }
}

extension Expression {
    /// The key path of the source object; empty for `$source` itself, nil for anything else.
    var sourceKeyPath: String? {
        switch self {
        case .variable(MigrationVariable.source): ""
        case .keyPath(.variable(MigrationVariable.source), let path): path.joined(separator: ".")
        default: nil
        }
    }
}

/// The variables of value expressions, without their dollar sign.
enum MigrationVariable {
    static let source = "source"
    static let manager = "manager"
    static let all: Set<String> = [
        source, "destination", manager, "entityMapping", "propertyMapping", "entityPolicy",
    ]
}

extension EntityMapping {
    /// A name by Xcode's convention.
    static func name(_ source: String?, _ destination: String?) -> String {
        guard let source, let destination else { return source ?? destination ?? "" }
        return "\(source)To\(destination)"
    }
}
