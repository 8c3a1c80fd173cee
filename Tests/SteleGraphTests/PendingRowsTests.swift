// Rows, positions and what else a context that is kept for others is asked, with what is unsaved.

import SteleModel
import StelePersistence
import StelePredicates
import TestSupport
import Testing

@testable import SteleGraph

@Suite struct PendingRowsTests {
    /// A request for columns, grouped where asked.
    private func request(
        _ fixture: Fixture, _ columns: [String], by group: String? = nil, sort: String? = nil,
        having: String? = nil
    ) throws -> FetchRequest {
        var request = FetchRequest(entity: try fixture.entity("Person"))
        var check = PredicateCheck(model: fixture.model, entity: request.entity)
        check.allowsRowAggregates = true
        request.propertiesToFetch = try columns.map {
            ExpressionDescription(name: $0, expression: try check.check(Expression(format: $0)).0)
        }
        request.propertiesToGroupBy =
            try group.map { [try check.check(Expression(format: $0)).0] } ?? []
        request.havingPredicate = try having.map { try check.check(Predicate(format: $0)) }
        request.sortDescriptors = try sort.map { try SortList($0).checked(by: check) } ?? []
        return request
    }

    /// Six people of ages 10 to 60, the odd ones in a team.
    private func people(_ fixture: Fixture) throws -> [ObjectID] {
        let context = fixture.context()
        let team = try context.insert(try fixture.entity("Team"))
        team["name"] = .string("Crew")
        let made = try (1...6).map { number in
            let person = try context.insert(try fixture.entity("Person"))
            person["name"] = .string("P\(number)")
            person["age"] = .int(Int64(number * 10))
            if number % 2 == 1 { try person.set("team", team) }
            return person
        }
        try context.save()
        return made.map(\.objectID)
    }

    @Test(arguments: StoreKind.allCases)
    func rowsAreTheSameBeforeTheSaveAndAfterIt(_ kind: StoreKind) throws {
        let fixture = try Fixture(try makeLeague(), kind)
        let ids = try people(fixture)
        let context = fixture.coordinator.newContext()
        let new = try context.insert(try fixture.entity("Person"))
        new["age"] = .int(25)
        try context.get(ids[0]).set("team", nil)
        try context.delete(try context.get(ids[1]))
        try context.get(ids[2])["age"] = .int(60)
        var distinct = try request(fixture, ["age"], sort: "-age")
        distinct.returnsDistinctResults = true
        let requests = [
            try request(fixture, ["name", "age", "team.name"], sort: "age,name"),
            try request(fixture, ["count()", "sum(age)", "max(age)"]),
            try request(
                fixture, ["team.name", "count()", "sum(age)"], by: "team.name", sort: "team.name"),
            try request(
                fixture, ["team.name", "count()"], by: "team.name", sort: "team.name",
                having: "count() > 2"),
            distinct,
        ]
        let saved = try requests.map { try context.rows($0) }
        let pending = try requests.map { try context.currentRows($0) }
        #expect(pending != saved)
        // A child without changes is asked for what its parent has.
        let child = ManagedObjectContext(parent: context)
        #expect(try requests.map { try child.currentRows($0) } == pending)
        try context.save()
        #expect(try requests.map { try context.rows($0) } == pending)
        #expect(try requests.map { try context.currentRows($0) } == pending)
    }

    @Test(arguments: StoreKind.allCases)
    func aPageGoesOnBehindAnObjectThatIsNotSaved(_ kind: StoreKind) throws {
        let fixture = try Fixture(try makeLeague(), kind)
        _ = try people(fixture)
        let context = fixture.coordinator.newContext()
        let new = try context.insert(try fixture.entity("Person"))
        new["age"] = .int(25)
        for sort in ["age", "-age"] {
            var request = try request(fixture, [], sort: sort)
            let all = try context.fetch(request).map(\.objectID)
            request.after = try context.position(of: new.objectID.key, in: request)
            let rest = try context.fetch(request).map(\.objectID)
            #expect(rest == Array(all.drop { $0 != new.objectID }.dropFirst()), "\(sort)")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func whatIsEvaluatedInMemoryIsBounded(_ kind: StoreKind) throws {
        let fixture = try Fixture(try makeLeague(), kind)
        let ids = try people(fixture)
        let context = fixture.coordinator.newContext()
        context.evaluationLimit = 5
        let sum = try request(fixture, ["sum(age)"])
        #expect(try context.currentRows(sum) == [[.int(210)]], "the store's, without changes")
        try context.get(ids[0])["age"] = .int(11)
        #expect(throws: ContextError.tooManyObjects(limit: 5)) { try context.currentRows(sum) }
        #expect(ManagedObjectContext(parent: context).evaluationLimit == 5)
        context.evaluationLimit = 6
        #expect(try context.currentRows(sum) == [[.int(211)]])
    }

    @Test(arguments: StoreKind.allCases)
    func aPushAsksNobodyWhetherItIsValid(_ kind: StoreKind) throws {
        let fixture = try Fixture(
            try makeModel([
                EntityMaker("Thing").attribute("name", .string) { $0.isOptional = false }
            ]),
            kind)
        let parent = fixture.coordinator.newContext()
        parent.undoManager = UndoManager()
        let child = ManagedObjectContext(parent: parent)
        _ = try child.insert(try fixture.entity("Thing"))
        #expect(throws: ValidationErrors.self) { try child.save() }
        #expect(parent.insertedObjects.isEmpty)
        try child.pushToParent()
        #expect(!child.hasChanges && parent.insertedObjects.count == 1)
        #expect(throws: ValidationErrors.self) { try parent.save() }
        try parent.undo()
        #expect(!parent.hasChanges, "all of it is one step")
    }

    @Test(arguments: StoreKind.allCases)
    func whatIsUnsavedIsTold(_ kind: StoreKind) throws {
        let fixture = try Fixture(try makeLeague(), kind)
        let ids = try people(fixture)
        let context = fixture.coordinator.newContext()
        let crew = try context.insert(try fixture.entity("Team"))
        let bo = try context.get(ids[1])
        try bo.set("team", crew)
        try context.delete(try context.get(ids[3]))
        try context.processPendingChanges()
        #expect(context.insertedObjects.map(\.objectID) == [crew.objectID])
        #expect(try context.updatedObjects().map(\.objectID) == [bo.objectID])
        #expect(context.deletedObjects.map(\.objectID) == [ids[3]])
        #expect(context.unsavedObjectCount == 3)
        // The owner of members that have changed is not read, and told all the same.
        let ann = try context.get(ids[0])
        let team = try #require(try ann.get("team"))
        try ann.set("team", nil)
        let updated = Set(try context.updatedObjects().map(\.objectID))
        #expect(updated == [bo.objectID, ann.objectID, team.objectID])
    }
}
