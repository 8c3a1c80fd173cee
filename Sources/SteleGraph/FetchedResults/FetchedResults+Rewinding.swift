/// A result as it was at an earlier save.

import SteleModel
import StelePersistence
import StelePredicates

extension FetchedResults {
    /// The result as it was before some saves: what they have changed of rows is put back, from the
    /// old values that the history keeps. Moving on from there tells what was missed.
    ///
    /// - Parameters:
    ///   - saves: with their values, all between there and here.
    ///   - token: the save before the first of them.
    /// - Returns: nil where they do not tell it: other objects decide of the rows, or their
    ///   versions do; a program has kept no old values; the predicate fails on an object as it was;
    ///   or rows beyond those that are known would have to come back.
    package func rewound(through saves: [HistoryTransaction], to token: Int64) -> FetchedResults? {
        guard query.isOfRowsAlone, !query.isOfVersions, let judge = try? RowJudge(query) else {
            return nil
        }
        var then = self
        var former: [RowChange] = []
        var seen = Set<Int64>()
        for change in saves.lazy.flatMap(\.changes) where query.isRow(change.entity) {
            // The first change of an object tells what it was before all of them.
            guard seen.insert(change.key).inserted else { continue }
            var row: ResultRow?
            if change.kind != .insert {
                let snapshot =
                    change.kind == .delete
                    ? change.snapshot : change.snapshotBefore(in: query.model)
                guard let snapshot else { return nil }
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
