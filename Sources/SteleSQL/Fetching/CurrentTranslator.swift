import SteleSQL
import SteleSystem

/// The translator for new readers, shared by all threads. It knows the attributes that have long
/// decimals.
final class CurrentTranslator: Sendable {
    private let state: Mutex<FetchTranslator>

    init(_ translator: FetchTranslator) { state = Mutex(translator) }

    var current: FetchTranslator { state.withLock { $0 } }

    /// Makes new readers compare the attributes exactly. Called before the commit that stores the
    /// first such value.
    func use(longDecimals: Set<String>) {
        state.withLock { translator in
            guard translator.longDecimals != longDecimals else { return }
            translator = FetchTranslator(schema: translator.schema, longDecimals: longDecimals)
        }
    }
}
