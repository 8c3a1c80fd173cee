/// Composite attributes, as generated code has them.

/// A composite attribute of an object: its elements are the object's attributes
/// `address.street`, `address.city` and so on.
public protocol CompositeView {
    /// Whose attribute it is.
    var object: ManagedObject { get }
    /// The attribute's name; of one within another, the key path.
    var keyPath: String { get }
    /// The composite attribute of that object.
    init(_ object: ManagedObject, keyPath: String)
}

extension CompositeView {
    /// The key path of an element.
    public func key(_ element: String) -> String { "\(keyPath).\(element)" }
}
