// Composite attributes: in it each attribute is a value of its own, on every store.

import SteleModel
import StelePersistence
import StelePredicates
import TestSupport
import Testing

@testable import SteleGraph

@Suite struct CompositeAttributeTests {
    static func model() throws -> Model {
        let place = CompositeDescription(
            "Place",
            [
                .init(optional: "latitude", .double) { $0.minimum = .double(-90) },
                .init(optional: "longitude", .double) { $0.isOptional = false },
            ])
        let address = CompositeDescription(
            "Address",
            [
                .init(optional: "city", .string) { $0.isOptional = false },
                .init(optional: "place", .composite) { $0.compositeName = "Place" },
                .init(optional: "zip", .integer32) { $0.defaultValue = .null },
            ])
        let person = EntityMaker("Person").attribute("name", .string)
            .attribute("home", .composite) { $0.compositeName = "Address" }
            .toOne("boss", "Person", inverse: "staff")
            .toMany("staff", "Person", inverse: "boss")
        let worker = EntityMaker("Worker", parent: "Person").attribute("work", .composite) {
            $0.compositeName = "Address"
            $0.isOptional = false
        }
        return try makeModel([person, worker], composites: [place, address])
    }

    @Test func slotsAndNamesAreThoseOfWhatIsInIt() throws {
        let model = try Self.model()
        let person = try #require(model.entity(named: "Person"))
        #expect(
            person.slots.map(\.name) == [
                "name", "home.city", "home.place.latitude", "home.place.longitude", "home.zip",
                "boss",
            ])
        for (slot, property) in person.slots.enumerated() {
            if case .attribute(let it) = property { #expect(it.slot == slot) }
            if case .relationship(let it) = property { #expect(it.slot == slot) }
        }
        let worker = try #require(model.entity(named: "Worker"))
        #expect(worker.slots.prefix(6).map(\.name) == person.slots.map(\.name))
        #expect(worker.attribute(named: "work.place.latitude")?.slot == 7)
        #expect(worker.attribute(named: "work.place")?.isComposite == true)
        #expect(worker.attribute(named: "work.street") == nil)
        #expect(model.unsupported().isEmpty)
    }

    @Test func byItsNameASingleValueIsRefusedWithAWayOut() throws {
        let fixture = Fixture(try Self.model())
        let context = fixture.context()
        let person = try context.insert(try fixture.entity("Person"))
        try person.setValue(.string("Rome"), forKey: "home.city")
        #expect(try person.value(forKey: "home.city") == .string("Rome"))
        let refused = ContextError.noSingleValue(
            entity: "Person", property: "home",
            instead: "name an attribute in it, such as home.city")
        #expect(throws: refused) { try person.value(forKey: "home") }
        #expect(throws: refused) { try person.setValue(.string("Rome"), forKey: "home") }
    }

    @Test func whatNeverEndsOrIsTooMuchIsAMistakeAndNoHang() throws {
        func make(_ name: String, _ composites: [CompositeDescription]) throws -> Model {
            try makeModel(
                [EntityMaker("A").attribute("it", .composite) { $0.compositeName = name }],
                composites: composites)
        }
        let loop = CompositeDescription(
            "Loop", [.init(optional: "again", .composite) { $0.compositeName = "Loop" }])
        #expect(throws: ModelErrors.self) { try make("Loop", [loop]) }

        // Ten in ten in ten, ten deep.
        let nested = (0..<10).map { depth in
            CompositeDescription(
                "T\(depth)",
                (0..<10).map { number in
                    .init(optional: "x\(number)", depth == 9 ? .double : .composite) {
                        if depth < 9 { $0.compositeName = "T\(depth + 1)" }
                    }
                })
        }
        let errors = #expect(throws: ModelErrors.self) { try make("T0", nested) }
        #expect(errors?.description.contains("more than 1000 attributes") == true)
    }

    /// One that the store has without any value, too.
    @Test func anOptionalCompositeWithAValueNeedsItsMandatoryOnes() throws {
        let fixture = Fixture(try Self.model())
        let context = fixture.context()
        let person = try context.insert(try fixture.entity("Person"))
        try context.save()
        person["home.zip"] = .int(155)
        #expect(throws: ValidationErrors.self) { try context.save() }
        person["home.city"] = .string("Rome")
        try context.save()
    }

    @Test(arguments: StoreKind.allCases)
    func valuesAreKeptAndLookedFor(_ kind: StoreKind) throws {
        let fixture = try Fixture(Self.model(), kind)
        let context = fixture.context()
        let person = try fixture.entity("Person")
        for (city, latitude) in [("Rome", 41.9), ("Oslo", 59.9), ("", nil)] {
            let one = try context.insert(person)
            if !city.isEmpty { one["home.city"] = .string(city) }
            if let latitude {
                one["home.place.latitude"] = .double(latitude)
                one["home.place.longitude"] = .double(10)
            }
            if city == "Oslo" { try one.set("boss", context.insertedObjects.first) }
        }
        try context.save()
        func keys(_ format: String) throws -> [Int64] {
            var request = FetchRequest(entity: person)
            let check = PredicateCheck(model: fixture.model, entity: person)
            request.predicate = try check.check(Predicate(format: format))
            // Checking it again changes nothing.
            #expect(try request.predicate == request.predicate.map { try check.check($0) })
            request.sortDescriptors = [
                SortDescriptor(.key("home.place.latitude"), ascending: false)
            ]
            return try context.snapshots(request).map(\.key)
        }
        #expect(try keys("home.city == 'Rome'") == [1])
        #expect(try keys("home.place.latitude > 0") == [2, 1])
        #expect(try keys("home == nil") == [3])
        #expect(try keys("home.place != nil") == [2, 1])
        #expect(try keys("boss.home.city BEGINSWITH 'R'") == [2])
        #expect(try keys("ANY staff.home.city == 'Oslo'") == [1])
        #expect(try keys("SUBQUERY(staff, $x, $x.home.place.latitude > 50).@count == 1") == [1])
        #expect(try keys("staff.home.place.latitude.@sum > 59") == [1])
        // Under ANY, ALL and NONE, and in a SUBQUERY, it is nil as on the object itself. Of Rome's
        // staff, Oslo has an address; the others have no staff.
        for (format, found) in [
            ("ANY staff.home == nil", []), ("ANY staff.home != nil", [1]),
            ("ALL staff.home != nil", [2, 1, 3]), ("ALL staff.home == nil", [2, 3]),
            ("NONE staff.home == nil", [2, 1, 3]), ("ANY staff.boss.home.place != nil", [1]),
            ("ANY boss.staff.home != nil", [2]), ("ANY boss.staff.home == nil", []),
            ("SUBQUERY(staff, $x, $x.home != nil).@count == 1", [1]),
            ("SUBQUERY(staff, $x, $x.boss.home == nil).@count == 0", [2, 1, 3]),
            ("SUBQUERY(staff, $x, ANY $x.boss.staff.home.place != nil).@count == 1", [1]),
            ("TERNARY(ANY staff.home != nil, 1, 0) == 1", [1]),
        ] as [(String, [Int64])] { #expect(try keys(format) == found, "\(format)") }
        for (format, word) in [
            ("home.town == 'x'", "town"), ("home == 'x'", "composite"), ("home.city.x == 1", "x"),
            ("home.place > 1", "composite"),
        ] {
            let error = #expect(throws: PredicateError.self) { try keys(format) }
            #expect(error?.description.contains(word) == true, "\(format)")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func itIsValidWholeOrNotThereAtAll(_ kind: StoreKind) throws {
        let fixture = try Fixture(Self.model(), kind)
        func errors(_ name: String, _ values: [String: Value]) throws -> [String?] {
            let context = fixture.context()
            let object = try context.insert(try fixture.entity(name))
            for (key, value) in values { object[key] = value }
            do { try context.save() } catch let errors as ValidationErrors {
                return errors.errors.map(\.property).sorted { ($0 ?? "") < ($1 ?? "") }
            }
            return []
        }
        let city = Value.string("Rome")
        #expect(try errors("Person", [:]).isEmpty)
        #expect(try errors("Person", ["home.city": city]).isEmpty)
        #expect(try errors("Person", ["home.zip": .int(1)]) == ["home.city"])
        #expect(
            try errors("Person", ["home.city": city, "home.place.latitude": .double(1)])
                == ["home.place.longitude"])
        #expect(
            try errors(
                "Person",
                [
                    "home.city": city, "home.place.latitude": .double(-91),
                    "home.place.longitude": .double(1),
                ]) == ["home.place.latitude"])
        #expect(try errors("Worker", ["work.city": city]).isEmpty)
        #expect(try errors("Worker", [:]).contains("work"))
    }

    @Test(arguments: StoreKind.allCases)
    func theHistoryHasEachByItsPath(_ kind: StoreKind) throws {
        let fixture = try Fixture(Self.model(), kind)
        let context = fixture.context()
        let person = try context.insert(try fixture.entity("Person"))
        person["home.city"] = .string("Rome")
        try context.save()
        person["home.city"] = .string("Oslo")
        try context.save()
        let slot = try #require(person.entity.attribute(named: "home.city")?.slot)
        let last = try #require(try fixture.lastSave().changes.first)
        #expect(last.before == [.slot(slot, .string("Rome"))])
        #expect(last.snapshot?.values[slot] == .string("Oslo"))
    }
}
