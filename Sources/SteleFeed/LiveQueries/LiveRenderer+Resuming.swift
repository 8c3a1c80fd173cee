/// What a query would have told, had it been followed: for who comes back after it was let go.

import SteleGraph
import StelePersistence

extension LiveRenderer {
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
        // More than the log keeps is of no use: who has missed as much gets the whole again.
        let saves = try reader.history(
            after: token, through: now.token, saves: LiveLog.maximumEvents,
            changes: SavesToTell.maximumChanges, bytes: SavesToTell.maximumBytes)
        guard let saves, var then = now.rewound(through: saves, to: token) else { return nil }
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
