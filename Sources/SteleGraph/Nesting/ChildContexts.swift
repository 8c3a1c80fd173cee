/// Contexts below one another.

/// A context that is not kept alive.
struct WeakContext {
    weak var context: ManagedObjectContext?
}

/// The contexts that read a context's unsaved state.
struct ChildContexts {
    private var children: [WeakContext] = []

    var live: [ManagedObjectContext] { children.compactMap(\.context) }

    mutating func add(_ child: ManagedObjectContext) {
        children.removeAll { $0.context == nil }
        children.append(WeakContext(context: child))
    }
}
