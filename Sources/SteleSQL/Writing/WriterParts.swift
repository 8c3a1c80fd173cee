import StelePersistence
import SteleModel
import SteleSystem

/// A save in parts: saves each part into the writer's transaction, as one transaction of the
/// history.
final class WriterParts: PartedSave {
    private let saver: SQLSaver
    private let transactions: any WriterTransactions
    private let time = ReferenceDate.now
    private var transaction: HistoryTransaction?

    init(saver: SQLSaver, transactions: any WriterTransactions) {
        self.saver = saver
        self.transactions = transactions
    }

    /// The result of all parts.
    var whole: (SaveResult, HistoryTransaction?) {
        (SaveResult(token: transaction?.number ?? saver.token), transaction)
    }

    func reader() throws(StoreError) -> any StoreReader {
        try saver.writeHistory()
        return transactions.reader(token: saver.token)
    }

    func save(_ request: SaveRequest) throws(StoreError) -> SaveResult {
        let (result, part) = try saver.save(request, at: time, continuing: transaction)
        guard var changes = part?.changes else { return result }
        if (transaction?.changes.count ?? 0) + changes.count > SavingLimits.changesToldWhole {
            // An observer that needs them reads them from the history.
            for index in changes.indices {
                changes[index].snapshot = nil
                changes[index].before = nil
            }
        }
        if transaction == nil {
            transaction = part
            transaction?.changes = []
        }
        transaction?.changes += changes
        return result
    }
}
