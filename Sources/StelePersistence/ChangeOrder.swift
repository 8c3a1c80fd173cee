/// The order of the changes of a save.
///
/// New objects stand as they were made. Updates and deletions stand each by entity and key, because
/// delete rules and derived attributes reach objects by all links, and the order of what a role sees
/// of a save must not depend on what it does not see.
package protocol OrderedChange {
    var kind: ObjectChange.Kind { get }
    /// The index of the concrete entity. Changes of one entity together are written together.
    var entity: Int { get }
    var key: Int64 { get }
}

extension ObjectChange: OrderedChange {}
extension HistoryChange: OrderedChange {}

extension Array where Element: OrderedChange {
    /// Puts the changes of a request in their order: new objects, updates, deletions.
    package mutating func sortChanges() {
        let start = firstIndex { $0.kind != .insert } ?? endIndex
        self[start...].sort {
            ($0.kind.rawValue, $0.entity, $0.key) < ($1.kind.rawValue, $1.entity, $1.key)
        }
    }

    /// Adds updates among the others of a save.
    /// - Parameter next: the kind of the changes that stand after the updates.
    package mutating func add(updates: [Element], before next: ObjectChange.Kind) {
        if updates.isEmpty { return }
        let place = firstIndex { $0.kind == next } ?? endIndex
        insert(contentsOf: updates, at: place)
        let end = place + updates.count
        let start = self[..<end].lastIndex { $0.kind != .update }.map { $0 + 1 } ?? 0
        self[start..<end].sort { ($0.entity, $0.key) < ($1.entity, $1.key) }
    }
}
