// The in-memory store by itself: what it finds, and how it keeps what a reader sees.

import SteleModel
import StelePersistence
import StelePredicates
import Testing

@testable import SteleGraph

@Suite struct InMemoryStoreTests {
    let fixture: Fixture
    let person: Entity

    /// Two teams; Ann 30, Bo nil, Cy 20 of the first, Di 20 of the second.
    init() throws {
        fixture = try Fixture.league()
        person = try fixture.entity("Person")
        let teams = try fixture.insert("Team", count: 2)
        let context = fixture.context()
        for (name, age, team) in [("Ann", 30, 0), ("Bo", nil, 0), ("Cy", 20, 0), ("Di", 20, 1)] {
            let object = try context.insert(name == "Di" ? try fixture.entity("Employee") : person)
            object["name"] = .string(name)
            object["age"] = age.map { .int(Int64($0)) } ?? .null
            try object.set("team", try context.get(teams[team]))
        }
        try context.save()
    }

    private func names(_ change: (inout FetchRequest) throws -> Void) throws -> [String] {
        var request = FetchRequest(entity: person)
        try change(&request)
        return try fixture.context().fetch(request).compactMap { object in
            if case .string(let name) = object["name"] { name } else { nil }
        }
    }

    private func predicate(_ text: String) throws -> Predicate {
        try PredicateCheck(model: fixture.model, entity: person)
            .check(Predicate(format: text))
    }

    @Test func predicatesAreEvaluatedAcrossRelationships() throws {
        #expect(
            try names { $0.predicate = try predicate("team.name ENDSWITH '1' AND age != 30") }
                == ["Bo", "Cy"])
        #expect(
            try names { $0.predicate = try predicate("team.players.@count == 1") } == ["Di"])
    }

    @Test func nullsComeFirstAndTheOrderIsTotal() throws {
        let age = SortDescriptor(.key("age"))
        #expect(try names { $0.sortDescriptors = [age] } == ["Bo", "Cy", "Di", "Ann"])
        let down = SortDescriptor(.key("age"), ascending: false)
        #expect(try names { $0.sortDescriptors = [down] } == ["Ann", "Cy", "Di", "Bo"])
    }

    @Test func pagesFollowEachOther() throws {
        var request = FetchRequest(entity: person)
        request.sortDescriptors = [SortDescriptor(.key("age"))]
        let reader = try fixture.store.reader()
        defer { reader.close() }
        let all = try reader.fetch(request)
        request.after = try reader.position(of: all[1].key, in: request)
        #expect(try reader.fetch(request).map(\.key) == all[2...].map(\.key))
        request.after = nil
        request.fetchOffset = 1
        request.fetchLimit = 2
        #expect(try reader.fetch(request).map(\.key) == all[1...2].map(\.key))
        #expect(try reader.count(request) == 2)
    }

    @Test func subentitiesAreLeftOutWhenAsked() throws {
        #expect(try names { $0.includesSubentities = false } == ["Ann", "Bo", "Cy"])
    }

    @Test func rowsAreGroupedCountedAndFiltered() throws {
        var request = FetchRequest(entity: person)
        let team = Expression.key("team", "name")
        request.propertiesToFetch = [
            ExpressionDescription(name: "team", expression: team),
            ExpressionDescription(name: "heads", expression: .function("count:", [])),
        ]
        request.propertiesToGroupBy = [team]
        let reader = try fixture.store.reader()
        defer { reader.close() }
        #expect(
            try reader.fetchRows(request) == [
                [.string("Team 1"), .int(3)], [.string("Team 2"), .int(1)],
            ])
    }

    @Test func aReaderSeesNothingThatIsSavedLater() throws {
        let reader = try fixture.store.reader()
        let token = try reader.token
        _ = try fixture.insert("Person")
        #expect(try reader.token == token)
        #expect(try reader.count(FetchRequest(entity: person)) == 4)
        reader.close()
        #expect(throws: StoreError.self) { try reader.token }
    }

    @Test func historyIsGivenAfterATokenWithOrWithoutValues() throws {
        _ = try fixture.insert("Tag", count: 2)
        let reader = try fixture.store.reader()
        defer { reader.close() }
        let all = try reader.history(after: 0, limit: 10, values: false)
        #expect(all.map(\.number) == [1, 2, 3])
        #expect(all.allSatisfy { $0.changes.allSatisfy { $0.snapshot == nil } })
        let last = try reader.history(after: 2, limit: 10, values: true)
        #expect(last.count == 1 && last[0].changes.allSatisfy { $0.snapshot != nil })
        #expect(try reader.oldestTransaction() == 1)
    }

    @Test func aClosedStoreSaysSo() throws {
        fixture.store.close()
        #expect(throws: StoreError.self) { try fixture.store.reader() }
        #expect(throws: StoreError.self) { try fixture.store.save(SaveRequest(readToken: 0)) }
    }
}
