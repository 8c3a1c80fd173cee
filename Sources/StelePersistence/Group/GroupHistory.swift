import SteleModel

/// Reads the history of several stores as one. A save's changes are those of the first store, then
/// those of the second, and so on.
struct GroupHistory {
    private let readers: [any StoreReader]

    init(_ readers: [any StoreReader]) { self.readers = readers }

    /// A position within a save has the store's index above the position in that store.
    private static let placeBits: Int64 = 40

    private static func position(_ own: Int64, at place: Int) throws(StoreError) -> Int64 {
        guard (0..<(1 << placeBits)).contains(own) else {
            throw .incompatible(
                code: 134080,
                "the keys of the history's changes are out of range: "
                    + "stele inspect says what is wrong with the store")
        }
        return Int64(place) << placeBits + own
    }

    /// Returns a piece of the history, as `StoreReader.history`.
    func piece(
        after position: HistoryPosition, limit: Int, changes: Int, values: Bool
    ) throws(StoreError) -> HistoryPiece {
        if let change = position.change {
            return try rest(of: position.save, after: change, atMost: changes, values: values)
        }
        var parts: [HistoryTransaction] = []
        var hasMore = false
        // The last save of which every store has given all.
        var whole = Int64.max
        for (place, reader) in readers.enumerated() {
            let piece = try reader.history(
                after: position, limit: limit, changes: changes, values: values)
            for save in piece.saves { parts.append(try Self.located(save, at: place)) }
            guard piece.hasMore, let last = piece.saves.last else { continue }
            hasMore = true
            whole = min(whole, last.rest == nil ? last.number : last.number - 1)
        }
        guard let first = parts.map(\.number).min() else {
            return HistoryPiece([], hasMore: hasMore)
        }
        guard first <= whole else {
            return try rest(of: first, after: 0, atMost: changes, values: values)
        }
        return Self.limited(
            HistoryTransaction.joined(parts.filter { $0.number <= whole }), hasMore, limit: limit,
            changes: changes)
    }

    /// The first of the saves, as many as fit the limits.
    private static func limited(
        _ saves: [HistoryTransaction], _ hasMore: Bool, limit: Int, changes: Int
    ) -> HistoryPiece {
        var found: [HistoryTransaction] = []
        var left = max(changes, 1)
        for save in saves {
            if found.count >= max(limit, 0) || left < save.changes.count && !found.isEmpty {
                return HistoryPiece(found, hasMore: true)
            }
            found.append(save)
            if left < save.changes.count {
                found[0].changes.removeLast(save.changes.count - left)
                found[0].rest = found[0].changes.last?.position
                return HistoryPiece(found, hasMore: true)
            }
            left -= save.changes.count
        }
        return HistoryPiece(found, hasMore: hasMore)
    }

    /// The changes of a save after a position in it, of one store after the other.
    private func rest(
        of number: Int64, after position: Int64, atMost most: Int, values: Bool
    ) throws(StoreError) -> HistoryPiece {
        var found: HistoryTransaction?
        var own = position & (1 << Self.placeBits - 1)
        let first = max(0, Int(position >> Self.placeBits))
        for place in min(first, readers.count)..<readers.count {
            let left = max(most, 1) - (found?.changes.count ?? 0)
            guard left > 0 else {
                let next = try readers[place].history(
                    after: HistoryPosition(after: number, change: 0), limit: 1, changes: 1,
                    values: false)
                if next.saves.first?.changes.isEmpty ?? true { continue }
                let last = found?.changes.last?.position
                found?.rest = last
                break
            }
            let piece = try readers[place].history(
                after: HistoryPosition(after: number, change: own), limit: 1, changes: left,
                values: values)
            own = 0
            guard let save = piece.saves.first else { continue }
            let part = try Self.located(save, at: place)
            found?.changes += part.changes
            found?.rest = part.rest
            if found == nil { found = part }
            if part.rest != nil { break }
        }
        guard let found else { return try end(of: number) }
        return HistoryPiece([found], hasMore: true)
    }

    /// What a position after all changes of a save has, as in one store: the save without changes.
    private func end(of number: Int64) throws(StoreError) -> HistoryPiece {
        for reader in readers {
            let piece = try reader.history(
                after: HistoryPosition(after: number, change: 1 << Self.placeBits), limit: 1,
                changes: 1, values: false)
            if !piece.saves.isEmpty { return piece }
        }
        return HistoryPiece([], hasMore: false)
    }

    /// A save of one store with its positions in the group.
    private static func located(
        _ save: HistoryTransaction, at place: Int
    ) throws(StoreError) -> HistoryTransaction {
        if place == 0 { return save }
        var save = save
        for index in save.changes.indices {
            save.changes[index].position = try position(save.changes[index].position, at: place)
        }
        if let rest = save.rest { save.rest = try position(rest, at: place) }
        return save
    }
}

extension HistoryTransaction {
    /// Returns the transactions of several stores in order; parts of one save become one.
    static func joined(_ parts: [HistoryTransaction]) -> [HistoryTransaction] {
        var found: [HistoryTransaction] = []
        // Stable: the parts of a save stay in the order of the stores.
        for part in parts.enumerated().sorted(by: {
            ($0.element.number, $0.offset) < ($1.element.number, $1.offset)
        }).map(\.element) {
            if let end = found.indices.last, found[end].number == part.number {
                found[end].changes += part.changes
            } else {
                found.append(part)
            }
        }
        return found
    }
}
