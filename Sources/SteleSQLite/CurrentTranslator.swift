/// The translator that readers use now.

import SteleSQL
import SteleSystem

/// A translator that knows of the long decimals of today; any thread.
final class CurrentTranslator: Sendable {
    private let state: Mutex<FetchTranslator>

    init(_ translator: FetchTranslator) { state = Mutex(translator) }

    var current: FetchTranslator { state.withLock { $0 } }

    /// Makes readers compare those attributes exactly; before the commit that makes it needed.
    func use(longDecimals: Set<String>) {
        state.withLock { translator in
            guard translator.longDecimals != longDecimals else { return }
            translator = FetchTranslator(schema: translator.schema, longDecimals: longDecimals)
        }
    }
}
