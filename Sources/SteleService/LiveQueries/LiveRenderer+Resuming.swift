/// What a query would have told, had it been followed: for who comes back after it was let go.

import SteleGraph
import StelePersistence

extension LiveRenderer {
    /// Saves read at once; few, for each may have changed much.
    private static let pageSize = 16

    /// What was to be told of a query since an earlier save: its result is taken back to there, and
    /// moved on again.
    /// - Returns: nil where the history does not tell, or it is more than a query keeps.
    /// - Throws: as reading.
    func log(
        of query: LiveQuery, since token: Int64, _ context: ManagedObjectContext
    ) throws -> LiveLog? {
        let reader = try context.reader()
        guard let now = query.objects, token < now.token,
            try !reader.lacksHistory(after: token)
        else { return nil }
        var saves: [HistoryTransaction] = []
        var changes = 0
        var last = token
        while last < now.token {
            let page = try reader.history(after: last, limit: Self.pageSize, values: true)
            guard let end = page.last?.number else { return nil }
            saves += page
            changes += page.reduce(0) { $0 + $1.changes.count }
            guard saves.count <= LiveLog.maximumEvents, changes <= SavesToTell.maximumChanges else {
                return nil
            }
            last = end
        }
        guard var then = now.rewound(through: saves, to: token) else { return nil }
        let view = SavesView(after: token, saves) { reader }
        var log = LiveLog(start: token)
        var after = token
        // What he saw of a row that has changed, nobody knows any more.
        var shown: ShownRows?
        for difference in try then.advance(in: view) {
            let event = try event(
                difference, of: query, in: view, after: after, shown: &shown
            ) { context }
            if let event { log.append(event) }
            after = difference.token
        }
        return log
    }
}
