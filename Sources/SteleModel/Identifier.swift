/// What names are made of, in models and in predicates alike.

/// A letter or `_`, then letters, digits, marks and `_`: what a key path can name.
public enum Identifier {
    /// Whether a name can begin with it.
    public static func canBegin(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "_" || scalar.properties.isAlphabetic
    }

    /// Whether it can stand behind a name's first letter.
    public static func canContinue(_ scalar: Unicode.Scalar) -> Bool {
        canBegin(scalar) || scalar.properties.numericType == .decimal
            || scalar.properties.generalCategory == .nonspacingMark
    }
}
