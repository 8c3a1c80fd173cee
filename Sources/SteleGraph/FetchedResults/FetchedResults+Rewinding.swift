import SteleModel
import StelePersistence
import StelePredicates

extension FetchedResults {
    /// The result as it was before the saves, computed from the old values in the history.
    /// Advancing the returned result gives the differences that a client missed.
    /// - Parameters:
    ///   - saves: the saves between `token` and this result, with their values.
    ///   - token: the save before the first of `saves`.
    ///   - limits: what it may take; nil for no limit beside those of predicates.
    /// - Returns: nil if the history is not sufficient: other objects or versions decide which rows
    ///   match, old values are missing, the predicate fails on an old object or takes too long, or
    ///   rows beyond the known ones are needed.
    package func rewound(
        through saves: [HistoryTransaction], to token: Int64, limits: SavesView.Limits? = nil
    ) -> FetchedResults? {
        guard query.isOfRowsAlone, !query.isOfVersions,
            let judge = try? RowJudge(query, matching: limits?.match)
        else { return nil }
        var then = self
        var former: [RowChange] = []
        var seen = Set<Int64>()
        for change in saves.lazy.flatMap(\.changes) where query.isRow(change.entity) {
            // The first change of an object has its values before all saves.
            guard seen.insert(change.key).inserted else { continue }
            var row: ResultRow?
            if change.kind != .insert {
                let snapshot =
                    change.kind == .delete
                    ? change.snapshot : change.snapshotBefore(in: query.model)
                guard let snapshot, limits?.isLeft() ?? true else { return nil }
                do throws(PredicateError) { row = try judge.row(of: snapshot) } catch { return nil }
            }
            if let horizon, let it = row, query.order.compare(it, horizon) > 0 { row = nil }
            let change = RowChange(
                key: change.key, old: old(change.key), new: row, shown: UpdatedKeys())
            if isMoved(change) { former.append(change) }
        }
        then.exchange(former)
        let isWhole = horizon == nil || then.rows.count >= query.window.upperBound
        guard isWhole, then.count <= query.maximumRows else { return nil }
        then.token = token
        then.sections = then.firstSections()
        return then
    }
}
