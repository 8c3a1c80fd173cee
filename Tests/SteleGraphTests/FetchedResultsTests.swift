// A result that follows the store: what is told, when the store is asked, and the controller.

import SteleModel
import StelePersistence
import StelePredicates
import SteleSystem
import TestSupport
import Testing

@testable import SteleGraph

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

@Suite struct FetchedResultsTests {
    /// People of those names and ages, saved.
    private func people(
        _ fixture: Fixture, _ all: [(name: String, age: Int64)]
    ) throws -> [ObjectID] {
        let context = fixture.context()
        let made = try all.map { name, age in
            let person = try context.insert(try fixture.entity("Person"))
            person["name"] = .string(name)
            person["age"] = .int(age)
            return person
        }
        try context.save()
        return made.map(\.objectID)
    }

    private func query(
        _ fixture: Fixture, _ format: String?, sort: String, limit: Int? = nil
    ) throws -> ResultsQuery {
        let entity = try fixture.entity("Person")
        let check = PredicateCheck(model: fixture.model, entity: entity)
        var request = FetchRequest(entity: entity)
        request.predicate = try format.map { try check.check(Predicate(format: $0)) }
        request.sortDescriptors = try SortList(sort).checked(by: check)
        request.fetchLimit = limit
        return ResultsQuery(request, model: fixture.model)
    }

    /// Paths from lists and from SUBQUERYs are as well known as others.
    @Test(arguments: [
        "SUBQUERY({SELF}, $s, $s.team.name == 'T1').@count > 0",
        "SUBQUERY(SUBQUERY(friends, $f, $f.age > 30), $g, $g.team.name == 'T2').@count > 0",
        "ANY SUBQUERY(friends, $f, $f.age > 20).team.name == 'T1'",
        "ANY (friends UNION mentor.friends).team.name == 'T1'",
        "(friends MINUS team.players).@count > 1",
        "SUBQUERY(friends UNION mentor.friends, $f, $f.team.name == 'T1').@max.age > 30",
        "{team, mentor.team}[FIRST].name == 'T1'",
        "TERNARY(age > 30, team, mentor.team).name == 'T1'",
    ])
    func aPathFromACollectionIsKnown(_ format: String) throws {
        let fixture = try Fixture.league()
        let query = try query(fixture, format, sort: "name")
        #expect(query.concerns(try fixture.entity("Person").index))
        #expect(query.concerns(try fixture.entity("Team").index))
        #expect(!query.concerns(try fixture.entity("Tag").index))
    }

    /// Follows the last save, and says whether the store was asked.
    private func follow(
        _ results: inout FetchedResults, _ fixture: Fixture
    ) throws -> (told: [ResultsDifference], asked: Bool) {
        let view = SavesView(after: results.token, [try fixture.lastSave()]) {
            try fixture.store.reader()
        }
        let told = try results.advance(in: view)
        if view.isOpen { try view.reader().close() }
        return (told, view.isOpen)
    }

    private func edit(
        _ fixture: Fixture, _ body: (ManagedObjectContext) throws -> Void
    ) throws {
        let context = fixture.context()
        try body(context)
        try context.save()
        context.close()
    }

    @Test(arguments: StoreKind.allCases)
    func aChangeIsToldWithItsIndexes(_ kind: StoreKind) throws {
        let fixture = try Fixture(try makeLeague(), kind)
        let ids = try people(fixture, [("a", 10), ("b", 20), ("c", 30), ("d", 40), ("e", 50)])
        let query = try query(fixture, "age > 15", sort: "age")
        let reader = try fixture.store.reader()
        var results = try FetchedResults(query, reader)
        reader.close()
        #expect(results.keys == ids[1...].map(\.key))
        try edit(fixture) { context in
            try context.get(ids[0])["age"] = .int(35)  // comes between c and d
            try context.get(ids[1])["age"] = .int(60)  // goes to the end
            try context.get(ids[3])["name"] = .string("D")  // stays
            try context.delete(try context.get(ids[4]))
        }
        let (told, asked) = try follow(&results, fixture)
        #expect(told.count == 1 && !asked)
        let difference = try #require(told.first)
        var name = UpdatedKeys()
        name.add("name")
        var age = UpdatedKeys()
        age.add("age")
        #expect(difference.deletes == [.init(index: 3, key: ids[4].key)])
        #expect(difference.inserts == [.init(index: 1, key: ids[0].key)])
        #expect(
            difference.moves == [.init(from: 0, to: 3, key: ids[1].key, updated: age)])
        #expect(difference.updates == [.init(index: 2, key: ids[3].key, updated: name)])
        #expect(results.keys == [ids[2], ids[0], ids[3], ids[1]].map(\.key))
    }

    @Test(arguments: StoreKind.allCases)
    func theStoreIsAskedOnlyWhereASaveDoesNotTell(_ kind: StoreKind) throws {
        let fixture = try Fixture(try makeLeague(), kind)
        let ids = try people(
            fixture, (1...600).map { ("p\($0)", Int64($0)) })
        let reader = try fixture.store.reader()
        var all = try FetchedResults(try query(fixture, "age > 0", sort: "age"), reader)
        var first = try FetchedResults(try query(fixture, nil, sort: "age", limit: 10), reader)
        var far = try FetchedResults(try query(fixture, "team.name == \"T\"", sort: "age"), reader)
        reader.close()
        // A row moves far down: the window's next slides in, and has to be read.
        try edit(fixture) { try $0.get(ids[2])["age"] = .int(500) }
        let whole = try follow(&all, fixture)
        #expect(!whole.asked)
        let slid = try follow(&first, fixture)
        #expect(slid.asked)
        #expect(slid.told.first?.deletes == [.init(index: 2, key: ids[2].key)])
        #expect(slid.told.first?.inserts == [.init(index: 9, key: ids[10].key)])
        let away = try follow(&far, fixture)
        #expect(away.asked)
        // One beyond the window is nobody's business there.
        try edit(fixture) { try $0.get(ids[300])["age"] = .int(400) }
        let beyond = try follow(&first, fixture)
        #expect(!beyond.asked && beyond.told.isEmpty)
        _ = try follow(&far, fixture)
        // A save of another entity is nobody's business at all.
        try edit(fixture) { _ = try $0.insert(try fixture.entity("Song")) }
        let others = [try follow(&far, fixture), try follow(&first, fixture)]
        #expect(others.allSatisfy { !$0.asked && $0.told.isEmpty })
    }

    @Test func aWindowIsFilledAgainFromBeyondWhatIsKnown() throws {
        let fixture = try Fixture(try makeLeague(), .sqlite)
        let ids = try people(fixture, (1...700).map { ("p\($0)", Int64($0)) })
        let reader = try fixture.store.reader()
        var results = try FetchedResults(try query(fixture, nil, sort: "age", limit: 5), reader)
        reader.close()
        #expect(results.weight < 300)
        for start in [0, 250] {
            try edit(fixture) { context in
                for id in ids[start..<start + 250] { try context.delete(try context.get(id)) }
            }
            let told = try follow(&results, fixture).told
            #expect(told.count == 1)
            #expect(results.keys == ids[start + 250..<start + 255].map(\.key))
        }
    }

    /// The query reads all rows, a change those that it may concern.
    @Test(arguments: StoreKind.allCases)
    func aChangeReadsWhatItConcerns(_ kind: StoreKind) throws {
        let fixture = try Fixture(try makeLeague(), kind)
        let ids = try people(fixture, (1...30_000).map { ("p\($0)", Int64($0)) })
        let request = try query(fixture, "age > 0", sort: "-age,name")
        let whole = RowCountingReader(try fixture.store.reader())
        var results = try FetchedResults(request, whole)
        whole.close()
        #expect(whole.rows == 30_000)
        for number in 0..<9 {
            try edit(fixture) {
                try $0.get(ids[number * 3_000])["age"] = .int(Int64(number * 997 + 5))
            }
            let reader = RowCountingReader(try fixture.store.reader())
            let view = SavesView(after: results.token, [try fixture.lastSave()]) { reader }
            _ = try results.advance(in: view)
            #expect(!view.isOpen)
            #expect(reader.rows <= 3, "change \(number)")
        }
    }

    /// What was deleted from the history before it was followed is not passed over.
    @Test(arguments: StoreKind.allCases)
    func aHistoryWithAGapIsNotFollowed(_ kind: StoreKind) throws {
        let fixture = try Fixture(try makeLeague(), kind)
        let ids = try people(fixture, [("a", 10), ("b", 20)])
        let query = try query(fixture, "age > 15", sort: "age")
        let reader = try fixture.store.reader()
        var (old, told) = (try FetchedResults(query, reader), try FetchedResults(query, reader))
        reader.close()
        try edit(fixture) { try $0.get(ids[0])["age"] = .int(35) }
        _ = try follow(&told, fixture)
        try edit(fixture) { try $0.get(ids[1])["name"] = .string("B") }
        #expect(try fixture.store.deleteHistory(before: 3, limit: 10) == 2)
        let now = try fixture.store.reader()
        defer { now.close() }
        let view = SavesView(after: old.token, []) { now }
        try view.reader()
        #expect(throws: StoreError.self) { _ = try old.advance(in: view) }
        // Who knows the save before what is left goes on, and says what is changed.
        #expect(try told.advance(in: view).map(\.updates.count) == [1])
        #expect(told.keys == ids.reversed().map(\.key))
        // Nor is what goes between the saves in hand and the reader.
        try edit(fixture) { try $0.get(ids[1])["age"] = .int(5) }
        try edit(fixture) { try $0.get(ids[0])["age"] = .int(1) }
        #expect(try fixture.store.deleteHistory(before: 5, limit: 10) > 0)
        #expect(throws: StoreError.self) {
            let later = try fixture.store.reader()
            defer { later.close() }
            let view = SavesView(after: told.token, []) { later }
            try view.reader()
            _ = try told.advance(in: view)
        }
    }

    /// Nor is one that is too long to be held: who is that far behind reads his result anew.
    @Test(arguments: StoreKind.allCases)
    func moreThanFitsIsNotFollowed(_ kind: StoreKind) throws {
        let fixture = try Fixture(try makeLeague(), kind)
        let ids = try people(fixture, [("a", 10), ("b", 20)])
        let query = try query(fixture, nil, sort: "age")
        let reader = try fixture.store.reader()
        var results = try FetchedResults(query, reader)
        reader.close()
        let start = results.token
        for round in 0..<20 {
            let name = String(repeating: "\(round)", count: 10_000)
            try edit(fixture) { try $0.get(ids[0])["name"] = .string(name) }
        }
        let now = try fixture.store.reader()
        defer { now.close() }
        let small = SavesView(after: start, [], atMost: 50_000) { now }
        try small.reader()
        #expect(try small.token == now.token && small.saves.isEmpty)
        var behind = results
        #expect(throws: StoreError.self) { _ = try behind.advance(in: small) }
        let large = SavesView(after: start, [], atMost: 2_000_000) { now }
        try large.reader()
        #expect(try results.advance(in: large).count == 20)
    }

    @Test func tooManyRowsAreRefused() throws {
        let fixture = try Fixture(try makeLeague(), .memory)
        _ = try people(fixture, [("a", 1), ("b", 2), ("c", 3)])
        var request = FetchRequest(entity: try fixture.entity("Person"))
        let reader = try fixture.store.reader()
        defer { reader.close() }
        #expect(throws: ResultsError.tooManyRows(maximum: 2)) {
            _ = try FetchedResults(
                ResultsQuery(request, maximumRows: 2, model: fixture.model), reader)
        }
        request.fetchLimit = 2
        let query = ResultsQuery(request, maximumRows: 2, model: fixture.model)
        #expect(try FetchedResults(query, reader).count == 2)
    }

    @Test func aThousandRowsMoveAtOnceAndMoreAreSortedAnew() throws {
        let order = ResultOrder([SortDescriptor(.key("age"))])
        let rows = (0..<5_000).map { ResultRow(key: Int64($0), position: [.int(Int64($0 / 3))]) }
        var ranked = RankedRows(rows, in: order)
        for row in rows.shuffled().prefix(4_000) {
            #expect(ranked.rank(of: row) <= Int(row.key))
            let (once, twice) = (ranked.remove(row), ranked.remove(row))
            #expect(once && !twice)
        }
        #expect(ranked.count == 1_000)
        let left = Set(ranked.rows(0..<5_000).map(\.key))
        for row in rows where !left.contains(row.key) { ranked.insert(row) }
        #expect(ranked.rows(0..<5_000).map(\.key) == rows.map(\.key))
        ranked.exchange(Set(0..<4_000), for: [])
        #expect(ranked.rows(0..<9_999).map(\.key) == Array(4_000..<5_000))
        let cut = ranked.removeRows(from: 990)
        #expect(cut.count == 10)
        #expect(ranked.count == 990)
    }

    @Test(arguments: StoreKind.allCases)
    func theControllerStaysAsTheStoreIs(_ kind: StoreKind) throws {
        let fixture = try Fixture(try makeLeague(), kind)
        let ids = try people(fixture, [("b", 20), ("a", 10), ("c", 20)])
        let entity = try fixture.entity("Person")
        var request = FetchRequest(entity: entity)
        request.predicate = try Predicate(format: "age < 60")
        request.sortDescriptors = try SortList("name").descriptors
        let controller = try FetchedResultsController(
            request, sectionNameKeyPath: "age", coordinator: fixture.coordinator)
        let told = Mutex<[ResultsDifference]>([])
        try controller.performFetch { change in
            if case .difference(let it) = change { told.withLock { $0.append(it) } }
        }
        #expect(controller.fetchedObjectIDs == [ids[1], ids[0], ids[2]])
        #expect(
            controller.sections == [
                ResultsSection(name: .int(10), numberOfObjects: 1),
                ResultsSection(name: .int(20), numberOfObjects: 2),
            ])
        try edit(fixture) { try $0.get(ids[1])["age"] = .int(30) }
        for _ in 0..<2_000 where told.withLock({ $0.isEmpty }) { usleep(2_000) }
        let difference = try #require(told.withLock { $0.first })
        #expect(difference.sectionDeletes == [.init(index: 0, name: .int(10))])
        #expect(difference.sectionInserts == [.init(index: 1, name: .int(30))])
        #expect(difference.moves.map(\.to) == [2])
        #expect(controller.objectID(at: 2) == ids[1] && controller.index(of: ids[1]) == 2)
        #expect(controller.objectID(at: 3) == nil && controller.count == 3)
        controller.stop()
        try edit(fixture) { try $0.get(ids[1])["age"] = .int(99) }
        #expect(controller.count == 3)
        try controller.performFetch()
        #expect(controller.count == 2)
    }

    @Test func whatDoesNotFitTheModelIsRefused() throws {
        let fixture = try Fixture.league()
        var request = FetchRequest(entity: try fixture.entity("Person"))
        request.predicate = try Predicate(format: "agee > 1")
        #expect(throws: PredicateError.self) {
            _ = try FetchedResultsController(request, coordinator: fixture.coordinator)
        }
        request.predicate = nil
        #expect(throws: PredicateError.self) {
            _ = try FetchedResultsController(
                request, sectionNameKeyPath: "friends", coordinator: fixture.coordinator)
        }
    }
}

/// Counts the rows that it reads.
private final class RowCountingReader: ForwardingReader {
    let base: any StoreReader
    private(set) var rows = 0

    init(_ base: any StoreReader) { self.base = base }

    private func counted<Row>(_ found: [Row]) -> [Row] {
        rows += found.count
        return found
    }

    func snapshots(root: Int, keys: [Int64]) throws(StoreError) -> [Snapshot] {
        counted(try base.snapshots(root: root, keys: keys))
    }

    func snapshot(_ id: ObjectID) throws(StoreError) -> Snapshot? {
        let found = try base.snapshot(id)
        rows += found == nil ? 0 : 1
        return found
    }

    func fetch(_ request: FetchRequest) throws(StoreError) -> [Snapshot] {
        counted(try base.fetch(request))
    }

    func fetchRows(_ request: FetchRequest) throws(StoreError) -> [[Value]] {
        counted(try base.fetchRows(request))
    }

    func memberSnapshots(
        of relationship: Relationship, owners: [Int64]
    ) throws(StoreError) -> [(owner: Int64, member: Snapshot)] {
        counted(try base.memberSnapshots(of: relationship, owners: owners))
    }
}
