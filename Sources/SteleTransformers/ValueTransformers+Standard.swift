/// The transformers that come with Stele.

import SteleModel

extension ValueTransformers {
    /// Registers the keyed archives of Foundation's types under Core Data's names for them.
    public static func registerStandard() {
        for name in KeyedArchiveTransformer.names {
            setValueTransformer(KeyedArchiveTransformer(), forName: name)
        }
    }
}
