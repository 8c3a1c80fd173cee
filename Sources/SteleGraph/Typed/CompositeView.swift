/// A composite attribute of an object. Its elements are the object's attributes `address.street`,
/// `address.city` and so on.
public protocol CompositeView {
    /// The object that has the attribute.
    var object: ManagedObject { get }
    /// The attribute's name, or the key path of a nested composite attribute.
    var keyPath: String { get }
    /// The composite attribute at the key path of an object.
    init(_ object: ManagedObject, keyPath: String)
}

extension CompositeView {
    /// The key path of an element.
    public func key(_ element: String) -> String { "\(keyPath).\(element)" }
}
