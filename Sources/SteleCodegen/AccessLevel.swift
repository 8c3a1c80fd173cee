/// The access level of generated declarations.
public enum AccessLevel: String, Sendable, CaseIterable {
    /// For the module alone that has the code.
    case `internal`
    /// For all modules of the package.
    case package
    /// For all modules, as Xcode generates classes.
    case `public`

    /// The modifier with a space after it.
    var modifier: String { self == .internal ? "" : "\(rawValue) " }

    /// The modifiers of a class.
    /// - Parameter isInherited: whether it is the superclass of others, in the same module.
    func classModifier(isInherited: Bool) -> String {
        switch self {
        case .public: isInherited ? "open" : "public final"
        case .internal, .package: modifier + (isInherited ? "" : "final")
        }
    }
}
