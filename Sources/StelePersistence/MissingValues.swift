/// Values of a store that cannot be read or written, above all those in files beside it that are
/// missing.
public struct MissingValues: Sendable, Hashable {
    /// Their number.
    public private(set) var count = 0
    /// The first of them, such as `photo of Person 3`, at most `mostNamed`.
    public private(set) var names: [String] = []

    /// How many values are named.
    public static let mostNamed = 20

    /// No values.
    public init() {}

    /// Counts a value, by its attribute and object.
    package mutating func add(_ name: String) {
        count += 1
        if names.count < Self.mostNamed { names.append(name) }
    }

    /// Counts the values of another count.
    package mutating func add(_ others: MissingValues) {
        names += others.names.prefix(Self.mostNamed - names.count)
        count += others.count
    }

    /// The names in a list, with the number of those that are not named.
    public var list: String {
        names.joined(separator: ", ")
            + (count > names.count ? " and \(count - names.count) more" : "")
    }
}
