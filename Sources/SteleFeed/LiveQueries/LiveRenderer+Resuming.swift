/// The events that a query would have had while it was not followed, for streams that resume.

import SteleGraph
import StelePersistence

extension LiveRenderer {
    /// The events of a query since an earlier save: its result is taken back to that save and
    /// advanced again.
    /// - Parameter context: a view of everything.
    /// - Returns: nil where the history does not reach back so far, has more than a log keeps, or
    ///   takes too long to judge, and where hidden objects may update rows: how these looked to the
    ///   client is not known, and an update of one that looks the same would tell of them.
    /// - Throws: as reading.
    func log(
        of query: LiveQuery, since token: Int64, _ context: ManagedObjectContext
    ) throws -> LiveLog? {
        let reader = try context.reader()
        guard let now = query.objects, token < now.token, !now.query.isOfHidden,
            try !reader.lacksHistory(after: token)
        else { return nil }
        // A client that has missed more than the log keeps gets a snapshot.
        let saves = try reader.history(
            after: token, through: now.token, saves: LiveLog.maximumEvents,
            changes: SavesToTell.maximumChanges, bytes: SavesToTell.maximumBytes)
        guard let saves else { return nil }
        // A client is not kept waiting for what a snapshot tells as well.
        let changes = saves.reduce(0) { $0 + $1.changes.count }
        let time = JudgingTime(shared: limits.liveJudging)
        time.begin(changes: changes)
        let limits = SavesView.Limits(match: time.match, isLeft: time.isLeft)
        guard var then = now.rewound(through: saves, to: token, limits: limits) else { return nil }
        let view = SavesView(after: token, saves) { reader }
        view.limits = limits
        let visible = try context.seen(by: query.plan.sight)
        var log = LiveLog(start: token)
        var after = token
        // How the client saw a changed row is not known.
        var shown: ShownRows?
        let differences: [ResultsDifference]
        do { differences = try then.advance(in: view) } catch {
            if LiveLane.shared.isTooLong(error) { return nil }
            throw error
        }
        for difference in differences {
            let event = try event(
                difference, of: query, in: view, after: after, shown: &shown
            ) { visible }
            if let event { log.append(event) }
            after = difference.token
        }
        return log
    }
}
