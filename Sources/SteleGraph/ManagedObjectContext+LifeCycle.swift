/// Telling objects of subclasses what happens to them.

import SteleModel
import StelePersistence

extension ManagedObjectContext {
    /// Tells an object that its values were read; what it sets meanwhile is no change.
    func awakeFromFetch(_ object: ManagedObject) {
        let wasJournaling = isJournaling
        isJournaling = false
        object.isTouched = true
        object.awakeFromFetch()
        object.isTouched = false
        isJournaling = wasJournaling
    }

    func awake(_ object: ManagedObject, _ event: SnapshotEventType) {
        if plan(object.entity).isSubclassed { object.awake(fromSnapshotEvents: event) }
    }
}
