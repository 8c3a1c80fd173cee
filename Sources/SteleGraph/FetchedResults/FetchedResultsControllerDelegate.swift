import StelePersistence

/// The kind of a change of a row or a section (NSFetchedResultsChangeType).
public enum FetchedResultsChangeType: Sendable, Hashable {
    /// A row or a section that is new in the result.
    case insert
    /// A row or a section that has left the result.
    case delete
    /// A row at another place, whose values may have changed too.
    case move
    /// A row at its place with other values.
    case update
}

/// Is told how the result of a `FetchedResultsController` changes
/// (NSFetchedResultsControllerDelegate). Each method has an empty implementation.
///
/// The methods are called on the thread of the coordinator's broadcast, for one change after the
/// other, when the controller has the new rows already. They must not call `performFetch`. A class
/// of the main actor follows `FetchedResultsController.changes()` instead.
public protocol FetchedResultsControllerDelegate: AnyObject, Sendable {
    /// Is called before the calls for the sections and rows of one change.
    func controllerWillChangeContent(_ controller: FetchedResultsController)

    /// Is called for each row of a change.
    /// - Parameters:
    ///   - controller: the controller whose result has changed.
    ///   - id: the ID of the row's object.
    ///   - indexPath: the section and the index in it before the change; nil for an insert.
    ///   - type: the kind of the change.
    ///   - newIndexPath: the same after the change; nil for a delete.
    func controller(
        _ controller: FetchedResultsController, didChange id: ObjectID, at indexPath: IndexPath?,
        for type: FetchedResultsChangeType, newIndexPath: IndexPath?)

    /// Is called for each section that a change removes or adds, before its rows.
    /// - Parameters:
    ///   - controller: the controller whose result has changed.
    ///   - section: the section before the change if it is removed, and after it if it is added.
    ///   - index: the index before the change of a removed section, and after it of an added one.
    ///   - type: `delete` or `insert`.
    func controller(
        _ controller: FetchedResultsController, didChange section: ResultsSection,
        atSectionIndex index: Int, for type: FetchedResultsChangeType)

    /// Is called after the calls for one change.
    func controllerDidChangeContent(_ controller: FetchedResultsController)

    /// Is called in place of the others if the rows were fetched again and what has changed is not
    /// known.
    func controllerDidRefetch(_ controller: FetchedResultsController)

    /// Is called if the store cannot be followed any more. The rows remain as they are.
    func controller(_ controller: FetchedResultsController, didFailWith error: any Error)
}

extension FetchedResultsControllerDelegate {
    public func controllerWillChangeContent(_ controller: FetchedResultsController) {}

    public func controller(
        _ controller: FetchedResultsController, didChange id: ObjectID, at indexPath: IndexPath?,
        for type: FetchedResultsChangeType, newIndexPath: IndexPath?
    ) {}

    public func controller(
        _ controller: FetchedResultsController, didChange section: ResultsSection,
        atSectionIndex index: Int, for type: FetchedResultsChangeType
    ) {}

    public func controllerDidChangeContent(_ controller: FetchedResultsController) {}

    public func controllerDidRefetch(_ controller: FetchedResultsController) {}

    public func controller(_ controller: FetchedResultsController, didFailWith error: any Error) {}
}

extension FetchedResultsControllerDelegate {
    /// Makes the calls for a change.
    func receive(_ change: FetchedResultsController.Change, of controller: FetchedResultsController)
    {
        switch change {
        case .refetched: controllerDidRefetch(controller)
        case .failed(let error): self.controller(controller, didFailWith: error)
        case .difference(let difference):
            controllerWillChangeContent(controller)
            tell(difference, of: controller)
            controllerDidChangeContent(controller)
        }
    }

    private func tell(_ difference: ResultsDifference, of controller: FetchedResultsController) {
        for it in difference.sectionDeletes {
            self.controller(
                controller, didChange: difference.sectionsBefore[it.index],
                atSectionIndex: it.index, for: .delete)
        }
        for it in difference.sectionInserts {
            self.controller(
                controller, didChange: difference.sectionsAfter[it.index],
                atSectionIndex: it.index, for: .insert)
        }
        func row(_ key: Int64, _ type: FetchedResultsChangeType, from: Int?, to: Int?) {
            self.controller(
                controller, didChange: controller.objectID(forKey: key),
                at: from.map(difference.indexPath(before:)), for: type,
                newIndexPath: to.map(difference.indexPath(after:)))
        }
        for it in difference.deletes { row(it.key, .delete, from: it.index, to: nil) }
        for it in difference.inserts { row(it.key, .insert, from: nil, to: it.index) }
        for it in difference.moves { row(it.key, .move, from: it.from, to: it.to) }
        for (it, from) in zip(difference.updates, difference.formerIndexesOfUpdates) {
            row(it.key, .update, from: from, to: it.index)
        }
    }
}

extension ResultsDifference {
    /// The indexes before the change of the rows in `updates`, in the same order.
    public var formerIndexesOfUpdates: [Int] {
        let come = (inserts.map(\.index) + moves.map(\.to)).sorted()
        let gone = (deletes.map(\.index) + moves.map(\.from)).sorted()
        // The indexes are ascending, so each list is passed once.
        var (passedCome, passedGone) = (0, 0)
        return updates.map { update in
            while passedCome < come.count, come[passedCome] < update.index { passedCome += 1 }
            let rank = update.index - passedCome
            while passedGone < gone.count, gone[passedGone] <= rank + passedGone { passedGone += 1 }
            return rank + passedGone
        }
    }
}
