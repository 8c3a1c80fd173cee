// Each validation code, its bound on both sides, and its sentences.

import SteleModel
import StelePersistence
import TestSupport
import Testing

@testable import SteleGraph

@Suite struct ValidationTests {
    private func fixture(_ fill: (EntityMaker) -> EntityMaker) throws -> Fixture {
        Fixture(
            try makeModel([
                fill(EntityMaker("Account")),
                EntityMaker("Part").attribute("name", .string)
                    .toOne("account", "Account", inverse: "parts"),
            ]))
    }

    /// An Account with one attribute `x`; what validation says of a value.
    private func failure(
        _ type: AttributeType, _ value: Value, _ more: (inout AttributeDescription) -> Void
    ) throws -> ValidationError? {
        let fixture = try fixture {
            $0.attribute("x", type, more)
                .toMany("parts", "Part", inverse: "account")
        }
        let context = fixture.context()
        let object = try context.insert(try fixture.entity("Account"))
        object["x"] = value
        do {
            try context.save()
            return nil
        } catch let errors as ValidationErrors {
            #expect(errors.errors.count == 1)
            return errors.errors.first
        }
    }

    @Test func aMissingMandatoryValueIs1570() throws {
        let error = try #require(try failure(.string, .null) { $0.isOptional = false })
        #expect(error.code == 1570)
        #expect(error.name == "NSValidationMissingMandatoryPropertyError")
        #expect(error.property == "x" && error.key == -1)
        #expect(error.message == "x must have a value")
        #expect(error.detail == "x of Account has no value, and the model asks for one")
        #expect(try failure(.string, .string("")) { $0.isOptional = false } == nil)
    }

    @Test func textIsMeasuredInUTF16Units() throws {
        let short = try #require(try failure(.string, .string("ab")) { $0.minimum = .int(3) })
        #expect(short.code == 1670 && short.limit == .int(3) && short.value == .string("ab"))
        #expect(short.message == "x must have at least 3 characters")
        #expect(
            short.detail
                == "x of Account is too short: 2 characters, and the model asks for at least 3")
        #expect(try failure(.string, .string("abc")) { $0.minimum = .int(3) } == nil)
        let long = try #require(try failure(.string, .string("abc")) { $0.maximum = .int(2) })
        #expect(long.code == 1660 && long.limit == .int(2))
        #expect(long.name == "NSValidationStringTooLongError")
        // One person, two UTF-16 units.
        #expect(try failure(.string, .string("🙂")) { $0.maximum = .int(1) }?.code == 1660)
        #expect(try failure(.string, .string("🙂")) { $0.maximum = .int(2) } == nil)
        #expect(try failure(.string, .null) { $0.minimum = .int(3) } == nil)
    }

    @Test(arguments: [
        (AttributeType.integer16, Int64(Int16.max)), (.integer32, Int64(Int32.max)),
    ])
    func integersKeepToTheirType(_ type: AttributeType, _ most: Int64) throws {
        #expect(try failure(type, .int(most)) { _ in } == nil)
        #expect(try failure(type, .int(-most - 1)) { _ in } == nil)
        let large = try #require(try failure(type, .int(most + 1)) { _ in })
        #expect(large.code == 1610 && large.limit == .int(most))
        let small = try #require(try failure(type, .int(-most - 2)) { _ in })
        #expect(small.code == 1620 && small.limit == .int(-most - 1))
    }

    @Test func numbersKeepToTheirBounds() throws {
        let large = try #require(
            try failure(.integer64, .int(11)) { $0.maximum = .int(10) })
        #expect(large.code == 1610 && large.message == "x must be at most 10")
        #expect(
            large.detail == "x of Account is too large: 11, and the model allows at most 10")
        #expect(try failure(.integer64, .int(10)) { $0.maximum = .int(10) } == nil)
        #expect(try failure(.double, .double(-0.5)) { $0.minimum = .double(0) }?.code == 1620)
        #expect(try failure(.double, .double(0)) { $0.minimum = .double(0) } == nil)
        #expect(try failure(.float, .double(1e39)) { _ in }?.code == 1610)
        #expect(try failure(.float, .double(-1e39)) { _ in }?.code == 1620)
        #expect(try failure(.float, .double(1e38)) { _ in } == nil)
        #expect(
            try failure(.decimal, .decimal(Decimal(3))) { $0.maximum = .decimal(Decimal(2)) }?.code
                == 1610)
        #expect(
            try failure(.decimal, .decimal(Decimal(2))) { $0.maximum = .decimal(Decimal(2)) } == nil
        )
    }

    @Test func datesKeepToTheirBounds() throws {
        let late = try #require(try failure(.date, .date(1)) { $0.maximum = .date(0) })
        #expect(late.code == 1630 && late.name == "NSValidationDateTooLateError")
        #expect(late.message == "x must not be later than 2001-01-01T00:00:00Z")
        #expect(try failure(.date, .date(-1)) { $0.minimum = .date(0) }?.code == 1640)
        #expect(try failure(.date, .date(0)) { $0.minimum = .date(0) } == nil)
    }

    @Test(arguments: [
        (-63_113_904_000.5, "0000-12-31T23:59:59.500Z", "0001-01-01T00:00:00Z"),
        (-29_481_062_400.0, "1066-10-14T00:00:00Z", "1066-10-14T00:00:00.500Z"),
    ])
    func errorsNameDatesAsAnswersDo(_ seconds: Double, _ first: String, _ second: String) throws {
        let (early, late) = (Value.date(seconds), Value.date(seconds + 0.5))
        let soon = try #require(try failure(.date, early) { $0.minimum = late })
        #expect(soon.message == "x must not be earlier than \(second)")
        #expect(
            soon.detail
                == "x of Account is too early: \(first), and the model allows none before "
                + second)
        let after = try #require(try failure(.date, late) { $0.maximum = early })
        #expect(after.message == "x must not be later than \(first)")
        #expect(
            after.detail
                == "x of Account is too late: \(second), and the model allows none after \(first)"
        )
    }

    @Test func aPatternMustMatchTheWholeText() throws {
        let pattern = "a|ab"
        #expect(try failure(.string, .string("ab")) { $0.regularExpression = pattern } == nil)
        let error = try #require(
            try failure(.string, .string("abc")) { $0.regularExpression = pattern })
        #expect(error.code == 1680 && error.limit == .string(pattern))
        #expect(
            try failure(.string, .string("xab")) { $0.regularExpression = pattern }?.code == 1680)
        #expect(
            try failure(.string, .string("a\n")) { $0.regularExpression = pattern }?.code == 1680)
        #expect(
            try failure(.string, .string("ab")) { $0.regularExpression = "(?x) ab # comment" }
                == nil)
        #expect(try failure(.string, .string("a")) { $0.regularExpression = "(" }?.code == 1680)
    }

    @Test func aPatternThatRunsAwayIsStopped() throws {
        let text = String(repeating: "a", count: 4_000) + "!"
        let start = ContinuousClock.now
        let error = try failure(.string, .string(text)) { $0.regularExpression = "(a+)+" }
        #expect(error?.code == 1680)
        #expect(ContinuousClock.now - start < .seconds(5))
    }

    @Test func whatRFC3986DoesNotAllowIsNoURI() throws {
        for text in [
            "https://example.org/a?b=c#d", "urn:isbn:1", "mailto:a@b.c", "/a%20b", "[::1]",
        ] {
            #expect(try failure(.uri, .string(text)) { _ in } == nil, "\(text)")
        }
        for text in ["a b", "100%", "%4", "%zz", "é", "a\\b", "", "<x>"] {
            let error = try failure(.uri, .string(text)) { _ in }
            #expect(error?.code == 1690, "\(text)")
        }
    }

    @Test func severalFailuresAre1560() throws {
        let fixture = try fixture {
            $0.attribute("a", .string) { $0.isOptional = false }
                .attribute("b", .integer16) { $0.maximum = .int(3) }
                .toMany("parts", "Part", inverse: "account")
        }
        let context = fixture.context()
        let object = try context.insert(try fixture.entity("Account"))
        object["b"] = .int(4)
        let errors = #expect(throws: ValidationErrors.self) { try context.save() }
        #expect(errors?.code == 1560 && errors?.name == "NSValidationMultipleErrorsError")
        #expect(errors?.errors.map(\.code) == [1570, 1610])
    }

    @Test func oneValueTellsEachRuleThatItBreaks() throws {
        let fixture = try fixture {
            $0.attribute("code", .string) {
                $0.minimum = .int(3)
                $0.maximum = .int(5)
                $0.regularExpression = "[a-z]+"
            }
            .toMany("parts", "Part", inverse: "account")
        }
        let context = fixture.context()
        let object = try context.insert(try fixture.entity("Account"))
        for (value, expected) in [
            ("A", [1670, 1680]), ("ABCDEF", [1660, 1680]), ("ab", [1670]), ("ABC", [1680]),
            ("abc", []),
        ] {
            object["code"] = .string(value)
            #expect(try codes { _ = try context.saveRequest() } == expected, "\(value)")
        }
        object["code"] = .string("A")
        let errors = #expect(throws: ValidationErrors.self) { try context.save() }
        #expect(errors?.code == 1560 && errors?.errors.map(\.property) == ["code", "code"])
    }

    // MARK: What an object itself can be asked

    /// A context with a valid Account that has two parts and needs one at least.
    private func account() throws -> (Fixture, ManagedObjectContext, ManagedObject) {
        let fixture = try fixture {
            $0.attribute("code", .string) {
                $0.isOptional = false
                $0.maximum = .int(3)
                $0.regularExpression = "[a-z]+"
            }
            .attribute("size", .integer16)
            .toMany(
                "parts", "Part", inverse: "account", rule: .deny, isOptional: false, count: 1...9)
        }
        let context = fixture.coordinator.newContext(retainsRegisteredObjects: true)
        let account = try context.insert(try fixture.entity("Account"))
        account["code"] = .string("abc")
        for _ in 0..<2 { try account.add("parts", try context.insert(try fixture.entity("Part"))) }
        return (fixture, context, account)
    }

    @Test func validateForInsertAppliesTheModelsRules() throws {
        let (fixture, context, account) = try account()
        try account.validateForInsert()
        account["code"] = .string("TOO LONG")
        account["size"] = .int(70_000)
        #expect(try codes { try account.validateForInsert() } == [1660, 1680, 1610])
        let bare = try context.insert(try fixture.entity("Account"))
        #expect(try codes { try bare.validateForInsert() } == [1570, 1580])
        #expect(context.hasChanges)
    }

    @Test func validateForUpdateAppliesTheModelsRules() throws {
        let (fixture, context, account) = try account()
        defer { withExtendedLifetime(fixture) {} }
        try context.save()
        try account.validateForUpdate()
        account["size"] = .string("large")
        #expect(try codes { try account.validateForUpdate() } == [1550])
        account["size"] = .null
        for part in try account.members(try account.link("parts")) {
            try account.remove("parts", part)
        }
        #expect(try codes { try account.validateForUpdate() } == [1580])
    }

    @Test func validateForDeleteAppliesTheModelsRules() throws {
        let (fixture, context, account) = try account()
        defer { withExtendedLifetime(fixture) {} }
        try context.save()
        #expect(try codes { try account.validateForDelete() } == [1600])
        for part in try account.members(try account.link("parts")) { try context.delete(part) }
        try context.processPendingChanges()
        try account.validateForDelete()
    }

    @Test func validateValueAppliesTheModelsRulesToOneValue() throws {
        let (fixture, context, account) = try account()
        defer { withExtendedLifetime(context) {} }
        func found(_ value: Value, _ key: String) throws -> [Int] {
            try codes {
                var value = value
                try account.validateValue(&value, forKey: key)
            }
        }
        #expect(try found(.string("ab"), "code").isEmpty)
        #expect(try found(.string("AB"), "code") == [1680])
        #expect(try found(.string("ABCD"), "code") == [1660, 1680])
        #expect(try found(.null, "code") == [1570])
        #expect(try found(.int(5), "code") == [1550])
        #expect(try found(.int(40_000), "size") == [1610])
        #expect(try found(.null, "size").isEmpty)
        let part = try context.insert(try fixture.entity("Part"))
        var wrong = Value.string("x")
        #expect(throws: ValidationErrors.self) {
            try part.validateValue(&wrong, forKey: "account")
        }
        for key in ["parts", "color"] {
            var value = Value.null
            #expect(throws: ContextError.self) { try account.validateValue(&value, forKey: key) }
        }
        #expect(account["code"] == .string("abc"))
    }

    /// An override that asks `super` first, and one that asks for less than the model.
    private final class Careful: ManagedObject {
        override func validateValue(_ value: inout Value, forKey key: String) throws {
            if key == "code", case .string(let text) = value, text.count > 3 {
                value = .string(String(text.prefix(3)))
            }
            try super.validateValue(&value, forKey: key)
        }
        override func validateForInsert() throws {
            try super.validateForInsert()
            try complain()
        }
        override func validateForUpdate() throws { try complain() }

        private func complain() throws {
            guard self["size"] == .int(13) else { return }
            throw ValidationError(
                .invalid, entity: entity, key: objectID.key, property: "size", message: "no",
                detail: "no")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func overridesThatAskSuperFindEachMistakeOnce(_ kind: StoreKind) throws {
        let model = try makeModel([
            EntityMaker("Account")
                .attribute("code", .string) {
                    $0.maximum = .int(3)
                    $0.regularExpression = "[a-z]+"
                }
                .attribute("size", .integer16) { $0.maximum = .int(10) }
        ])
        let fixture = try Fixture(model, kind, classes: ["Account": Careful.self])
        let context = fixture.coordinator.newContext(retainsRegisteredObjects: true)
        let account = try context.insert(try fixture.entity("Account"))
        account["code"] = .string("ABC")
        account["size"] = .int(13)
        #expect(try codes { try context.save() } == [1680, 1610, 1550])
        // Outside of a save the model's rules stop it.
        #expect(try codes { try account.validateForInsert() } == [1680, 1610])
        account["size"] = .int(1)
        // What an override puts in its place is held to the model's rules.
        account["code"] = .string("ABCDE")
        #expect(try codes { try context.save() } == [1680])
        account["code"] = .string("abcde")
        try context.save()
        #expect(account["code"] == .string("abc"))
        account["size"] = .int(13)
        #expect(try codes { try context.save() } == [1610, 1550])
    }

    @Test func updatedObjectsAreValidatedWhole() throws {
        let fixture = try fixture {
            $0.attribute("a", .string)
                .attribute("b", .integer16) { $0.maximum = .int(3) }
                .toMany("parts", "Part", inverse: "account")
        }
        let first = fixture.context()
        let object = try first.insert(try fixture.entity("Account"))
        object["b"] = .int(2)
        try first.save()
        let context = fixture.context()
        let again = try context.get(object.objectID)
        again["b"] = .int(9)
        #expect(throws: ValidationErrors.self) { try context.save() }
        again["b"] = .int(3)
        try context.save()
        #expect(try fixture.version("Account", object.objectID.key) == 2)
    }
}
