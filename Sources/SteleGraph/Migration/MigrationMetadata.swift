import SteleModel
import StelePersistence

/// The metadata of the two stores, for expressions of a mapping model:
/// `$manager.sourceStore.metadata.KEY` and `$manager.destinationStore.metadata.KEY`.
struct MigrationMetadata {
    let source: [String: PropertyList]
    let destination: [String: PropertyList]

    /// Returns the value of a key path of `$manager`: null for a key that the store does not have;
    /// nil for another path, and for an array or a dictionary.
    func value(_ path: [String]) -> Value? {
        guard path.count > 2, path[1] == "metadata" else { return nil }
        let values: [String: PropertyList]
        switch path[0] {
        case "sourceStore": values = source
        case "destinationStore": values = destination
        default: return nil
        }
        // A key may have points of its own.
        var found = values[path[2...].joined(separator: ".")]
        if found == nil {
            found = path[3...].reduce(values[path[2]]) { $0?[$1] }
        }
        switch found {
        case nil: return .null
        case .bool(let it): return .bool(it)
        case .integer(let it): return .int(it)
        case .unsigned(let it): return .decimal(Decimal(it))
        case .real(let it): return .double(it)
        case .date(let it): return .date(it)
        case .data(let it): return .data(it)
        case .string(let it): return .string(it)
        case .uid, .array, .dictionary: return nil
        }
    }
}
