/// Stele's transformers.

import SteleModel

extension ValueTransformers {
    /// Registers `KeyedArchiveTransformer` under Core Data's names for it.
    public static func registerStandard() {
        for name in KeyedArchiveTransformer.names {
            setValueTransformer(KeyedArchiveTransformer(), forName: name)
        }
    }
}
