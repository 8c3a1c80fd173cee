// The changes of one save by object, with their values.

import SteleModel
import StelePersistence

/// The changes of a save, of which a piece is in memory: by the rules of a role any of them may lead
/// to any other. What is not in the piece is found by an index of the save, and read from the
/// history. On one thread.
final class SaveChanges {
    private let save: Int64
    private let model: Model
    private let reader: any StoreReader
    private let makeIndex: (_ whole: [HistoryChange]?) throws(StoreError) -> SaveIndex
    private var piece: [ObjectID: HistoryChange] = [:]
    /// The whole save, where the piece is that.
    private var whole: [HistoryChange]?
    private var made: SaveIndex?
    /// Changes of other pieces.
    private var others: [ObjectID: HistoryChange] = [:]

    /// The changes that are read beside one that is asked for, and the most that are kept.
    private static let together = 64
    private static let mostOthers = 2_000

    /// - Parameters:
    ///   - reader: a view of the store that has the save.
    ///   - makeIndex: makes the index of all its changes, or of those that it is given.
    init(
        of save: Int64, _ model: Model, _ reader: any StoreReader,
        _ makeIndex: @escaping (_ whole: [HistoryChange]?) throws(StoreError) -> SaveIndex
    ) {
        self.save = save
        self.model = model
        self.reader = reader
        self.makeIndex = makeIndex
    }

    /// Takes the changes that are judged next.
    /// - Parameter isWhole: whether they are all of the save.
    func take(_ changes: [HistoryChange], isWhole: Bool) {
        whole = isWhole ? changes : nil
        piece = Dictionary(changes.map { (id($0), $0) }) { $1 }
    }

    /// The index of all changes.
    /// - Throws: as making it.
    func index() throws(StoreError) -> SaveIndex {
        if let made { return made }
        let index = try makeIndex(whole)
        made = index
        return index
    }

    /// The change of an object; nil for one that the save has not changed.
    /// - Throws: as reading the history.
    func change(of id: ObjectID) throws(StoreError) -> HistoryChange? {
        if let change = piece[id] ?? others[id] { return change }
        if whole != nil { return nil }
        guard let position = try index().position(of: id.root, id.key) else { return nil }
        let found = try reader.history(
            after: HistoryPosition(after: save, change: position - 1), limit: 1,
            changes: Self.together, values: true)
        if others.count > Self.mostOthers { others = [:] }
        for change in found.saves.first?.changes ?? [] { others[self.id(change)] = change }
        return others[id]
    }

    private func id(_ change: HistoryChange) -> ObjectID {
        // A history may be older than the model.
        let isKnown = model.entities.indices.contains(change.entity)
        return ObjectID(root: isKnown ? model.entities[change.entity].root : -1, key: change.key)
    }
}
