/// The characters of names in models and predicates: a letter or `_`, then letters, digits, marks
/// and `_`.
public enum Identifier {
    /// Whether a name can begin with the character.
    public static func canBegin(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "_" || scalar.properties.isAlphabetic
    }

    /// Whether the character can follow the first one of a name.
    public static func canContinue(_ scalar: Unicode.Scalar) -> Bool {
        canBegin(scalar) || scalar.properties.numericType == .decimal
            || scalar.properties.generalCategory == .nonspacingMark
    }
}
