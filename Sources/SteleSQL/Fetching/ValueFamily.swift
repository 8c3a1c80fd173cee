import SteleModel

/// Values of columns that are one type to the databases that have types, and to the predicate
/// language: those of two families are never equal, and have no order, unless both are numbers.
enum ValueFamily {
    case integer, double, decimal, text, date, uuid, data

    init(_ kind: ColumnKind) {
        switch kind {
        case .integer, .boolean, .key: self = .integer
        case .double, .float: self = .double
        case .decimal: self = .decimal
        case .text: self = .text
        case .date: self = .date
        case .uuid: self = .uuid
        case .data, .external, .marked: self = .data
        }
    }

    /// A kind of the family.
    var kind: ColumnKind {
        switch self {
        case .integer: .integer
        case .double: .double
        case .decimal: .decimal
        case .text: .text
        case .date: .date
        case .uuid: .uuid
        case .data: .data
        }
    }

    var isNumber: Bool { self == .integer || self == .double || self == .decimal }

    /// Whether values of both may be equal, and have an order.
    func isComparable(with other: ValueFamily) -> Bool {
        self == other || isNumber && other.isNumber
    }
}

extension Operand {
    var family: ValueFamily { ValueFamily(kind) }

    func isComparable(with other: Operand) -> Bool { family.isComparable(with: other.family) }
}
