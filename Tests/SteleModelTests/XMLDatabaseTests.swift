// Core Data's XML form of stores, read and written.

import Foundation
import SteleModel
import TestSupport
import Testing

@Suite struct XMLDatabaseTests {
    private static let mappingModels = [
        "moody/Moody 2-Moody 3", "moody/Moody 3-Moody 4", "moody/Moody 4-Moody 5",
        "moody/Moody 5-Moody 6", "sample/MappingModels/V2toV3",
    ]

    @Test(
        .enabled(if: sharedFolder != nil, "the shared data is not here"), arguments: mappingModels)
    func aFileOfTheFrameworkIsWrittenWithTheSameBytes(_ name: String) throws {
        let path = try Samples.path("data/coredata/\(name).xcmappingmodel/xcmapping.xml")
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
        let database = try XMLDatabase.read(bytes)
        #expect(try database.bytes() == bytes)
        #expect(database.header.metadata?["NSStoreModelVersionHashesVersion"] == .integer(3))
        #expect(database.objects.contains { $0.type == "XDDEVMAPPINGMODEL" })
    }

    private static let beginning = """
        <?xml version="1.0"?>
        <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">

        <database>
            <databaseInfo>
                <version>134481920</version>
                <UUID>343C8D7F-A000-42C4-8463-43FA1E5EF3FB</UUID>
                <nextObjectID>103</nextObjectID>
                <metadata></metadata>
            </databaseInfo>

        """
    private static let text =
        beginning + #"""
                <object type="VEHICLE" id="z102">
                    <attribute name="model" type="string">a \u3c00b\u3e00 \u2600 \\ "c"</attribute>
                    <attribute name="year" type="int32">2006</attribute>
                    <relationship name="pictures" type="0/0" destination="PICTURE" \#
            idrefs="z103 z102"></relationship>
                    <relationship name="owner" type="0/1" destination="OWNER"></relationship>
                </object>
                <object type="EMPTY" id="z103">
                </object>
            </database>
            """#

    @Test func theFormIsReadAndWritten() throws {
        let database = try XMLDatabase.read(Array(Self.text.utf8))
        #expect(String(decoding: try database.bytes(), as: UTF8.self) == Self.text)
        #expect(database.header.isStandalone == nil)
        #expect(database.header.metadata == nil)
        #expect(database.header.nextObjectID == 103)
        let vehicle = try #require(database.objects.first)
        #expect(vehicle.attribute("model")?.string == #"a <b> & \ "c""#)
        #expect(vehicle.attribute("year")?.value(as: .integer32) == .int(2006))
        #expect(vehicle.attribute("year")?.value(as: .uuid) == nil)
        #expect(vehicle.relationship("pictures")?.references == [103, 102])
        #expect(vehicle.relationship("owner")?.maxCount == 1)
        #expect(database.objects.last?.attributes == [])
    }

    @Test(arguments: [
        (Value.string("<a> & \\u0041 \u{1} \u{FFFF} \r\n\t \"😀\" é"), AttributeType.string),
        (.string(""), .string), (.string("https://example.org/?a=b&c"), .uri),
        (.int(-32768), .integer16), (.int(.max), .integer64), (.bool(true), .boolean),
        (.bool(false), .boolean), (.double(0.1), .double), (.double(-1e300), .double),
        (.double(Double(Float(0.1))), .float), (.date(445_103_622.25), .date),
        (.date(-0.5), .date), (.date(700_000_000), .date), (.data([]), .binary),
        (.data([0, 255, 7]), .transformable),
    ])
    func valuesAreReadAsTheyWereWritten(_ value: Value, _ type: AttributeType) throws {
        let attribute = try #require(XMLDatabase.Attribute(name: "a", value, type))
        let header = XMLDatabase.Header(uuid: "", nextObjectID: 102, metadata: nil)
        let object = XMLDatabase.Object(type: "E", id: 102, attributes: [attribute])
        let bytes = try XMLDatabase(header: header, objects: [object]).bytes()
        let read = try XMLDatabase.read(bytes).objects.first?.attributes.first
        #expect(read == attribute)
        #expect(read?.value(as: type) == value)
    }

    @Test func decimalsAndUUIDsAreReadAsTheyWereWritten() throws {
        let decimal = try #require(Decimal(string: "-12345678901234567890.125"))
        let price = try #require(XMLDatabase.Attribute(name: "a", .decimal(decimal), .decimal))
        #expect(price.text == "-12345678901234567890.125" && price.type == "decimal")
        #expect(price.value(as: .decimal) == .decimal(decimal))
        let uuid = UUID()
        let key = try #require(XMLDatabase.Attribute(name: "a", .uuid(uuid), .uuid))
        #expect(key.value(as: .uuid) == .uuid(uuid))
        #expect(XMLDatabase.Attribute(name: "a", .null, .string) == nil)
    }

    /// The date of a store that the framework wrote has 20 digits after its point.
    @Test func aDateOfTheFrameworkIsRead() {
        let attribute = XMLDatabase.Attribute(
            name: "hired", type: "date", text: "445103622.25000000000000000000")
        #expect(attribute.value(as: .date) == .date(445_103_622.25))
    }

    @Test func metadataIsAPropertyList() throws {
        let list = PropertyList.dictionary([
            .init(key: "NSStoreModelVersionHashesVersion", value: .integer(3)),
            .init(key: "empty", value: .dictionary([])), .init(key: "none", value: .array([])),
            .init(
                key: "list",
                value: .array([
                    .bool(true), .bool(false), .real(0.1), .date(0), .string("<a & b>"),
                    .data(Array(0..<200)), .data([]),
                    .dictionary([.init(key: "deep", value: .data(Array(0..<100)))]),
                ])),
        ])
        let header = XMLDatabase.Header(
            isStandalone: true, uuid: "A", nextObjectID: 102, metadata: list)
        let bytes = try XMLDatabase(header: header, objects: []).bytes()
        #expect(try XMLDatabase.read(bytes).header == header)
        let wide = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
            .filter { $0.hasPrefix("\t\t") && !$0.hasSuffix("</data>") }
        #expect(wide.first?.count == 2 + 60)
        #expect(
            wide.first == "\t\tAAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKiss")
    }

    @Test func metadataThatXMLCannotHoldIsRefused() {
        for value in [PropertyList.string("a\u{0}"), .uid(1), .date(1e20)] {
            let header = XMLDatabase.Header(
                uuid: "A", nextObjectID: 1, metadata: .array([value]))
            #expect(throws: MarkupError.self) { try XMLDatabaseWriter(header) }
        }
    }

    @Test(arguments: [
        ("", "no element found"), ("<database>", "no element found"),
        ("<plist></plist>", "its root element is <plist>"),
        ("<database></database>", "it has no <databaseInfo>"),
        ("<database>\n<object type='A' id='z1'/></database>", "it has no <databaseInfo>"),
        (
            beginning + "<object type='A' id='102'/></database>",
            "the id '102' is not a z and a number (line 11)"
        ),
        (beginning + "<object id='z102'/></database>", "a type and an id (line 11)"),
        (beginning + "<table/></database>", "no <table> (line 11)"),
        (
            beginning + "<object type='A' id='z1'>\n<attribute name='a'>x</attribute></object>",
            "a name, a type and a text (line 12)"
        ),
        (
            beginning + "<object type='A' id='z1'>"
                + "<relationship name='r' type='1' destination='B'/></object>",
            "not a minimum and a maximum such as 0/1: '1' (line 11)"
        ),
        (
            beginning + "<object type='A' id='z1'>"
                + "<relationship name='r' type='0/0' destination='B' idrefs='z1 y2'/></object>",
            "the id 'y2' in r is not a z and a number (line 11)"
        ),
        (beginning + "<object type='A' id='z1'>\n</objet>", "mismatched tag at line 12"),
        (
            "<!DOCTYPE database [<!ENTITY a 'b'><!ENTITY c '&a;&a;'>]>\n<database>&c;</database>",
            "it declares XML entities, which are refused (line 1"
        ),
        (
            "<!DOCTYPE database [<!ENTITY a SYSTEM 'file:///etc/passwd'>]><database>&a;</database>",
            "it declares XML entities, which are refused"
        ),
        (
            "<?xml version='1.0' standalone='no'?><!DOCTYPE database SYSTEM 'file:///etc/passwd'>"
                + "<database>&a;</database>", "it uses the unknown entity &a;"
        ),
        (String(repeating: "<database>", count: 70), "nested more than 64 deep"),
        (
            beginning.replacing("<metadata>", with: "<metadata><plist><set/></plist>"),
            "a property list has no <set> (line 9)"
        ),
        (
            beginning.replacing(
                "<metadata>", with: "<metadata><plist><dict><string/></dict></plist>"),
            "a dictionary has keys, each with a value (line 9)"
        ),
        (beginning.replacing("103", with: "many"), "its nextObjectID is not a number: 'many'"),
    ])
    func aFaultIsToldWithItsLine(_ text: String, _ message: String) {
        let error = #expect(throws: MarkupError.self) { try XMLDatabase.read(Array(text.utf8)) }
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    }

    /// 40,000 objects are parsed from parts that break in the middle of a character, and no more of
    /// them is kept than a part has.
    @Test func aLargeFileIsReadInParts() throws {
        let count = 40_000
        var writer = try XMLDatabaseWriter(
            .init(uuid: "A", nextObjectID: Int64(count), metadata: nil))
        var next = 1
        var rest: [UInt8] = []
        var (ids, lines, largest): (Int64, Int, Int) = (0, 0, 0)
        try XMLDatabase.read {
            while next <= count, rest.count < 1001 {
                writer.write(
                    .init(
                        type: "CITY", id: Int64(next),
                        attributes: [.init(name: "name", type: "string", text: "Zürich \(next)")]))
                rest += writer.take()
                next += 1
                if next > count { rest += writer.finish() }
            }
            largest = max(largest, rest.count)
            defer { rest.removeFirst(min(rest.count, 1001)) }
            return Array(rest.prefix(1001))
        } header: { _ in
        } object: { object, line in
            ids += object.id
            lines = line
            #expect(object.attributes[0].text == "Zürich \(object.id)")
        }
        #expect(ids == Int64(count * (count + 1) / 2))
        #expect(lines == 11 + 3 * (count - 1))
        #expect(largest < 2000)
    }
}
