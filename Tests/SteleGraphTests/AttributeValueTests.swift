// The ends of every type's range, in and out of every store; transient attributes are in none.

import SteleModel
import StelePersistence
import StelePredicates
import TestSupport
import Testing

@testable import SteleGraph

@Suite struct AttributeValueTests {
    static func model() throws -> Model {
        try makeModel([
            EntityMaker("Thing").attribute("name", .string)
                .attribute("i16", .integer16)
                .attribute("i32", .integer32)
                .attribute("i64", .integer64)
                .attribute("decimal", .decimal)
                .attribute("double", .double)
                .attribute("float", .float)
                .attribute("date", .date)
                .attribute("uuid", .uuid)
                .attribute("uri", .uri)
                .attribute("data", .binary)
                .attribute("draft", .string) {
                    $0.isTransient = true
                    $0.defaultValue = .string("new")
                }
                .attribute("anything", .undefined) { $0.isTransient = true }
        ])
    }

    static func decimal(_ text: String) -> Value {
        DecimalText.parse(Array(text.utf8)).map(Value.decimal) ?? .null
    }

    /// The bits of a Double; nil for a value of another type.
    private static func bits(of value: Value) -> UInt64? {
        switch value {
        case .double(let it), .date(let it): it.bitPattern
        default: nil
        }
    }

    @Test(arguments: StoreKind.allCases)
    func theEndsOfEachRangeComeBack(_ kind: StoreKind) throws {
        let fixture = try Fixture(Self.model(), kind)
        let nines = String(repeating: "9", count: 38)
        let values: [(String, [Value])] = [
            ("i16", [.int(-32_768), .int(32_767)]),
            ("i32", [.int(-2_147_483_648), .int(2_147_483_647)]),
            ("i64", [.int(.min), .int(.max), .int(1 << 53 + 1)]),
            (
                "decimal",
                [nines, "-" + nines, "0.\(String(nines.dropLast()))", "0.1", "-0.000001", "1e20"]
                    .map(Self.decimal)
            ),
            (
                "double",
                [
                    .double(.leastNonzeroMagnitude), .double(-.greatestFiniteMagnitude),
                    .double(-0.0),
                ]
            ),
            (
                "float",
                [
                    .double(Double(Float.leastNonzeroMagnitude)),
                    .double(Double(Float.greatestFiniteMagnitude)), .double(-0.0),
                ]
            ),
            (
                "date",
                [
                    .date(-63_114_076_800), .date(252_423_993_599.5), .date(0), .date(0.1),
                    .date(-0.0),
                ]
            ),
            (
                "uuid",
                [
                    .uuid(UUID()),
                    .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))),
                ]
            ),
            ("uri", [.string("urn:x"), .string("https://example.org/%C3%A9?a=b#c")]),
            (
                "data",
                [.data([]), .data([0, 1, 2, 255]), .data(Array(repeating: 7, count: 300_000))]
            ),
            ("name", [.string(""), .string("e\u{301}"), .string("é"), .string("😀")]),
        ]
        for (name, all) in values {
            for value in all {
                let context = fixture.context()
                let thing = try context.insert(try fixture.entity("Thing"))
                thing[name] = value
                try context.save()
                let reader = try fixture.store.reader()
                defer { reader.close() }
                let slot = try #require(thing.entity.attribute(named: name)?.slot)
                let read = try #require(try reader.snapshot(thing.objectID)?.values[slot])
                #expect(read == value, "\(name): \(value)")
                // A zero is equal to one with a sign, which no store has.
                let stored = value.unsignedZero ?? value
                #expect(Self.bits(of: read) == Self.bits(of: stored), "\(name): \(value)")
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func beyondARangeIsAnErrorOfItsKey(_ kind: StoreKind) throws {
        let fixture = try Fixture(Self.model(), kind)
        let beyond: [(String, Value, Int)] = [
            ("i16", .int(32_768), 1610), ("i16", .int(-32_769), 1620),
            ("i32", .int(2_147_483_648), 1610), ("i32", .int(-2_147_483_649), 1620),
            ("float", .double(1e39), 1610), ("float", .double(-1e39), 1620),
            ("uri", .string("a b"), 1690), ("uri", .string(""), 1690),
        ]
        for (name, value, code) in beyond {
            let context = fixture.context()
            try context.insert(try fixture.entity("Thing"))[name] = value
            let errors = #expect(throws: ValidationErrors.self) { try context.save() }
            #expect(errors?.errors.map(\.code) == [code], "\(name)")
            #expect(errors?.errors.map(\.property) == [name])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func longDecimalsCompareSortAndAddExactly(_ kind: StoreKind) throws {
        let fixture = try Fixture(Self.model(), kind)
        let texts = [
            "12345678901234567890123456789012345678", "12345678901234567890123456789012345677",
            "0.1", "0.2", "-12345678901234567890123456789012345678", "3",
        ]
        let context = fixture.context()
        for text in texts {
            try context.insert(try fixture.entity("Thing"))["decimal"] = Self.decimal(text)
        }
        try context.save()
        let thing = try fixture.entity("Thing")
        let check = PredicateCheck(model: fixture.model, entity: thing)
        var request = FetchRequest(entity: thing)
        request.sortDescriptors = [SortDescriptor(.key("decimal"))]
        #expect(try context.snapshots(request).map(\.key) == [5, 3, 4, 6, 2, 1])
        request.predicate = try check.check(
            Predicate(format: "decimal > 12345678901234567890123456789012345677"))
        #expect(try context.snapshots(request).map(\.key) == [1])
        request.predicate = try check.check(Predicate(format: "decimal < 1 AND decimal > 0"))
        var sum = request
        sum.sortDescriptors = []
        sum.propertiesToFetch = [
            ExpressionDescription(name: "sum", expression: try Expression(format: "sum(decimal)"))
        ]
        #expect(try context.rows(sum) == [[Self.decimal("0.3")]])
    }

    @Test(arguments: StoreKind.allCases)
    func transientAttributesAreInNoStore(_ kind: StoreKind) throws {
        let fixture = try Fixture(Self.model(), kind)
        let context = fixture.context()
        let thing = try context.insert(try fixture.entity("Thing"))
        #expect(thing["draft"] == .string("new"))
        thing["name"] = .string("kept")
        thing["draft"] = .string("mine")
        try context.save()
        // The object keeps it, the store does not.
        #expect(thing["draft"] == .string("mine"))
        #expect(try fixture.context().get(thing.objectID)["draft"] == .string("new"))
        thing["draft"] = .string("again")
        #expect(!context.hasChanges)
        try context.save()
        #expect(try fixture.version("Thing", thing.objectID.key) == 1)
        // A default is no change, a child has its parent's value, and a rollback the default.
        let context2 = fixture.context()
        let other = try context2.get(thing.objectID)
        other["draft"] = .string("mine")
        let child = ManagedObjectContext(parent: context2)
        let inChild = try child.get(thing.objectID)
        #expect(inChild["draft"] == .string("mine"))
        inChild["name"] = .string("by a child")
        try child.save()
        #expect(other["draft"] == .string("mine") && other["name"] == .string("by a child"))
        context2.rollback()
        #expect(other["draft"] == .string("new") && other["name"] == .string("kept"))
        other["name"] = .string("kept")
        #expect(try other.changedValues().isEmpty)
        let check = PredicateCheck(model: fixture.model, entity: thing.entity)
        for format in ["draft == 'x'", "draft == nil", "anything == 1"] {
            let error = #expect(throws: PredicateError.self) {
                try check.check(Predicate(format: format))
            }
            #expect(error?.description.contains("transient") == true)
        }
    }
}
