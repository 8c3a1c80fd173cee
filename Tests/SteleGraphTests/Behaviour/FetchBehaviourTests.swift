// Fetches as Core Data documents them, on every store.

import SteleModel
import StelePersistence
import StelePredicates
import TestSupport
import Testing

@testable import SteleGraph

@Suite struct FetchBehaviourTests {
    /// Ann 30 and Bo 20 of the first of two teams, Cy, an employee, without age or team.
    private func people(
        _ kind: StoreKind, isCounting: Bool = false
    ) throws -> (Fixture, [ObjectID]) {
        let fixture = try Fixture(
            try makeLeague(), kind, rowCacheBytes: isCounting ? 0 : 1 << 20, isCounting: isCounting)
        let teams = try fixture.insert("Team", count: 2)
        let context = fixture.context()
        let made = try [("Ann", "Person", 30), ("Bo", "Person", 20), ("Cy", "Employee", nil)].map {
            (name: String, entity: String, age: Int64?) in
            let person = try context.insert(try fixture.entity(entity))
            person["name"] = .string(name)
            person["age"] = age.map { .int($0) } ?? .null
            if age != nil { try person.set("team", try context.get(teams[0])) }
            return person
        }
        try context.save()
        return (fixture, made.map(\.objectID))
    }

    private func column(_ format: String, as name: String? = nil) throws -> ExpressionDescription {
        ExpressionDescription(name: name ?? format, expression: try Expression(format: format))
    }

    @Test(arguments: StoreKind.allCases)
    func noPredicateIsEveryObjectWithSubentities(_ kind: StoreKind) throws {
        let (fixture, ids) = try people(kind)
        let context = fixture.context()
        var request = FetchRequest(entity: try fixture.entity("Person"))
        #expect(request.predicate == nil && request.sortDescriptors.isEmpty)
        #expect(request.includesSubentities && request.includesPendingChanges)
        #expect(!request.shouldRefreshRefetchedObjects && !request.returnsDistinctResults)
        #expect(request.fetchLimit == nil && request.fetchOffset == 0)
        let all = try context.fetch(request)
        #expect(all.map(\.objectID) == ids)
        #expect(all.map(\.entity.name) == ["Person", "Person", "Employee"])
        request.includesSubentities = false
        #expect(try context.fetch(request).map(\.objectID) == Array(ids.prefix(2)))
        #expect(
            try context.fetch(FetchRequest(entity: try fixture.entity("Employee"))).map(\.objectID)
                == [ids[2]])
    }

    @Test(arguments: StoreKind.allCases)
    func aChoiceOfTwoBooleansIsOne(_ kind: StoreKind) throws {
        let fixture = try Fixture(
            try makeModel([
                EntityMaker("Lamp").attribute("isOn", .boolean)
                    .attribute("watts", .integer16)
            ]), kind)
        let context = fixture.coordinator.newContext()
        for (isOn, watts) in [(Value.bool(true), 5), (.bool(false), 9), (.null, 7)] {
            let lamp = try context.insert(try fixture.entity("Lamp"))
            lamp["isOn"] = isOn
            lamp["watts"] = .int(Int64(watts))
        }
        try context.save()
        var request = FetchRequest(entity: try fixture.entity("Lamp"))
        let check = PredicateCheck(model: fixture.model, entity: request.entity)
        request.propertiesToFetch = try [
            "TERNARY(watts > 6, YES, NO)", "TERNARY(watts > 6, isOn, YES)",
            "TERNARY(watts > 6, nil, NO)",
            "TERNARY(watts > 6, TERNARY(isOn == YES, NO, YES), isOn)",
            "TERNARY(watts > 6, YES, 2)", "TERNARY(watts > 6, watts, isOn)",
        ].map {
            ExpressionDescription(name: $0, expression: try check.check(Expression(format: $0)).0)
        }
        let expected: [[Value]] = [
            [.bool(false), .bool(true), .bool(false), .bool(true), .int(2), .int(1)],
            [.bool(true), .bool(false), .null, .bool(true), .int(1), .int(9)],
            [.bool(true), .null, .null, .bool(true), .int(1), .int(7)],
        ]
        let rows = try context.rows(request)
        #expect(rows == expected, "\(rows)")
        try context.insert(request.entity)["watts"] = .int(1)
        #expect(try context.currentRows(request).dropLast() == expected[...])
        for (text, count) in [
            ("TERNARY(watts > 6, YES, NO) == YES", 2), ("TERNARY(watts > 6, isOn, YES) == 1", 1),
            ("TERNARY(watts > 6, YES, NO) + 1 == 2", 2),
        ] {
            var counted = FetchRequest(entity: request.entity)
            counted.predicate = try check.check(Predicate(format: text))
            counted.includesPendingChanges = false
            #expect(try context.count(counted) == count, "\(text)")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func objectsIdentitiesRowsAndCountsAreOfTheSame(_ kind: StoreKind) throws {
        let (fixture, ids) = try people(kind)
        let context = fixture.context()
        var request = try fixture.request("Person", "age != nil", sort: "-age")
        #expect(try context.fetch(request).map(\.objectID) == [ids[0], ids[1]])
        #expect(try context.fetchIDs(request) == [ids[0], ids[1]])
        #expect(try context.count(request) == 2)
        request.propertiesToFetch = [try column("name"), try column("age")]
        let rows: [[Value]] = [[.string("Ann"), .int(30)], [.string("Bo"), .int(20)]]
        #expect(try context.rows(request) == rows)
        #expect(try context.count(request) == 2)
    }

    @Test(arguments: StoreKind.allCases)
    func limitAndOffsetComeAfterTheOrderAndCount(_ kind: StoreKind) throws {
        let (fixture, ids) = try people(kind)
        let context = fixture.context()
        var request = try fixture.request("Person", sort: "-name")
        request.fetchOffset = 1
        request.fetchLimit = 1
        #expect(try context.fetch(request).map(\.objectID) == [ids[1]])
        #expect(try context.count(request) == 1)
        request.fetchOffset = 2
        request.fetchLimit = 5
        #expect(try context.fetch(request).map(\.objectID) == [ids[0]])
        #expect(try context.count(request) == 1)
        request.fetchOffset = 9
        #expect(try context.fetch(request).isEmpty)
        #expect(try context.count(request) == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func theGreatestLimitIsAnyLimit(_ kind: StoreKind) throws {
        let (fixture, ids) = try people(kind)
        let context = fixture.context()
        try context.get(ids[0])["name"] = .string("Zoe")
        var request = try fixture.request("Person", sort: "name")
        (request.fetchLimit, request.fetchOffset) = (.max, 1)
        #expect(try context.fetch(request).map(\.objectID) == [ids[2], ids[0]])
        #expect(try context.count(request) == 2)
    }

    @Test(arguments: StoreKind.allCases)
    func nullsComeFirstAscendingAndLastDescending(_ kind: StoreKind) throws {
        let (fixture, ids) = try people(kind)
        let context = fixture.context()
        let up = try context.fetch(try fixture.request("Person", sort: "age"))
        #expect(up.map(\.objectID) == [ids[2], ids[1], ids[0]])
        let down = try context.fetch(try fixture.request("Person", sort: "-age"))
        #expect(down.map(\.objectID) == [ids[0], ids[1], ids[2]])
        // Unsaved changes stand where they would stand saved.
        up[2]["age"] = .null
        #expect(
            try context.fetch(try fixture.request("Person", sort: "age")).map(\.objectID)
                == [ids[0], ids[2], ids[1]])
    }

    @Test(arguments: StoreKind.allCases)
    func rowsAreOfWhatIsSaved(_ kind: StoreKind) throws {
        let (fixture, ids) = try people(kind)
        let context = fixture.context()
        try context.get(ids[0])["name"] = .string("Unsaved")
        try context.insert(try fixture.entity("Person"))["name"] = .string("New")
        try context.delete(try context.get(ids[1]))
        var request = try fixture.request("Person", sort: "name")
        request.propertiesToFetch = [try column("name")]
        #expect(try context.rows(request) == [[.string("Ann")], [.string("Bo")], [.string("Cy")]])
        #expect(try context.fetch(try fixture.request("Person", sort: "name")).count == 3)
    }

    @Test(arguments: StoreKind.allCases)
    func aToOneColumnIsAnIdentityAndAPathItsValue(_ kind: StoreKind) throws {
        let (fixture, _) = try people(kind)
        var request = try fixture.request("Person", sort: "name")
        request.propertiesToFetch = [try column("team"), try column("team.name")]
        #expect(
            try fixture.context().rows(request) == [
                [.key(1), .string("Team 1")], [.key(1), .string("Team 1")], [.null, .null],
            ])
    }

    @Test(arguments: StoreKind.allCases)
    func aggregatesAreOfAllRowsOrOfEachGroup(_ kind: StoreKind) throws {
        let (fixture, _) = try people(kind)
        let context = fixture.context()
        var request = FetchRequest(entity: try fixture.entity("Person"))
        request.propertiesToFetch = try [
            "count()", "sum(age)", "min(age)", "max(age)", "average(age)",
        ].map { try column($0) }
        #expect(
            try context.rows(request) == [[.int(3), .int(50), .int(20), .int(30), .double(25)]])
        request.propertiesToFetch = [try column("team"), try column("count()")]
        request.propertiesToGroupBy = [.key("team")]
        #expect(try context.rows(request) == [[.null, .int(1)], [.key(1), .int(2)]])
        // Conditions on groups work, where Core Data's throw.
        request.havingPredicate = try Predicate(format: "count() > 1")
        #expect(try context.rows(request) == [[.key(1), .int(2)]])
        request.havingPredicate = nil
        request.propertiesToFetch.append(try column("name"))
        #expect(throws: (any Error).self) { try context.rows(request) }
    }

    @Test(arguments: StoreKind.allCases)
    func distinctRowsStandOnce(_ kind: StoreKind) throws {
        let (fixture, _) = try people(kind)
        let context = fixture.context()
        var request = try fixture.request("Person", sort: "team.name")
        request.propertiesToFetch = [try column("team.name")]
        #expect(try context.rows(request).count == 3)
        request.returnsDistinctResults = true
        #expect(try context.rows(request) == [[.null], [.string("Team 1")]])
    }

    @Test(arguments: StoreKind.allCases)
    func objectsKeepTheirValuesUnlessTheyAreToBeRefreshed(_ kind: StoreKind) throws {
        let (fixture, ids) = try people(kind)
        let context = fixture.coordinator.newContext(retainsRegisteredObjects: true)
        let (ann, bo) = (try context.get(ids[0]), try context.get(ids[1]))
        bo["age"] = .int(21)
        try fixture.change { other in
            try other.get(ids[0])["name"] = .string("Anna")
            try other.get(ids[1])["name"] = .string("Bob")
        }
        var request = try fixture.request("Person", sort: "age")
        _ = try context.fetch(request)
        #expect(ann["name"] == .string("Ann") && bo["name"] == .string("Bo"))
        request.shouldRefreshRefetchedObjects = true
        _ = try context.fetch(request)
        #expect(ann["name"] == .string("Anna") && bo["name"] == .string("Bob"))
        #expect(bo["age"] == .int(21) && bo.version == 2)
        try context.save()
        #expect(try fixture.stored("Person", "name", of: ids[1]) == .string("Bob"))
    }

    @Test(arguments: StoreKind.allCases)
    func fetchedObjectsHaveTheirValues(_ kind: StoreKind) throws {
        let (fixture, _) = try people(kind, isCounting: true)
        let store = try #require(fixture.counter)
        let context = fixture.coordinator.newContext()
        var all: [ManagedObject] = []
        try store.expect(queries: 1) { all = try context.fetch(try fixture.request("Person")) }
        #expect(all.allSatisfy { !$0.isFault })
        store.expect(queries: 0) { #expect(all.allSatisfy { $0["name"] != .null }) }
    }

    @Test(arguments: StoreKind.allCases)
    func whatIsDeletedHereIsNotFound(_ kind: StoreKind) throws {
        let (fixture, ids) = try people(kind)
        let context = fixture.coordinator.newContext()
        let ann = try context.get(ids[0])
        try context.delete(ann)
        var request = try fixture.request("Person")
        #expect(try context.fetchIDs(request) == [ids[1], ids[2]])
        request.includesPendingChanges = false
        #expect(try context.fetchIDs(request) == ids)
        #expect(try context.fetch(request).first === ann)
        context.rollback()
        request.includesPendingChanges = true
        #expect(try context.fetchIDs(request) == ids)
    }

    @Test(arguments: StoreKind.allCases)
    func aFetchAppliesDeleteRulesFirst(_ kind: StoreKind) throws {
        let (fixture, ids) = try people(kind)
        let context = fixture.coordinator.newContext()
        let team = try #require(try context.get(ids[0]).get("team"))
        try context.delete(team)
        let homeless = try fixture.request("Person", "team == nil", sort: "name")
        #expect(try context.fetchIDs(homeless) == ids)
    }

    @Test(arguments: StoreKind.allCases)
    func aPredicateOnAnIdentityFindsNewObjects(_ kind: StoreKind) throws {
        let (fixture, ids) = try people(kind)
        let context = fixture.coordinator.newContext()
        let team = try context.insert(try fixture.entity("Team"))
        let ann = try context.get(ids[0])
        try ann.set("team", team)
        var request = FetchRequest(entity: try fixture.entity("Person"))
        request.predicate = .comparison(
            Comparison(.key("team"), .equal, .constant(.key(team.objectID.key))))
        #expect(try context.fetch(request).map(\.objectID) == [ids[0]])
    }

    @Test(arguments: StoreKind.allCases)
    func anAbstractEntitysFetchGivesItsSubentities(_ kind: StoreKind) throws {
        let fixture = try Fixture(
            try makeModel([
                EntityMaker("Shape", isAbstract: true).attribute("name", .string),
                EntityMaker("Circle", parent: "Shape").attribute("radius", .double),
                EntityMaker("Square", parent: "Shape").attribute("side", .double),
            ]), kind)
        _ = try fixture.insert("Circle")
        _ = try fixture.insert("Square")
        let all = try fixture.context().fetch(try fixture.request("Shape", sort: "name"))
        #expect(all.map(\.entity.name) == ["Circle", "Square"])
        #expect(Set(all.map(\.objectID)).count == 2)
        #expect(throws: ContextError.abstractEntity("Shape")) {
            try fixture.context().insert(try fixture.entity("Shape"))
        }
    }
}
