import SteleModel

extension HistoryPiece {
    /// Takes a piece of a history in memory.
    /// - Parameters:
    ///   - all: the whole history, oldest first.
    ///   - position, limit, changes, values: as in `StoreReader.history`.
    package init(
        of all: [HistoryTransaction], after position: HistoryPosition, limit: Int, changes: Int,
        values: Bool
    ) {
        guard let start = position.change else {
            self.init(
                all[all.firstPlace { $0.number > position.save }...], limit: limit,
                changes: changes, values: values)
            return
        }
        let place = all.firstPlace { $0.number >= position.save }
        guard place < all.count, all[place].number == position.save else {
            self.init([], hasMore: false)
            return
        }
        let rest = all[place].piece(after: Int(start), atMost: changes, values: values)
        self.init([rest], hasMore: true)
    }

    private init(
        _ later: ArraySlice<HistoryTransaction>, limit: Int, changes: Int, values: Bool
    ) {
        var found: [HistoryTransaction] = []
        var left = max(changes, 1)
        for save in later {
            guard found.count < max(limit, 0), left > 0 else {
                self.init(found, hasMore: true)
                return
            }
            found.append(save.piece(after: 0, atMost: left, values: values))
            left -= found.last?.changes.count ?? 0
        }
        self.init(found, hasMore: found.last?.rest != nil)
    }
}

extension HistoryTransaction {
    /// The save with its changes after a position, which is here the number of those before it.
    fileprivate func piece(after start: Int, atMost most: Int, values: Bool) -> HistoryTransaction {
        let first = min(max(start, 0), changes.count)
        let end = first + min(most, changes.count - first)
        var piece = self
        piece.changes = Array(changes[first..<end])
        for index in piece.changes.indices {
            piece.changes[index].position = Int64(first + index + 1)
            if !values { piece.changes[index].snapshot = nil }
        }
        piece.rest = end < changes.count ? Int64(end) : nil
        return piece
    }
}
