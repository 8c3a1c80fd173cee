// How much is written of what is embedded: each object as often as paths lead to it.

import StelePersistence

extension Embedded {
    /// An object and all that is written inside it.
    package func weight(with snapshot: Snapshot) -> Int {
        levels.reduce(1) { Self.sum($0, $1.weight(in: snapshot)) }
    }

    /// The sum, or the greatest number.
    static func sum(_ one: Int, _ other: Int) -> Int {
        let (sum, overflows) = one.addingReportingOverflow(other)
        return overflows ? .max : sum
    }
}

extension Embedded.Level {
    /// What is written for the destination, or the owner, of that key.
    package func weight(of key: Int64) -> Int {
        if let weights { return weights[key] ?? 0 }
        return switch content {
        case .destinations(let found): found[key] == nil ? 0 : 1
        case .members(let all): all[key]?.count ?? 0
        case .keys: 0
        }
    }

    fileprivate func weight(in owner: Snapshot) -> Int {
        guard let slot else { return weight(of: owner.key) }
        guard owners.contains(owner.entity), owner.values.indices.contains(slot),
            case .key(let key) = owner.values[slot]
        else { return 0 }
        return weight(of: key)
    }
}
