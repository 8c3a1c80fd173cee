/// The changes of one save by object, with their values.

import SteleModel
import StelePersistence

/// The changes of a save, of which a piece is in memory: by the rules of a role any of them may lead
/// to any other. What is not in the piece is found by an index of the save, and read from the
/// history. On one thread.
final class SaveChanges {
    private let save: Int64
    private let model: Model
    private let reader: any StoreReader
    private let indexer: SaveIndexer
    private var piece: [ObjectID: ObjectChanges] = [:]
    /// The whole save, where the piece is that.
    private var whole: [HistoryChange]?
    private var madePlaces: SavePlaces?
    private var madeIndex: SaveIndex?
    /// By the objects with several changes, the index of the one at whose position they are told, or
    /// -1 for those that are not told.
    private var toldAt: [ObjectID: Int] = [:]
    /// Objects with changes in other pieces.
    private var others: [ObjectID: ObjectChanges] = [:]
    /// The changes of the piece, while it is taken, and others that were read, by position.
    private var given: [Int64: HistoryChange] = [:]
    private var read: [Int64: HistoryChange] = [:]
    private var lastAsked: Int64 = 0

    /// The changes that are read together where they are asked for in their order, and the most that
    /// are kept.
    private static let together = 64
    private static let mostKept = 2_000

    /// - Parameters:
    ///   - reader: a view of the store that has the save.
    ///   - indexer: finds where the changes are.
    init(of save: Int64, _ model: Model, _ reader: any StoreReader, _ indexer: SaveIndexer) {
        self.save = save
        self.model = model
        self.reader = reader
        self.indexer = indexer
    }

    /// A change, with all changes of its object.
    struct Taken {
        let id: ObjectID
        let changes: ObjectChanges
        /// The index of the change among those of the object.
        let index: Int
        let position: Int64
    }

    /// Remembers at which of its changes an object is told; nil for one that is not told. The others
    /// are not taken any more.
    func tell(_ id: ObjectID, at index: Int?) { toldAt[id] = index ?? -1 }

    /// Whether an object may be told at one of its changes, as far as is known.
    func isTold(_ id: ObjectID, at index: Int) -> Bool { toldAt[id] ?? index == index }

    /// Takes the changes that are judged next.
    /// - Parameter isWhole: whether they are all of the save.
    /// - Returns: each of them, unless its object is known to be told at another one.
    /// - Throws: as making the places, of a save that is not whole, and as reading the history.
    func take(_ changes: [HistoryChange], isWhole: Bool) throws(StoreError) -> [Taken] {
        whole = isWhole ? changes : nil
        piece = [:]
        if changes.isEmpty { return [] }
        let known = changes.filter { model.entities.indices.contains($0.entity) }
        return isWhole ? takeWhole(known) : try takePiece(known)
    }

    private func takeWhole(_ changes: [HistoryChange]) -> [Taken] {
        var several: [ObjectID: [HistoryChange]] = [:]
        var first: [ObjectID: Int] = [:]
        first.reserveCapacity(changes.count)
        for (index, change) in changes.enumerated() {
            let id = id(change)
            if let before = first[id] {
                several[id, default: [changes[before]]].append(change)
            } else {
                first[id] = index
            }
        }
        piece.reserveCapacity(first.count)
        for (id, index) in first {
            piece[id] =
                several[id].map { ObjectChanges($0, in: model) } ?? ObjectChanges(changes[index])
        }
        var counts: [ObjectID: Int] = [:]
        return changes.compactMap { change in
            let id = id(change)
            guard let object = piece[id] else { return nil }
            var index = 0
            if several[id] != nil {
                index = counts[id, default: 0]
                counts[id] = index + 1
            }
            return Taken(id: id, changes: object, index: index, position: change.position)
        }
    }

    private func takePiece(_ changes: [HistoryChange]) throws(StoreError) -> [Taken] {
        let places = try places()
        for change in changes { given[change.position] = change }
        defer { given = [:] }
        var taken: [Taken] = []
        for change in changes {
            let id = id(change)
            let position = change.position
            let positions = places.positions(of: id.root, id.key)
            if positions.count == 1 {
                let object = ObjectChanges(change)
                piece[id] = object
                taken.append(Taken(id: id, changes: object, index: 0, position: position))
            } else if let index = positions.firstIndex(of: position),
                isTold(id, at: index), let object = try self.changes(of: id)
            {
                taken.append(Taken(id: id, changes: object, index: index, position: position))
            }
        }
        return taken
    }

    /// The places of all changes.
    /// - Throws: as making them.
    func places() throws(StoreError) -> SavePlaces {
        if let madePlaces { return madePlaces }
        let places = try indexer.places(of: save, whole)
        madePlaces = places
        return places
    }

    /// The index of all changes.
    /// - Throws: as making it.
    func index() throws(StoreError) -> SaveIndex {
        if let madeIndex { return madeIndex }
        let index = try indexer.index(of: save, whole, try places())
        madeIndex = index
        return index
    }

    /// The changes of an object; nil for one that the save has not changed.
    /// - Throws: as making the places and reading the history.
    func changes(of id: ObjectID) throws(StoreError) -> ObjectChanges? {
        if let known = piece[id] ?? others[id] { return known }
        if whole != nil { return nil }
        let positions = try places().positions(of: id.root, id.key)
        if positions.isEmpty { return nil }
        var found: [HistoryChange] = []
        for position in positions {
            if let change = try change(at: position) { found.append(change) }
        }
        if found.isEmpty { return nil }
        let object = ObjectChanges(found, in: model)
        if others.count > Self.mostKept { others = [:] }
        others[id] = object
        return object
    }

    /// Reads the changes of objects in the order of their positions, which is the shortest way.
    /// - Throws: as `changes(of:)`.
    func read(_ ids: some Sequence<ObjectID>) throws(StoreError) {
        let places = try places()
        let ordered = ids.map { (id: $0, first: places.positions(of: $0.root, $0.key).first ?? 0) }
            .sorted { $0.first < $1.first }
        for (id, _) in ordered { _ = try changes(of: id) }
    }

    private func change(at position: Int64) throws(StoreError) -> HistoryChange? {
        defer { lastAsked = position }
        if let change = given[position] ?? read[position] { return change }
        let isInOrder = position > lastAsked && position - lastAsked <= Self.together
        let piece = try reader.history(
            after: HistoryPosition(after: save, change: position - 1), limit: 1,
            changes: isInOrder ? Self.together : 1, values: true)
        if read.count > Self.mostKept { read = [:] }
        for change in piece.saves.first?.changes ?? [] { read[change.position] = change }
        return read[position]
    }

    private func id(_ change: HistoryChange) -> ObjectID {
        // A history may be older than the model.
        let isKnown = model.entities.indices.contains(change.entity)
        return ObjectID(root: isKnown ? model.entities[change.entity].root : -1, key: change.key)
    }
}
