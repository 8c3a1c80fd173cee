// Values that no attribute can have, transformers that refuse, keys that do not fit: an error each.

import SteleModel
import StelePersistence
import StelePredicates
import SteleTransformers
import TestSupport
import Testing

@testable import SteleGraph

@Suite struct BadValueTests {
    @Test(arguments: StoreKind.allCases)
    func aValueOfAnotherTypeIs1550AndNamesBoth(_ kind: StoreKind) throws {
        let types: [(String, AttributeType, Value)] = [
            ("i", .integer32, .string("5")), ("s", .string, .int(5)), ("d", .date, .double(1)),
            ("b", .boolean, .int(1)), ("x", .double, .decimal(1)), ("m", .decimal, .double(1)),
            ("u", .uuid, .string("x")), ("y", .binary, .string("x")), ("l", .uri, .data([1])),
            ("t", .transformable, .string("{}")), ("k", .integer64, .key(1)),
        ]
        let fixture = try Fixture(
            try makeModel([
                types.reduce(EntityMaker("Thing")) { $0.attribute($1.0, $1.1) }
            ]), kind)
        let context = fixture.coordinator.newContext(retainsRegisteredObjects: true)
        let thing = try context.insert(try fixture.entity("Thing"))
        try context.save()
        for (name, _, value) in types {
            thing[name] = value
            let errors = try fixture.refused(ValidationErrors.self) { try context.save() }
            #expect(errors?.errors.map(\.code) == [1550], "\(name)")
            #expect(errors?.errors.first?.property == name)
            #expect(errors?.errors.first?.detail.hasPrefix("\(name) of Thing") == true)
            thing[name] = .null
        }
        thing["x"] = .double(.nan)
        #expect(try codes { try context.save() } == [1550])
        thing["x"] = .double(1)
        try context.save()
        #expect(try fixture.version("Thing", thing.objectID.key) == 2)
    }

    @Test(arguments: StoreKind.allCases)
    func aDateWithoutEndIs1650(_ kind: StoreKind) throws {
        let fixture = try Fixture(
            try makeModel([EntityMaker("Event").attribute("at", .date)]), kind)
        let context = fixture.coordinator.newContext(retainsRegisteredObjects: true)
        let event = try context.insert(try fixture.entity("Event"))
        for seconds in [Double.infinity, -.infinity, .nan, 3e18, -1e300] {
            event["at"] = .date(seconds)
            let errors = try fixture.refused(ValidationErrors.self) { try context.save() }
            #expect(errors?.errors.map(\.code) == [1650])
            #expect(errors?.name == "NSValidationInvalidDateError")
        }
        event["at"] = .date(-1e12)
        try context.save()
        #expect(try fixture.stored("Event", "at", of: event.objectID) == .date(-1e12))
    }

    private struct Grumpy: ValueTransformer {
        func stored(_ json: [UInt8]) throws(TransformationError) -> [UInt8] {
            if json.count > 12 { throw TransformationError("is longer than 12 bytes") }
            return json.reversed()
        }
        func value(_ stored: [UInt8]) throws(TransformationError) -> [UInt8] {
            if stored.first == 0 { throw TransformationError("was not written by Grumpy") }
            return stored.reversed()
        }
    }

    private func secrets(_ transformer: String, _ kind: StoreKind) throws -> Fixture {
        try Fixture(
            try makeModel([
                EntityMaker("Safe").attribute("name", .string)
                    .attribute("secret", .transformable) { $0.valueTransformerName = transformer }
            ]), kind)
    }

    @Test(arguments: StoreKind.allCases)
    func aTransformerThatThrowsChangesNothing(_ kind: StoreKind) throws {
        ValueTransformers.setValueTransformer(Grumpy(), forName: "Grumpy")
        let fixture = try secrets("Grumpy", kind)
        let context = fixture.coordinator.newContext(retainsRegisteredObjects: true)
        let safe = try context.insert(try fixture.entity("Safe"))
        try safe.setTransformable(["short"] as [String]?, forKey: "secret")
        try context.save()
        let long = ["much longer than that"] as [String]?
        let error = #expect(throws: TypedObjectError.self) {
            try safe.setTransformable(long, forKey: "secret")
        }
        #expect(error?.description == "Safe.secret: is longer than 12 bytes")
        #expect(!context.hasChanges)
        #expect(try safe.transformable(forKey: "secret") == ["short"])
        // Bytes of somebody else's are an error to who reads them, and to nobody else.
        let secret = try #require(safe.entity.attribute(named: "secret"))
        safe.setValue(.data([0, 1]), for: secret)
        try context.save()
        let unread = #expect(throws: TypedObjectError.self) {
            let _: [String]? = try safe.transformable(forKey: "secret")
        }
        #expect(unread?.description == "Safe.secret: was not written by Grumpy")
        safe["name"] = .string("still")
        try context.save()
        try safe.setTransformable(["new"] as [String]?, forKey: "secret")
        try context.save()
        let none = try secrets("Nobody", .memory)
        let unknown = try none.context().insert(try none.entity("Safe"))
        #expect(throws: TypedObjectError.self) {
            try unknown.setTransformable(["x"] as [String]?, forKey: "secret")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aWrongKeyReadsNothingAndWritesOverNothing(_ kind: StoreKind) throws {
        let name = "BadInputKey-\(kind)"
        func use(_ digit: Character) throws {
            ValueTransformers.setValueTransformer(
                try AESGCMTransformer(key: String(repeating: digit, count: 64)), forName: name)
        }
        try use("1")
        let fixture = try secrets(name, kind)
        let first = fixture.coordinator.newContext()
        let made = try first.insert(try fixture.entity("Safe"))
        try made.setTransformable(["otters"] as [String]?, forKey: "secret")
        try first.save()
        let stored = try #require(try fixture.stored("Safe", "secret", of: made.objectID))
        try use("2")
        let token = try fixture.token()
        let context = fixture.coordinator.newContext(retainsRegisteredObjects: true)
        let safe = try context.get(made.objectID)
        for work in [
            { let _: [String]? = try safe.transformable(forKey: "secret") },
            { try safe.setTransformable(["weasels"] as [String]?, forKey: "secret") },
            { try safe.setTransformable(nil as [String]?, forKey: "secret") },
        ] {
            let error = #expect(throws: TypedObjectError.self) { try work() }
            #expect(error?.description.contains("Safe.secret: cannot be decrypted") == true)
            #expect(error?.description.contains("222") == false)
        }
        #expect(!context.hasChanges)
        try context.save()
        #expect(try fixture.token() == token)
        #expect(try fixture.stored("Safe", "secret", of: made.objectID) == stored)
        // All else goes on, and the right key still reads it.
        safe["name"] = .string("blue")
        try context.save()
        try use("1")
        #expect(try safe.transformable(forKey: "secret") == ["otters"])
        // To give it up as it is needs no key.
        try use("2")
        safe["secret"] = .null
        try context.save()
        #expect(try fixture.stored("Safe", "secret", of: made.objectID) == .null)
    }

    @Test(arguments: StoreKind.allCases)
    func encryptedValuesAreNotToldApart(_ kind: StoreKind) throws {
        let name = "UnorderedKey-\(kind)"
        ValueTransformers.setValueTransformer(
            try AESGCMTransformer(key: String(repeating: "3", count: 64)), forName: name)
        let fixture = try secrets(name, kind)
        let context = fixture.coordinator.newContext()
        for _ in 0..<2 {
            try context.insert(try fixture.entity("Safe")).setTransformable(
                ["k": 1, "a": 2], forKey: "secret")
        }
        try context.save()
        let token = try fixture.token()
        let safe = try context.get(ObjectID(root: 0, key: 1))
        try safe.setTransformable(["a": 2, "k": 1], forKey: "secret")
        #expect(!context.hasChanges)
        try context.save()
        #expect(try fixture.token() == token)

        let secret = Expression.key("secret")
        let column = ExpressionDescription(name: "s", expression: secret)
        let count = ExpressionDescription(name: "n", expression: .function("count:", []))
        var request = FetchRequest(entity: try fixture.entity("Safe"))
        request.sortDescriptors = [SortDescriptor(secret)]
        var grouped = FetchRequest(entity: request.entity)
        grouped.propertiesToFetch = [count]
        grouped.propertiesToGroupBy = [secret]
        var distinct = FetchRequest(entity: request.entity)
        distinct.propertiesToFetch = [column]
        distinct.returnsDistinctResults = true
        for work in [
            { _ = try context.fetch(request) }, { _ = try context.rows(grouped) },
            { _ = try context.rows(distinct) }, { _ = try context.currentRows(distinct) },
            {
                _ = try FetchedResultsController(
                    FetchRequest(entity: request.entity), sectionNameKeyPath: "secret",
                    coordinator: fixture.coordinator)
            },
        ] {
            let error = #expect(throws: (any Error).self) { try work() }
            #expect("\(error as Any)".contains("encrypted"), "\(error as Any)")
        }
        distinct.returnsDistinctResults = false
        #expect(try context.rows(distinct).count == 2)
    }
}
