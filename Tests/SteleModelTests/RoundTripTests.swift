// A model written and read again is the same model.

import Foundation
import SteleModel
import SteleModelFiles
import TestSupport
import Testing

@Suite("Round trips")
struct RoundTripTests {
    private func again(_ bytes: [UInt8], as name: String) throws -> ManagedObjectModel {
        var result: ManagedObjectModel?
        try withFolder { folder in
            let file = folder.appendingPathComponent("\(name).xcdatamodel/contents")
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(bytes).write(to: file)
            let read = try ModelFile.read(file.path)
            #expect(read.notes.isEmpty)
            result = read.current
        }
        return try #require(result)
    }

    @Test("Every model comes back from XML and from JSON")
    func samples() throws {
        let versions = try Samples.all().flatMap { try ModelFile.read($0).versions }
        #expect(versions.count >= (Samples.areShared ? 23 : 11))
        for model in versions {
            #expect(try again(model.xml(), as: model.name) == model)
            let compact = Array(model.json().compact.utf8)
            #expect(try ManagedObjectModel(json: compact, name: "") == model)
            let pretty = Array(model.json().pretty.utf8)
            #expect(try ManagedObjectModel(json: pretty, name: "") == model)
        }
    }

    /// The XML that Stele writes for a file's model, and the file.
    private func written(_ file: URL) throws -> (ours: String, theirs: String) {
        let theirs = try String(contentsOf: file, encoding: .utf8)
        let xml = try ModelFile.read(file.path).current.xml()
        return (String(decoding: xml, as: UTF8.self), theirs)
    }

    @Test("A file in the layout of Xcode comes back to the byte")
    func bytes() throws {
        let path = Samples.libraryPath + "/Library 2.xcdatamodel/contents"
        let (ours, theirs) = try written(URL(filePath: path))
        #expect(ours == theirs)
    }

    @Test(
        "The XML is what Xcode wrote, to the byte",
        .enabled(if: Samples.areShared, "the shared models are not here"))
    func xcode() throws {
        for (index, name) in [(0, "Model"), (0, "Model 2"), (2, "SampleModel3")] {
            let path = "\(Samples.shared[index])/\(name).xcdatamodel/contents"
            let (ours, theirs) = try written(URL(filePath: Samples.path(path)))
            #expect(ours == theirs, "\(path)")
        }
    }

    @Test("A model of everything comes back from XML and from JSON")
    func everything() throws {
        let model = Self.everything
        #expect(try again(model.xml(), as: model.name) == model)
        #expect(try ManagedObjectModel(json: Array(model.json().pretty.utf8), name: "") == model)
    }

    @Test("A Binary default, which XML cannot say, comes back from JSON")
    func binary() throws {
        var model = ManagedObjectModel(name: "M")
        var attribute = AttributeDescription(name: "b", type: .binary)
        attribute.defaultValue = .data([0, 1, 255])
        var entity = EntityDescription(name: "A")
        entity.properties = [.attribute(attribute)]
        model.entities = [entity]
        #expect(try ManagedObjectModel(json: Array(model.json().compact.utf8), name: "") == model)
    }

    /// Xcode's compiler sets what the source does not say, as NSFetchRequest does.
    @Test(
        "The flags of a fetch request are on unless the file says NO",
        arguments: [
            ("", [true, true, true, true]),
            (#" resultType="1""#, [true, false, true, true]),
            (#" resultType="2""#, [true, true, false, true]),
            (#" includeSubentities="NO" returnObjectsAsFaults="NO""#, [false, true, true, false]),
            (#" resultType="2" includesPendingChanges="YES""#, [true, true, true, true]),
            (
                #" includeSubentities="YES" includePropertyValues="YES" "#
                    + #"includesPendingChanges="NO" returnObjectsAsFaults="YES" "#
                    + #"returnDistinctResults="YES""#, [true, true, false, true]
            ),
        ])
    func requestFlags(_ attributes: String, _ flags: [Bool]) throws {
        let element = #"<fetchRequest name="t" entity="A"\#(attributes)/>"#
        let text = #"<model><entity name="A"/>\#(element)</model>"#
        let model = try again(Array(text.utf8), as: "M")
        let request = try #require(model.fetchRequestTemplates.first)
        #expect(
            [
                request.includesSubentities, request.includesPropertyValues,
                request.includesPendingChanges, request.returnsObjectsAsFaults,
            ] == flags)
        let written = model.xml()
        #expect(String(decoding: written, as: UTF8.self).contains(element))
        #expect(try again(written, as: "M") == model)
        #expect(try ManagedObjectModel(json: Array(model.json().compact.utf8), name: "") == model)
    }

    @Test("A flag of a fetch request that is set replaces what the file had")
    func changedFlag() throws {
        let text = """
            <model><entity name="A"/><fetchRequest name="t" entity="A" \
            includeSubentities="YES" includesPendingChanges="YES"/></model>
            """
        var model = try again(Array(text.utf8), as: "M")
        model.fetchRequestTemplates[0].includesSubentities = false
        model.fetchRequestTemplates[0].includesPendingChanges = false
        model.fetchRequestTemplates[0].resultType = .dictionaries
        let read = try again(model.xml(), as: "M").fetchRequestTemplates[0]
        #expect(!read.includesSubentities && !read.includesPendingChanges)
        let written = String(decoding: model.xml(), as: UTF8.self)
        #expect(written.contains(#"includeSubentities="NO" includesPendingChanges="NO""#))
    }

    /// Every field of every declaration other than as it begins.
    private static var everything: ManagedObjectModel {
        var model = ManagedObjectModel(name: "All \"things\" <&>")
        model.versionIdentifier = "7"
        model.toolAttributes = [UserInfoEntry(key: "sourceLanguage", value: "Swift")]
        var entity = EntityDescription(name: "Thing")
        entity.managedObjectClassName = "App.Thing"
        entity.parentName = "Root"
        entity.isAbstract = true
        entity.isSyncable = true
        entity.codeGenerationType = .category
        entity.renamingIdentifier = "OldThing"
        entity.versionHashModifier = "v"
        entity.properties = [.relationship(relationship), .fetchedProperty(fetched)]
        entity.properties += attributes.map { .attribute($0) }
        entity.fetchIndexes = [index]
        entity.compoundIndexes = [["a", "b"], ["c"]]
        entity.uniquenessConstraints = [["a"], ["b", "c"]]
        entity.userInfo = [
            UserInfoEntry(key: "line", value: "a\nb\t\"c\" 'd' <e> & \r"),
            UserInfoEntry(key: "ünï", value: "🧭"),
        ]
        model.entities = [entity, EntityDescription(name: "Root")]
        var composite = CompositeDescription(name: "Place")
        composite.attributes = [AttributeDescription(name: "lat", type: .double)]
        model.composites = [composite, CompositeDescription(name: "Nothing")]
        model.fetchRequestTemplates = [request("template")]
        var configuration = ConfigurationDescription(name: "Cloud")
        configuration.entityNames = ["Thing"]
        model.configurations = [configuration, ConfigurationDescription(name: "None")]
        return model
    }

    private static var relationship: RelationshipDescription {
        var it = RelationshipDescription(name: "things", destinationName: "Thing")
        it.inverseName = "things"
        it.inverseEntityName = "Root"
        it.isOptional = true
        it.isTransient = true
        it.isIndexed = true
        it.isSyncable = true
        it.isToMany = true
        it.isOrdered = true
        it.minimumCount = 2
        it.maximumCount = 9
        it.deleteRule = .deny
        it.renamingIdentifier = "old"
        it.versionHashModifier = "w"
        it.userInfo = [UserInfoEntry(key: "k", value: "")]
        return it
    }

    private static func request(_ name: String) -> FetchRequestTemplate {
        var it = FetchRequestTemplate(name: name, entityName: "Thing")
        it.predicateFormat = "a > $A AND b == \"<&>\""
        it.fetchLimit = 3
        it.fetchBatchSize = 2
        it.resultType = .dictionaries
        it.includesSubentities = false
        it.includesPropertyValues = false
        it.includesPendingChanges = true
        it.returnsObjectsAsFaults = false
        it.returnsDistinctResults = true
        return it
    }

    private static var fetched: FetchedPropertyDescription {
        var it = FetchedPropertyDescription(name: "found", request: request("another name"))
        it.isOptional = true
        it.isSyncable = true
        it.userInfo = [UserInfoEntry(key: "k", value: "v")]
        return it
    }

    private static var index: FetchIndexDescription {
        var it = FetchIndexDescription(name: "byAll")
        var descending = FetchIndexDescription.Element(propertyName: "a")
        descending.isAscending = false
        var tree = FetchIndexDescription.Element(propertyName: "b")
        tree.collation = .rTree
        var expression = FetchIndexDescription.Element(propertyName: nil)
        expression.expression = "uppercase:(c)"
        expression.expressionType = .string
        it.elements = [
            FetchIndexDescription.Element(propertyName: "c"), descending, tree, expression,
        ]
        it.partialIndexPredicate = "a > 1"
        return it
    }

    private static var attributes: [AttributeDescription] {
        let values: [(AttributeType, Value, Value, Value)] = [
            (.undefined, .null, .null, .null),
            (.integer16, .int(-7), .int(-8), .int(9)),
            (.integer64, .int(.max), .int(.min), .int(.max)),
            (.decimal, decimal("0.1"), decimal("-1e-100"), decimal("98765432109876543210.5")),
            (.decimal, decimal("1234567890123456789"), .null, .null),
            (.double, .double(0.1), .double(-1e300), .double(.leastNonzeroMagnitude)),
            (.float, .double(Double(Float(0.1))), .double(1), .null),
            (.string, .string(" a\n<\"&'>\u{2028}ü "), .int(0), .int(40)),
            (.boolean, .bool(true), .null, .null), (.boolean, .bool(false), .null, .null),
            (.date, .date(0.1), .date(-1e9), .date(738_000_000.123)),
            (.uuid, .uuid(UUID()), .null, .null), (.uri, .string("x:y"), .null, .null),
            (.binary, .null, .null, .null), (.transformable, .null, .null, .null),
            (.composite, .null, .null, .null),
        ]
        var all = values.enumerated().map { index, value in
            var it = AttributeDescription(name: "p\(index)", type: value.0)
            (it.defaultValue, it.minimum, it.maximum) = (value.1, value.2, value.3)
            it.isOptional = index % 2 == 0
            return it
        }
        var last = AttributeDescription(name: "last", type: .transformable)
        last.isTransient = true
        last.isIndexed = true
        last.isSyncable = true
        last.regularExpression = #"^\d+"x"$"#
        last.usesScalarValueType = false
        last.allowsExternalBinaryDataStorage = true
        last.preservesValueInHistoryOnDeletion = true
        last.isStoredInTruthFile = true
        last.valueTransformerName = ""
        last.customClassName = "[Int64]"
        last.compositeName = "Place"
        last.derivationExpression = "now()"
        last.renamingIdentifier = "first"
        last.versionHashModifier = "z"
        last.userInfo = [UserInfoEntry(key: "k", value: "v")]
        all.append(last)
        return all
    }

    private static func decimal(_ text: String) -> Value {
        DecimalText.parse(text.utf8).map { .decimal($0) } ?? .null
    }
}
