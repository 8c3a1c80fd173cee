/// Stores in XML, archived expressions, and mapping models.

import SteleMigration
import SteleModel
import SteleModelFiles
import StelePredicates
import TestSupport

/// Stores in Core Data's XML form: what is read is written, and reads as the same.
struct DatabaseTarget: FuzzTarget {
    static let seed = """
        <?xml version="1.0" standalone="yes"?>
        <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">

        <database>
            <databaseInfo>
                <version>134481920</version>
                <UUID>343C8D7F-A000-42C4-8463-43FA1E5EF3FB</UUID>
                <nextObjectID>103</nextObjectID>
                <metadata>
                    <plist version="1.0">
                        <dict>
                            <key>a</key>
                            <array><integer>3</integer><real>0.5</real><true/></array>
                            <key>b</key>
                            <data>AAEC</data>
                            <key>c</key>
                            <date>2024-05-01T09:00:00Z</date>
                        </dict>
                    </plist>
                </metadata>
            </databaseInfo>
            <object type="A" id="z102">
                <attribute name="name" type="string">a \\u3c00 \\\\ &lt;&amp;&gt;</attribute>
                <attribute name="count" type="int32">7</attribute>
                <relationship name="parts" type="0/0" destination="B" \
        idrefs="z102 z103"></relationship>
            </object>
        </database>
        """
    let seeds = FuzzText.bytes([seed])
    let words = [
        "<object", "</object>", "<attribute", "<relationship", "type=\"", "name=\"", "idrefs=\"",
        "z102", "z-1", "z9223372036854775807", "0/0", "<dict>", "</dict>", "<key>", "<string/>",
        "<data>", "&#13;", "&#0;", "&lt;", "\\u", "\\u3dd8", "\\u0000", "]]>", "<![CDATA[",
        "<!ENTITY a 'b'>", "&a;", "standalone=\"no\"", "encoding=\"UTF-16\"",
    ]

    init() {}

    func attempt(_ input: [UInt8]) throws {
        do {
            let database = try XMLDatabase.read(input)
            let bytes = try database.bytes()
            try require(
                try XMLDatabase.read(bytes) == database, "the database is written as another")
            for attribute in database.objects.flatMap(\.attributes) {
                try readsAgain(attribute)
            }
        } catch let error as MarkupError {
            try require(!error.message.isEmpty, "a database is refused without a word")
        }
    }

    private func readsAgain(_ attribute: XMLDatabase.Attribute) throws {
        for type in AttributeType.allCases {
            guard let value = attribute.value(as: type),
                let written = XMLDatabase.Attribute(name: "a", value, type)
            else { continue }
            try require(
                written.value(as: type) == value, "\(value) is written as \(written.text)")
        }
    }
}

/// Archived expressions and predicates.
struct PredicateArchiveTarget: FuzzTarget {
    let seeds: [[UInt8]]
    let words = [
        "bplist00", "$class", "$null", "NSOperand", "NSArguments", "NSConstantValue", "NSKeyPath",
        "NSFunctionExpression", "NSSelfExpression", "valueForKeyPath:", "NSOperatorType",
    ]

    init() throws {
        let predicates = [
            "TRUEPREDICATE", "a == 1 AND NOT b BEGINSWITH[cd] \"x\"", "ANY a.b IN {1, nil}",
        ]
        let expressions = [
            "$source.a.b", "a + b * 2.5", "TERNARY(a > 1, b[FIRST], c[2])",
            "SUBQUERY(a, $x, $x.b > 1).@count", "uppercase(a)", "{1, \"x\", a} UNION b",
            "CAST(1.5, \"NSDate\")", "12345678901234567890.5",
        ]
        seeds =
            try predicates.map { try PredicateArchive.bytes(try Predicate(format: $0)) }
            + expressions.map { try PredicateArchive.bytes(try Expression(format: $0)) }
    }

    func attempt(_ input: [UInt8]) throws {
        do throws(ArchiveError) {
            _ = try Expression(archive: input).description
        } catch {
            try require(!error.message.isEmpty, "an archive is refused without a word")
        }
        if let predicate = try? Predicate(archive: input) { _ = predicate.description }
    }
}

/// Mapping models in all three forms.
struct MappingTarget: FuzzTarget {
    let seeds: [[UInt8]]
    let words = [
        "\"mappings\"", "\"source\"", "\"destination\"", "\"Item\"", "\"Tag\"", "\"attributes\"",
        "\"relationships\"", "\"$source.name\"", "\"of\"", "\"mapping\"", "null", "{", "}", "[",
        "]", ":", ",", "XDDEVENTITYMAPPING", "sourcekeypath", "$source.tags", "z103",
        "NSMappingModel", "NSEntityMappings", "NSValueExpression",
    ]
    private let model: Model

    init() throws {
        model = try Model(ManagedObjectModel(json: Array(FuzzStore.declaration.utf8), name: "F"))
        let json = """
            {"from": "F", "to": "F", "mappings": [
                {"source": "Item", "destination": "Item", "filter": "small > 3",
                 "attributes": {"name": "$source.name + 'x'", "small": 3, "flag": null},
                 "relationships": {"tags": {"of": "$source.tags", "mapping": "TagToTag"}}}]}
            """
        let xml = """
            <database><databaseInfo><nextObjectID>104</nextObjectID></databaseInfo>
            <object type="XDDEVMAPPINGMODEL" id="z101">
            <attribute name="sourcemodelpath" type="string">a/F.xcdatamodel</attribute>
            <relationship name="entitymappings" type="0/0" destination="A" idrefs="z102"/></object>
            <object type="XDDEVENTITYMAPPING" id="z102">
            <attribute name="sourcename" type="string">Item</attribute>
            <attribute name="destinationname" type="string">Item</attribute>
            <attribute name="mappingnumber" type="int16">1</attribute>
            <relationship name="attributemappings" type="0/0" destination="A" idrefs="z103"/>
            <relationship name="relationshipmappings" type="0/0" destination="A" idrefs="z104"/>
            </object><object type="XDDEVATTRIBUTEMAPPING" id="z103">
            <attribute name="name" type="string">name</attribute></object>
            <object type="XDDEVRELATIONSHIPMAPPING" id="z104">
            <attribute name="sourcekeypath" type="string">$source.tags</attribute>
            <attribute name="name" type="string">tags</attribute></object></database>
            """
        seeds = FuzzText.bytes([json, xml]) + [try Self.compiled()]
    }

    private static func compiled() throws -> [UInt8] {
        var archive = PredicateArchive()
        let value = try archive.add(Expression.keyPath(.variable("source"), ["name"]))
        let property = archive.object(
            "NSPropertyMapping",
            ["NSDestinationPropertyName": archive.add(.string("name")), "NSValueExpression": value])
        let name = archive.add(.string("Item"))
        let properties = archive.list([property])
        let mapping = archive.object(
            "NSEntityMapping",
            [
                "NSMappingName": name, "NSSourceEntityName": name, "NSMappingType": .integer(1),
                "NSDestinationEntityName": name, "NSAttributeMappings": properties,
                "NSSourceEntityVersionHash": archive.add(.data([1, 2])),
            ])
        let mappings = archive.list([mapping])
        let root = archive.object("NSMappingModel", ["NSEntityMappings": mappings])
        return archive.bytes(root: root)
    }

    func attempt(_ input: [UInt8]) throws {
        do throws(ModelErrors) {
            let file = try MappingFile(input, path: "m")
            _ = KnownMapping(file).mismatches(
                from: KnownVersion(model: model, hashes: ["Item": [1]]),
                to: KnownVersion(model: model, hashes: [:]))
            _ = try file.mappingModel(from: model, to: model)
        } catch {
            try require(
                !error.errors.isEmpty && error.errors.allSatisfy { !$0.message.isEmpty },
                "a mapping model is refused without a word")
        }
    }
}
