/// The type of an attribute (NSAttributeType). The raw value is Core Data's number.
public enum AttributeType: Int, Sendable, Hashable, CaseIterable {
    case undefined = 0
    case integer16 = 100
    case integer32 = 200
    case integer64 = 300
    case decimal = 400
    case double = 500
    case float = 600
    case string = 700
    case boolean = 800
    case date = 900
    case binary = 1000
    case uuid = 1100
    case uri = 1200
    case transformable = 1800
    case objectID = 2000
    case composite = 2100

    /// The type's name in Xcode's model editor and in a `contents` file, such as `Integer 16`.
    public var name: String {
        switch self {
        case .undefined: "Undefined"
        case .integer16: "Integer 16"
        case .integer32: "Integer 32"
        case .integer64: "Integer 64"
        case .decimal: "Decimal"
        case .double: "Double"
        case .float: "Float"
        case .string: "String"
        case .boolean: "Boolean"
        case .date: "Date"
        case .binary: "Binary"
        case .uuid: "UUID"
        case .uri: "URI"
        case .transformable: "Transformable"
        case .objectID: "ObjectID"
        case .composite: "Composite"
        }
    }

    static let named = allCases.map { ($0.name, $0) }

    /// Whether the type is Integer 16, Integer 32 or Integer 64.
    public var isInteger: Bool {
        self == .integer16 || self == .integer32 || self == .integer64
    }

    /// Whether values of the type are numbers. Booleans are not.
    public var isNumeric: Bool {
        isInteger || self == .decimal || self == .double || self == .float
    }
}

/// What a deletion does to the destinations of a relationship (NSDeleteRule).
public enum DeleteRule: Int, Sendable, Hashable, CaseIterable {
    /// The destinations keep their references, which then read as null.
    case noAction = 0
    /// The inverse relationship of the destinations is set to null.
    case nullify = 1
    /// The destinations are deleted too.
    case cascade = 2
    /// The deletion fails if there is a destination.
    case deny = 3

    /// The rule's name in a `contents` file.
    public var name: String {
        switch self {
        case .noAction: "No Action"
        case .nullify: "Nullify"
        case .cascade: "Cascade"
        case .deny: "Deny"
        }
    }

    static let named = allCases.map { ($0.name, $0) }
}
