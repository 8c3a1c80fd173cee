import Glibc
import SteleModel
import SteleSystem

/// Several stores of one model's configurations as one store
/// (NSPersistentStoreCoordinator.persistentStores).
///
/// Each entity is in one store or in several. Saves are numbered together: the group gives each
/// save the number of its transaction in every store that it changes. So the history is one, in the
/// order of the commits, and a token means the same state of all stores.
///
/// Saves run one after the other, on the group's thread or on that of a caller that waits.
/// Consecutive saves that change the same store share its commit. A save that changes several is
/// prepared in all of them, and then committed in one after the other
/// (`StoreError.incompleteSave` tells of a failure between two commits).
///
/// Lock order: `turn`, then `state`.
public final class StoreGroup: PersistentStore {
    /// The model of all stores.
    public let model: Model
    /// The stores, in the order in which a new object is assigned to the first that has its entity.
    public let stores: [any PersistentStore]
    /// The generations of the tokens: a generation ends where one of a store ends.
    public let historyLine: HistoryLine

    let layout: GroupLayout
    /// Held while a save is made and committed.
    let turn: Mutex<GroupTurn>
    let state: Mutex<GroupState>
    let queue = Monitor(GroupQueue())
    private let thread = Mutex<SystemThread?>(nil)

    /// Takes over open stores and keeps other programs from opening them.
    /// - Parameters:
    ///   - stores: stores of configurations of `model` (`Model.restricted(to:)`), not empty.
    ///   - model: the model with all entities.
    /// - Throws: `StoreError`: `.invalid` where the stores do not have all entities, a relationship
    ///   leads from one to another, or a store has keys of another; `.unsupported` for a fetched
    ///   property that cannot be evaluated across stores; `.busy` where another program has one
    ///   open. The stores stay open.
    public init(_ stores: [any PersistentStore], model: Model) throws(StoreError) {
        self.stores = stores
        self.model = model
        layout = try GroupLayout(model, stores.map(\.model))
        try Self.checkFetchedProperties(layout)
        var tokens: [Int64] = []
        for (place, store) in stores.enumerated() {
            try store.excludeOthers()
            try layout.check(store, at: place)
            var reservation = SaveRequest(readToken: 0)
            reservation.reservations = layout.reservations(of: place)
            if !reservation.reservations.isEmpty, !store.isReadOnly {
                _ = try store.save(reservation)
            }
            let reader = try store.reader()
            defer { reader.close() }
            tokens.append(try reader.token)
        }
        historyLine = HistoryLine(combining: stores.map(\.historyLine))
        turn = Mutex(GroupTurn(last: tokens.max() ?? 0))
        state = Mutex(GroupState(tokens: tokens))
        for (place, store) in stores.enumerated() {
            store.observe(GroupObserver(self, place))
        }
        let writing = SystemThread(name: "stele-group") { [queue] in GroupQueue.run(queue) }
        guard let writing else { throw .failed("the system has no thread for the stores") }
        thread.withLock { $0 = writing }
    }

    /// Checks, before stores are opened or created, that they can be a group.
    /// - Parameters:
    ///   - models: the models of the stores, in their order.
    ///   - model: the model with all entities.
    /// - Throws: `StoreError.invalid` and `.unsupported`, as `init`.
    public static func check(_ models: [Model], model: Model) throws(StoreError) {
        try checkFetchedProperties(GroupLayout(model, models))
    }

    private static func checkFetchedProperties(_ layout: GroupLayout) throws(StoreError) {
        for entity in layout.model.entities {
            for case .fetchedProperty(let it) in entity.properties {
                guard let destination = layout.model.entity(named: it.request.entityName),
                    let place = layout.onlyPlace(of: entity.index),
                    layout.onlyPlace(of: destination.index) == place
                else {
                    try GroupSource.check(it, of: entity, layout.model)
                    continue
                }
            }
        }
    }

    /// The types of the stores, such as `sqlite, xml`.
    public var type: String {
        var types: [String] = []
        for store in stores where !types.contains(store.type) { types.append(store.type) }
        return types.joined(separator: ", ")
    }

    /// Whether one of the stores is open for reading only.
    public var isReadOnly: Bool { stores.contains { $0.isReadOnly } }

    /// Copies all stores as they are between two saves, each into a folder of its own, named by its
    /// configuration. Saves wait until the copies are made.
    /// - Throws: as `PersistentStore.backUp`; `.failed` also where a folder cannot be created.
    public func backUp(to folder: String) throws(StoreError) -> StoreBackup {
        let result = turn.withLock { turn -> Result<StoreBackup, StoreError> in
            var all = StoreBackup(files: [], bytes: 0, transaction: turn.last)
            do throws(StoreError) {
                for (place, store) in stores.enumerated() {
                    let own = "\(folder)/\(Self.folderName(store, place))"
                    guard mkdir(own, 0o700) == 0 else {
                        throw .failed(
                            "\(own) cannot be created: \(String(cString: strerror(errno)))")
                    }
                    let one = try store.backUp(to: own)
                    all.files += one.files
                    all.bytes += one.bytes
                    all.externalFiles += one.externalFiles
                }
                return .success(all)
            } catch { return .failure(error) }
        }
        return try result.get()
    }

    /// The name of a store's folder in a backup.
    private static func folderName(_ store: any PersistentStore, _ place: Int) -> String {
        let name = store.model.configuration ?? ""
        let isPlain =
            !name.isEmpty
            && name.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
                    || (0x61...0x7A).contains(byte) || byte == UInt8(ascii: "_")
            }
        return isPlain ? name : "store-\(place + 1)"
    }

    /// The files of all stores.
    public var filePaths: [String] { stores.flatMap(\.filePaths) }

    /// Whether the history of one of the stores has saves of an app.
    public var hasHistoryOfApp: Bool { stores.contains { $0.hasHistoryOfApp } }

    /// The UUID of the first store.
    public var identifier: String { stores[0].identifier }

    /// The UUIDs of all stores.
    public var identifiers: [String] { stores.map(\.identifier) }

    /// Returns the UUID of the store that has or had an object.
    public func identifier(of id: ObjectID) -> String {
        layout.place(of: id).map { stores[$0].identifier } ?? identifier
    }

    /// The current generation.
    public var generation: String { historyLine.generation(of: .max) }

    /// Returns the index of the store that has or had an object; nil for a key that no store gives
    /// out.
    public func place(of id: ObjectID) -> Int? { layout.place(of: id) }

    /// Returns the indexes of the stores that have an entity.
    public func places(of entity: Entity) -> [Int] { layout.places(of: entity.index) }

    // MARK: Reading

    /// Whether one of the stores waits for long views to end.
    public var delaysLongViews: Bool { stores.contains { $0.delaysLongViews } }

    /// Calls it when long views of the first store that delays them may begin.
    public func whenLongViewsBegin(_ begin: @escaping @Sendable () -> Void) {
        guard let store = stores.first(where: { $0.delaysLongViews }) else { return begin() }
        store.whenLongViewsBegin(begin)
    }

    /// Opens a view of all stores after the same saves.
    /// - Throws: as `PersistentStore.reader`; `.busy` where another program saves to one of the
    ///   stores all the time.
    public func reader(budget: ReadBudget?) throws(StoreError) -> any StoreReader {
        // Commits are rare beside the time that opening takes, so few attempts are in vain.
        for _ in 0..<Self.attempts {
            if let found = try completeReader(budget: budget) { return found }
            if let budget, !budget.mayWait { throw .overBudget }
        }
        return try turn.withLock { turn throws(StoreError) in try lastingReader(&turn) }
    }

    /// Opens a view while no save runs.
    func lastingReader(_ turn: inout GroupTurn) throws(StoreError) -> GroupReader {
        for _ in 0..<Self.attempts {
            if let found = try completeReader(budget: nil) { return found }
            // Something else than the group has saved. The number of its transaction is that
            // store's own; the next one of the group is above it.
            for (place, store) in stores.enumerated() {
                let reader = try store.reader()
                defer { reader.close() }
                let token = try reader.token
                state.withLock { $0.tokens[place] = token }
                turn.last = max(turn.last, token)
            }
        }
        throw .busy("another program saves to one of the stores all the time")
    }

    private static let attempts = 3

    /// Opens a view of each store; nil where a commit came between.
    private func completeReader(budget: ReadBudget?) throws(StoreError) -> GroupReader? {
        var readers: [any StoreReader] = []
        var tokens: [Int64] = []
        do throws(StoreError) {
            for store in stores {
                let reader = try store.reader(budget: budget)
                readers.append(reader)
                tokens.append(try reader.token)
            }
        } catch {
            for reader in readers { reader.close() }
            throw error
        }
        // A commit is published when it is complete in all stores. So views that show what is
        // published, and nothing else, show complete saves.
        let (complete, firstKept) = state.withLock { ($0.tokens, $0.firstKept) }
        if complete == tokens {
            return GroupReader(readers, token: tokens.max() ?? 0, layout, firstKept: firstKept)
        }
        for reader in readers { reader.close() }
        return nil
    }

    /// Reads the current state of one object, outside any view.
    /// - Throws: as `PersistentStore.newest`.
    public func newest(_ id: ObjectID) throws(StoreError) -> Snapshot? {
        guard let place = layout.place(of: id) else { return nil }
        return try stores[place].newest(id)
    }

    // MARK: The rest of the contract

    /// What the first store says of itself. Each store has metadata of its own.
    /// - Throws: as `PersistentStore.metadata`.
    public var metadata: [String: PropertyList] {
        get throws(StoreError) { try stores[0].metadata }
    }

    /// Changes the metadata of the first store.
    /// - Throws: as `PersistentStore.changeMetadata`.
    public func changeMetadata(_ change: (inout [String: PropertyList]) throws -> Void) throws {
        try stores[0].changeMetadata(change)
    }

    /// The highest keys of all stores.
    /// - Throws: as `PersistentStore.highestKeys`.
    public var highestKeys: [Int: Int64] {
        get throws(StoreError) {
            var all: [Int: Int64] = [:]
            for store in stores { all.merge(try store.highestKeys) { max($0, $1) } }
            return all
        }
    }

    /// Begins a value in the first store that keeps large values in files. A save into another one
    /// moves it there.
    /// - Throws: `StoreError.readOnly` where that store is only read.
    public func externalDataWriter() throws(StoreError) -> any ExternalDataWriter {
        try stores[externalPlace].externalDataWriter()
    }

    /// The index of the first store with an attribute of external storage.
    var externalPlace: Int {
        stores.firstIndex { store in
            store.model.storedEntities.contains { entity in
                entity.slots.contains {
                    if case .attribute(let it) = $0 { it.isExternal } else { false }
                }
            }
        } ?? 0
    }

    /// Sets the observer of commits.
    public func observe(_ observer: any StoreObserver) { state.withLock { $0.observer = observer } }

    /// Checks each of the stores.
    /// - Throws: as `PersistentStore.checkPresence`.
    public func checkPresence() throws(StoreError) {
        for store in stores { try store.checkPresence() }
    }

    /// Returns whether another program may have changed one of the stores.
    public func noticesForeignChange() -> Bool {
        var notices = false
        for store in stores where store.noticesForeignChange() { notices = true }
        return notices
    }

    /// The marks that were given when all stores were closed in their present state.
    public var formerMarks: [StoreMark] {
        let all = stores.map(\.formerMarks)
        return all[0].compactMap { first in
            var last = first.last
            for marks in all {
                guard let own = marks.first(where: { $0.mark == first.mark }) else { return nil }
                last = max(last, own.last)
            }
            return StoreMark(mark: first.mark, last: last)
        }
    }

    /// Saves what waits, and closes all stores.
    public func close() {
        queue.withLock { $0.isClosed = true }
        queue.signal()
        let running = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        running?.join()
        turn.withLock { turn in
            for store in stores {
                // Without it, the store's next generation would begin after its own last save, and
                // tokens of later saves to other stores would expire.
                var request = SaveRequest(readToken: 0)
                request.complete = turn.last
                _ = try? store.save(request)
            }
            for store in stores { store.close() }
        }
    }
}

/// What a group's saves need, one at a time.
struct GroupTurn: Sendable {
    /// The number of the last save.
    var last: Int64
}

/// What a group's readers and observers need.
struct GroupState: Sendable {
    /// The numbers of the last complete save of each store.
    var tokens: [Int64]
    var observer: (any StoreObserver)?
    /// The commits of a save to several stores by the index of the store, until it is complete; nil
    /// outside of one.
    var parts: [Int: [HistoryTransaction]]?
    /// The first transaction that is not deleted in any store. A deletion is a commit of each
    /// store, and a view may have been opened between two of them.
    var firstKept: Int64 = 0
    /// The marks given at the end, for the stores that are closed later.
    var marks: [StoreMark]?
}

/// Observes one store of a group.
private final class GroupObserver: StoreObserver {
    private weak let group: StoreGroup?
    private let place: Int

    init(_ group: StoreGroup, _ place: Int) {
        self.group = group
        self.place = place
    }

    private var observer: (any StoreObserver)? { group?.state.withLock { $0.observer } }

    func storeWillCommit(_ saves: [HistoryTransaction]) { observer?.storeWillCommit(saves) }

    func storeDidCommit(_ saves: [HistoryTransaction]) {
        guard let group, let last = saves.last?.number else { return }
        let isPart = group.state.withLock { state in
            if state.parts == nil {
                state.tokens[place] = max(state.tokens[place], last)
                return false
            }
            state.parts?[place, default: []] += saves
            return true
        }
        if !isPart { observer?.storeDidCommit(saves) }
    }

    func storeDidChangeElsewhere() { observer?.storeDidChangeElsewhere() }

    func storeWillClose(at number: Int64) -> [StoreMark] {
        guard let group else { return [] }
        let (known, last) = group.state.withLock { ($0.marks, $0.tokens.max() ?? 0) }
        let marks = known ?? observer?.storeWillClose(at: last) ?? []
        group.state.withLock { $0.marks = marks }
        return marks
    }
}
