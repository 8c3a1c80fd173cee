import SteleModel
import StelePredicates
import SteleSystem

/// A view of an in-memory store: a copy of its contents.
final class InMemoryReader: StoreReader {
    private var open: InMemoryView?
    private var limits = MatchLimits.standard
    private var end = UInt64.max
    private var laterChanges: LaterChanges?

    init(_ contents: InMemoryContents) { open = InMemoryView(contents) }

    private func shared() throws(StoreError) -> InMemoryView {
        guard let open else { throw .closed }
        return open
    }

    private func view() throws(StoreError) -> InMemoryContents { try shared().contents }

    /// A match that takes too long, and too many rows, are errors of the predicate.
    func read(within budget: ReadBudget?, matching limits: MatchLimits) {
        self.limits = limits
        end = budget.map { MonotonicClock.now &+ $0.nanoseconds } ?? .max
    }

    private func fetching(_ request: FetchRequest) throws(StoreError) -> InMemoryFetch {
        InMemoryFetch(try shared(), request, matching: limits, until: end)
    }

    var token: Int64 { get throws(StoreError) { try view().token } }

    func close() { open = nil }

    func snapshot(_ id: ObjectID) throws(StoreError) -> Snapshot? { try view().row(id) }

    func snapshots(root: Int, keys: [Int64]) throws(StoreError) -> [Snapshot] {
        let view = try view()
        return keys.compactMap { view.row(ObjectID(root: root, key: $0)) }
    }

    func fetch(_ request: FetchRequest) throws(StoreError) -> [Snapshot] {
        try fetching(request).snapshots()
    }

    func fetchRows(_ request: FetchRequest) throws(StoreError) -> [[Value]] {
        try fetching(request).rows()
    }

    func position(of key: Int64, in request: FetchRequest) throws(StoreError) -> [Value] {
        try fetching(request).position(of: key)
    }

    func count(_ request: FetchRequest) throws(StoreError) -> Int {
        try fetching(request).count()
    }

    func members(
        of relationship: Relationship, owners: [Int64]
    ) throws(StoreError) -> [Int64: [Int64]] {
        let view = try view()
        var found: [Int64: [Int64]] = [:]
        for owner in owners {
            let keys = view.members(of: relationship, owner: owner)
            if !keys.isEmpty { found[owner] = keys }
        }
        return found
    }

    func infiniteNumbers(
        of attribute: Attribute, keys: [Int64]
    ) throws(StoreError) -> [Int64: Double] {
        let view = try view()
        let root = view.model.entities[attribute.owner].root
        var found: [Int64: Double] = [:]
        for key in keys {
            found[key] = view.farDates[ObjectID(root: root, key: key)]?[attribute.slot]
        }
        return found
    }

    func memberSnapshots(
        of relationship: Relationship, owners: [Int64]
    ) throws(StoreError) -> [(owner: Int64, member: Snapshot)] {
        let view = try view()
        let root = view.model.destination(of: relationship).root
        return owners.flatMap { owner in
            view.members(of: relationship, owner: owner).compactMap { key in
                view.row(ObjectID(root: root, key: key)).map { (owner: owner, member: $0) }
            }
        }
    }

    func history(
        after position: HistoryPosition, limit: Int, changes: Int, values: Bool
    ) throws(StoreError) -> HistoryPiece {
        let all = try view().history
        return HistoryPiece(
            of: all, after: position, limit: limit, changes: changes, values: values)
    }

    func slots(
        of id: ObjectID, atVersion version: Int64
    ) throws(StoreError) -> [Int: Value]? {
        let view = try view()
        var slots = OlderSlots(version: version)
        for save in view.history {
            for change in save.changes
            where change.key == id.key && change.kind == .update
                && view.model.entities[change.entity].root == id.root
                && change.version ?? 0 > version
            {
                guard slots.take(change.before, version: change.version ?? 0) else { return nil }
            }
        }
        return slots.leading(to: view.row(id)?.version)
    }

    func snapshots(
        root: Int, keys: [Int64], after save: Int64
    ) throws(StoreError) -> [Int64: Snapshot] {
        let view = try view()
        let later = changes(after: save, view)
        var found: [Int64: Snapshot] = [:]
        for key in keys {
            let id = ObjectID(root: root, key: key)
            guard let change = later.changes(of: id, after: save, in: view).first?.change else {
                found[key] = view.row(id)
                continue
            }
            switch change.kind {
            case .insert: break
            case .update: found[key] = change.snapshotBefore(in: view.model) ?? view.row(id)
            case .delete: found[key] = change.snapshot
            }
        }
        return found
    }

    func leastInserted(after save: Int64) throws(StoreError) -> [Int: Int64] {
        let view = try view()
        return changes(after: save, view).leastInserted
    }

    func inserted(root: Int, keys: [Int64], after save: Int64) throws(StoreError) -> Set<Int64> {
        let view = try view()
        let later = changes(after: save, view)
        return Set(
            keys.filter { key in
                let id = ObjectID(root: root, key: key)
                return later.changes(of: id, after: save, in: view).first?.change.kind == .insert
            })
    }

    func memberChanges(
        root: Int, keys: [Int64], after save: Int64
    ) throws(StoreError) -> [Int64: [MemberChange]] {
        let view = try view()
        let later = changes(after: save, view)
        var found: [Int64: [MemberChange]] = [:]
        for key in keys {
            let id = ObjectID(root: root, key: key)
            for (number, change) in later.changes(of: id, after: save, in: view) {
                for case .members(let relationship, let added, let removed) in change.before ?? [] {
                    found[key, default: []].append(
                        MemberChange(
                            save: number, relationship: relationship, added: added,
                            removed: removed))
                }
                if change.kind == .delete {
                    found[key, default: []].append(MemberChange(save: number, relationship: nil))
                }
            }
        }
        return found
    }

    private func changes(after save: Int64, _ view: InMemoryContents) -> LaterChanges {
        if let laterChanges, laterChanges.start <= save { return laterChanges }
        // The page may go back from save to save.
        let later = LaterChanges(after: save - 256, view)
        laterChanges = later
        return later
    }

    func receipt(_ key: String) throws(StoreError) -> Receipt? {
        try view().receipts[ExactText(key)]
    }

    func oldestTransaction() throws(StoreError) -> Int64? { try view().history.first?.number }

    /// The approximate size of a change in memory in bytes, without its slots of 24 bytes each.
    private static let bytesAChange = 150

    func firstTransactionToKeep(
        since time: Double?, bytes: Int?
    ) throws(StoreError) -> Int64 {
        let view = try view()
        var room = bytes ?? .max
        var first = view.token + 1
        for save in view.history.reversed() {
            if let time, save.timestamp < time { break }
            for change in save.changes {
                room -= Self.bytesAChange + 24 * (change.snapshot?.values.count ?? 0)
            }
            if room < 0 { break }
            first = save.number
        }
        return first
    }
}
