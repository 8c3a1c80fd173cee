// Defaults, validation, indexes and derivations in archives.

import SteleModel
import SteleModelFiles
import StelePredicates
import TestSupport
import Testing

@Suite struct ArchivedValueTests {
    /// Reads an archive with one entity, E.
    static func read(
        _ entity: (inout PredicateArchive) throws -> [(String, PropertyList)]
    ) throws -> ModelFile {
        var archive = PredicateArchive()
        let values = try entity(&archive)
        let name = archive.add(.string("E"))
        let described = archive.object(
            "NSEntityDescription", fields: [("NSEntityName", name)] + values)
        let entities = archive.dictionary([("E", described)])
        let root = archive.object("NSManagedObjectModel", ["NSEntities": entities])
        let (model, notes) = try CompiledModelReader.read(
            archive.bytes(root: root), name: "M", place: "M.mom")
        return ModelFile(model, notes: notes)
    }

    /// Reads an archive with one attribute, `a`.
    static func attribute(
        _ type: AttributeType, default value: Value = .null, _ predicates: [String] = []
    ) throws -> (attribute: AttributeDescription, notes: [String]) {
        let file = try read { archive in
            let list = archive.list(
                try predicates.map { try archive.add(try Predicate(format: $0)) })
            let attribute = archive.object(
                "NSAttributeDescription",
                [
                    "NSAttributeType": .integer(Int64(type.rawValue)),
                    "NSDefaultValue": archive.constant(value), "NSValidationPredicates": list,
                ])
            return [("NSProperties", archive.dictionary([("a", attribute)]))]
        }
        guard case .attribute(let attribute)? = file.current.entities.first?.properties.first else {
            throw ModelErrors([ModelError("E", "it has no attribute")])
        }
        return (attribute, file.notes.map(\.description))
    }

    @Test(arguments: [
        (AttributeType.integer16, Value.int(-7), Value.int(-7)),
        (.integer64, .double(5), .int(5)), (.integer32, .bool(true), .int(1)),
        (
            .decimal, .decimal(DecimalText.parse("10.11".utf8) ?? 0),
            .decimal(DecimalText.parse("10.11".utf8) ?? 0)
        ),
        (.decimal, .int(3), .decimal(3)), (.double, .int(2), .double(2)),
        (.float, .double(0.1), .double(Double(Float(0.1)))), (.string, .string("é"), .string("é")),
        (.boolean, .int(1), .bool(true)), (.boolean, .bool(false), .bool(false)),
        (.date, .date(-3.5), .date(-3.5)), (.binary, .data([0, 255]), .data([0, 255])),
        (.uri, .string("https://example.org"), .string("https://example.org")),
        (
            .uuid, .uuid(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5, 6))),
            .uuid(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5, 6)))
        ),
    ])
    func aDefaultIsOfItsType(_ type: AttributeType, _ archived: Value, _ read: Value) throws {
        #expect(try Self.attribute(type, default: archived).attribute.defaultValue == read)
    }

    @Test(arguments: [
        (AttributeType.integer16, Value.int(40_000)), (.integer32, .double(0.5)),
        (.boolean, .int(2)), (.string, .int(1)), (.date, .double(1)), (.uuid, .string("x")),
    ])
    func aDefaultOfAnotherTypeIsAnError(_ type: AttributeType, _ value: Value) throws {
        let error = #expect(throws: ModelErrors.self) {
            try Self.attribute(type, default: value)
        }
        #expect(error?.description == "M.mom, E.a: its default is not of the type \(type.name)")
    }

    @Test(arguments: [
        (AttributeType.integer16, "SELF >= -5", "SELF <= 70000", Value.int(-5), Value.int(70_000)),
        (.double, "SELF >= 1", "SELF <= 2.5", .double(1), .double(2.5)),
        (.string, "length >= 3", "length <= 50", .int(3), .int(50)),
        (.string, "SELF.length >= 3", "length(SELF) <= 50", .int(3), .int(50)),
        (
            .date, "SELF >= CAST(100, \"NSDate\")", "SELF <= CAST(200.5, \"NSDate\")", .date(100),
            .date(200.5)
        ),
    ])
    func validationIsReadAsBounds(
        _ type: AttributeType, _ low: String, _ high: String, _ minimum: Value, _ maximum: Value
    ) throws {
        for predicates in [[low, high], ["\(low) AND \(high)"]] {
            let read = try Self.attribute(type, predicates)
            #expect(read.attribute.minimum == minimum)
            #expect(read.attribute.maximum == maximum)
            #expect(read.notes == [])
        }
    }

    /// A program sets "never" as the default, and its store must open.
    @Test func aDateThatNoObjectCanHaveIsIgnored() throws {
        let far = Double.greatestFiniteMagnitude
        let read = try Self.attribute(
            .date, default: .date(far),
            ["SELF >= CAST(1, \"NSDate\")", "SELF <= CAST(1e19, \"NSDate\")"])
        #expect(read.attribute.defaultValue == .null)
        #expect(read.attribute.minimum == .date(1))
        #expect(read.attribute.maximum == .null)
        #expect(read.notes.count == 2)
        #expect(read.notes.contains { $0.hasPrefix("E.a: its default \(far) is beyond the years") })
        #expect(read.notes.contains { $0.hasPrefix("E.a: its validation ") })
    }

    @Test func aRegularExpressionIsRead() throws {
        let read = try Self.attribute(.string, ["SELF MATCHES \"[a-z]+\""])
        #expect(read.attribute.regularExpression == "[a-z]+")
        #expect(read.notes == [])
    }

    @Test(arguments: [
        "SELF CONTAINS \"x\"", "SELF MATCHES[c] \"x\"", "length > 3", "length >= -1",
        "length >= 3 OR length <= 1",
    ])
    func otherValidationIsNoted(_ predicate: String) throws {
        let read = try Self.attribute(.string, [predicate])
        #expect(read.attribute.minimum == .null)
        #expect(read.attribute.regularExpression == nil)
        #expect(read.notes.count == 1)
        #expect(read.notes.first?.hasPrefix("E.a: its validation ") == true)
    }

    @Test func indexesOfEveryKindAreRead() throws {
        let file = try Self.read { archive in
            let expression = archive.object(
                "NSExpressionDescription",
                [
                    "NSExpression": try archive.add(try Expression(format: "lowercase(a)")),
                    "NSExpressionResultType": 700,
                ])
            let plain = archive.object(
                "NSFetchIndexElementDescription",
                ["NSPropertyName": archive.add(.string("a")), "NSAscending": false])
            let computed = archive.object(
                "NSFetchIndexElementDescription",
                ["NSIndexedProperty": expression, "NSAscending": true])
            let spatial = archive.object(
                "NSFetchIndexElementDescription",
                [
                    "NSPropertyName": archive.add(.string("x")), "NSAscending": true,
                    "NSFetchIndexElementType": 1,
                ])
            let first = archive.object(
                "NSFetchIndexDescription",
                [
                    "NSIndexName": archive.add(.string("byBoth")),
                    "NSIndexElements": archive.list([plain, computed]),
                    "NSPartialIndexPredicate": try archive.add(try Predicate(format: "a != nil")),
                ])
            let second = archive.object(
                "NSFetchIndexDescription",
                [
                    "NSIndexName": archive.add(.string("byPlace")),
                    "NSIndexElements": archive.list([spatial]),
                ])
            return [("NSFetchIndexDescriptions", archive.list([first, second]))]
        }
        var both = FetchIndexDescription(name: "byBoth")
        var plain = FetchIndexDescription.Element(propertyName: "a")
        plain.isAscending = false
        var computed = FetchIndexDescription.Element(propertyName: nil)
        computed.expression = "lowercase(a)"
        computed.expressionType = .string
        both.elements = [plain, computed]
        both.partialIndexPredicate = "a != nil"
        var place = FetchIndexDescription(name: "byPlace")
        var spatial = FetchIndexDescription.Element(propertyName: "x")
        spatial.collation = .rTree
        place.elements = [spatial]
        #expect(file.current.entities.first?.fetchIndexes == [both, place])
    }
}
