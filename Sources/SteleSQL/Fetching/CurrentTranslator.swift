import SteleSystem

/// The translator for new readers, shared by all threads. It knows the attributes that have long
/// decimals, and the columns with foreign values.
package final class CurrentTranslator: Sendable {
    private let state: Mutex<FetchTranslator>

    package init(_ translator: FetchTranslator) { state = Mutex(translator) }

    package var current: FetchTranslator { state.withLock { $0 } }

    /// Makes new readers compare the attributes exactly. Called before the commit that stores the
    /// first such value.
    package func use(longDecimals: Set<String>) {
        state.withLock { translator in
            guard translator.longDecimals != longDecimals else { return }
            translator = FetchTranslator(
                schema: translator.schema, longDecimals: longDecimals, foreign: translator.foreign)
        }
    }

    /// Makes new readers read the columns by their meaning.
    /// - Returns: whether they were others before.
    package func use(foreign: ForeignValues) -> Bool {
        state.withLock { translator in
            guard translator.foreign != foreign else { return false }
            translator = FetchTranslator(
                schema: translator.schema, longDecimals: translator.longDecimals, foreign: foreign)
            return true
        }
    }
}
