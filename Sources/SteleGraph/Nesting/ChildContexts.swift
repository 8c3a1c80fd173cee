/// A weak reference to a context.
struct WeakContext {
    weak var context: ManagedObjectContext?
}

/// The child contexts of a context.
struct ChildContexts {
    private var children: [WeakContext] = []

    var live: [ManagedObjectContext] { children.compactMap(\.context) }

    mutating func add(_ child: ManagedObjectContext) {
        children.removeAll { $0.context == nil }
        children.append(WeakContext(context: child))
    }
}
