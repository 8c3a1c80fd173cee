/// The order of the changes of a save.
///
/// New objects stand first, as they were made. The updates and then the deletions follow, each by
/// entity and key. Delete rules and derived attributes reach objects by all links, and the order of
/// what a role sees of a save must not depend on what it does not see.
package protocol OrderedChange {
    var kind: ObjectChange.Kind { get }
    /// The index of the concrete entity. Changes of one entity together are written together.
    var entity: Int { get }
    var key: Int64 { get }
}

extension ObjectChange: OrderedChange {}
extension HistoryChange: OrderedChange {}

extension Array where Element: OrderedChange {
    /// Puts the changes of a save in their order.
    package mutating func sortChanges() {
        let start = firstIndex { $0.kind != .insert } ?? endIndex
        self[start...].sort {
            ($0.kind.rawValue, $0.entity, $0.key) < ($1.kind.rawValue, $1.entity, $1.key)
        }
    }
}
