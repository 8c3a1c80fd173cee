// Composite attributes: in it each attribute is a value of its own, on every store.

import SteleModel
import StelePersistence
import StelePredicates
import Testing

@testable import SteleGraph

@Suite struct CompositeAttributeTests {
    static func attribute(
        _ name: String, _ type: AttributeType,
        _ more: (inout AttributeDescription) -> Void = { _ in }
    ) -> AttributeDescription {
        var made = AttributeDescription(name: name, type: type)
        made.isOptional = true
        more(&made)
        return made
    }

    static func model() throws -> Model {
        var place = CompositeDescription(name: "Place")
        place.attributes = [
            attribute("latitude", .double) { $0.minimum = .double(-90) },
            attribute("longitude", .double) { $0.isOptional = false },
        ]
        var address = CompositeDescription(name: "Address")
        address.attributes = [
            attribute("city", .string) { $0.isOptional = false },
            attribute("place", .composite) { $0.compositeName = "Place" },
            attribute("zip", .integer32) { $0.defaultValue = .null },
        ]
        var person = EntityMaker("Person")
        person.attribute("name", .string)
        person.attribute("home", .composite) { $0.compositeName = "Address" }
        person.toOne("boss", "Person", inverse: "staff")
        person.toMany("staff", "Person", inverse: "boss")
        var worker = EntityMaker("Worker", parent: "Person")
        worker.attribute("work", .composite) {
            $0.compositeName = "Address"
            $0.isOptional = false
        }
        var model = ManagedObjectModel(name: "Composites")
        model.composites = [place, address]
        model.entities = [person.entity, worker.entity]
        return try Model(model)
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
        var model = ManagedObjectModel(name: "Loop")
        var loop = CompositeDescription(name: "Loop")
        loop.attributes = [Self.attribute("again", .composite) { $0.compositeName = "Loop" }]
        model.composites = [loop]
        var maker = EntityMaker("A")
        maker.attribute("it", .composite) { $0.compositeName = "Loop" }
        model.entities = [maker.entity]
        #expect(throws: ModelErrors.self) { try Model(model) }

        // Ten in ten in ten, ten deep.
        model.composites = (0..<10).map { depth in
            var type = CompositeDescription(name: "T\(depth)")
            type.attributes = (0..<10).map { number in
                depth == 9
                    ? Self.attribute("x\(number)", .double)
                    : Self.attribute("x\(number)", .composite) {
                        $0.compositeName = "T\(depth + 1)"
                    }
            }
            return type
        }
        maker = EntityMaker("A")
        maker.attribute("it", .composite) { $0.compositeName = "T0" }
        model.entities = [maker.entity]
        let errors = #expect(throws: ModelErrors.self) { try Model(model) }
        #expect(errors?.description.contains("more than 1000 attributes") == true)
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
