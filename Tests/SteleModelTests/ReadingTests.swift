// Reading contents files: every attribute, every way to be wrong.

import Foundation
import SteleModel
import Testing

@Suite("Reading contents files")
struct ReadingTests {
    @Test("Defaults and bounds are typed as their attribute")
    func values() throws {
        let entity = try read(
            """
            <entity name="A">
              <attribute name="i" attributeType="Integer 16" minValueString="-5"
                maxValueString="70000" defaultValueString="7"/>
              <attribute name="d" attributeType="Decimal"
                defaultValueString="12345678901234567890123456789012345.678"/>
              <attribute name="r" attributeType="Double" minValueString="0.5"
                defaultValueString="1e3"/>
              <attribute name="f" attributeType="Float" defaultValueString="0.1"/>
              <attribute name="b" attributeType="Boolean" defaultValueString="YES"/>
              <attribute name="s" attributeType="String" minValueString="1"
                maxValueString="20" defaultValueString="" regularExpressionString="[a-z]*"/>
              <attribute name="t" attributeType="Date" minValueString="12/4/2013"
                minDateTimeInterval="408258000" defaultDateTimeInterval="0.5"/>
              <attribute name="u" attributeType="UUID"
                defaultValueString="e621e1f8-c36c-495a-93fc-0c247a3e6e5f"/>
              <attribute name="l" attributeType="URI" defaultValueString="https://a.b/?c&amp;d"/>
              <attribute name="x" transient="YES"/>
            </entity>
            """
        ).current.entity("A")
        #expect(try entity.attribute("i").defaultValue == .int(7))
        #expect(try entity.attribute("i").minimum == .int(-5))
        #expect(try entity.attribute("i").maximum == .int(70000))
        guard case .decimal(let decimal) = try entity.attribute("d").defaultValue else {
            Issue.record("not a decimal")
            return
        }
        #expect(DecimalText.text(decimal) == "12345678901234567890123456789012345.678")
        #expect(try entity.attribute("r").defaultValue == .double(1000))
        #expect(try entity.attribute("r").minimum == .double(0.5))
        #expect(try entity.attribute("f").defaultValue == .double(Double(Float(0.1))))
        #expect(try entity.attribute("b").defaultValue == .bool(true))
        #expect(try entity.attribute("s").defaultValue == .string(""))
        #expect(try entity.attribute("s").minimum == .int(1))
        #expect(try entity.attribute("s").maximum == .int(20))
        #expect(try entity.attribute("s").regularExpression == "[a-z]*")
        #expect(try entity.attribute("t").defaultValue == .date(0.5))
        #expect(try entity.attribute("t").minimum == .date(408_258_000))
        let uuid = try #require(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
        #expect(try entity.attribute("u").defaultValue == .uuid(uuid))
        #expect(try entity.attribute("l").defaultValue == .string("https://a.b/?c&d"))
        #expect(try entity.attribute("x").type == .undefined)
    }

    @Test(
        "Numbers are read as the framework reads them",
        arguments: [
            (#"attributeType="Integer 16" defaultValueString="NO""#, Value.int(0)),
            (#"attributeType="Integer 32" defaultValueString="YES""#, .int(1)),
            (#"attributeType="Integer 64" defaultValueString="true""#, .int(1)),
            (#"attributeType="Integer 16" defaultValueString=" false ""#, .int(0)),
            (#"attributeType="Integer 16" defaultValueString=" 7""#, .int(7)),
            (#"attributeType="Double" defaultValueString="&#9;0.5 ""#, .double(0.5)),
            (#"attributeType="Float" defaultValueString="-1 ""#, .double(-1)),
            (#"attributeType="Decimal" defaultValueString=" 0.25 ""#, .decimal(Decimal(0.25))),
            (#"attributeType="Date" defaultDateTimeInterval=" 60 ""#, .date(60)),
            (#"attributeType="String" defaultValueString=" a ""#, .string(" a ")),
        ])
    func asTheFramework(_ attributes: String, _ expected: Value) throws {
        let bounds =
            attributes.contains("Integer") ? #"minValueString=" 0" maxValueString="9 ""# : ""
        let attribute = try read(
            #"<entity name="A"><attribute name="a" \#(attributes) \#(bounds)/></entity>"#
        ).current.entity("A").attribute("a")
        #expect(attribute.defaultValue == expected)
        if !bounds.isEmpty { #expect(attribute.minimum == .int(0) && attribute.maximum == .int(9)) }
    }

    @Test(
        "A value that cannot be read names its property and its text",
        arguments: [
            (#"attributeType="Integer 16" defaultValueString="70000""#, "70000"),
            (#"attributeType="Integer 64" defaultValueString="seven""#, "seven"),
            (#"attributeType="Decimal" defaultValueString="1,5""#, "1,5"),
            (#"attributeType="Double" defaultValueString="nan""#, "nan"),
            (#"attributeType="Float" defaultValueString="1e99""#, "1e99"),
            (#"attributeType="Boolean" defaultValueString="perhaps""#, "perhaps"),
            (#"attributeType="UUID" defaultValueString="123""#, "123"),
            (#"attributeType="Date" defaultValueString="yesterday""#, "yesterday"),
            (#"attributeType="Date" minDateTimeInterval="early""#, "early"),
            (#"attributeType="Binary" defaultValueString="AAAA""#, "AAAA"),
            (#"attributeType="String" minValueString="-1""#, "-1"),
            (#"attributeType="String" maxValueString="long""#, "long"),
            (#"attributeType="Double" maxValueString="much""#, "much"),
            (#"attributeType="Text""#, "Text"),
            (#"attributeType="String" optional="maybe""#, "maybe"),
        ])
    func wrongValues(_ attributes: String, _ text: String) throws {
        let found = try mistakes(inEntity: "<attribute name=\"p\" \(attributes)/>")
        #expect(found.count == 1)
        let message = try #require(found.first)
        #expect(message.hasPrefix("A.p: "))
        #expect(message.contains("\"\(text)\""))
    }

    @Test("What is not known is told, never dropped in silence")
    func notes() throws {
        let file = try read(
            """
            <entity name="A" colour="red"><gadget/>
              <attribute name="p" attributeType="Boolean" minValueString="1" sparkle="YES"/>
              <attribute name="n" attributeType="Integer 16" defaultValueString=""/>
              <userInfo><entry key="k" value="1"/><entry key="k" value="2"/></userInfo>
            </entity><widget/><elements><element name="A" positionX="0"/></elements>
            """)
        let told = file.notes.map(\.description)
        for part in [
            "A: the attribute colour=\"red\"", "A: the element <gadget> on line 3",
            "A.p: the attribute minValueString", "A.p: the attribute sparkle",
            "A.n: its empty default",
            "A: its user info has the key k twice", "the element <widget>",
        ] {
            #expect(told.contains { $0.hasPrefix(part) }, "\(part)")
        }
        #expect(told.count == 7)
        #expect(try file.current.entity("A").userInfo == [UserInfoEntry(key: "k", value: "2")])
    }

    @Test("Every rarer declaration is read")
    func rare() throws {
        let file = try read(
            """
            <entity name="A" codeGenerationType="none" elementID="Old" versionHashModifier="2">
              <attribute name="p" attributeType="Binary"
                allowsExternalBinaryDataStorage="YES" renamingIdentifier="q"
                versionHashModifier="x" storedInTruthFile="YES"/>
              <attribute name="place" attributeType="Composite" composite="Place"/>
              <relationship name="r" toMany="YES" minCount="2" maxCount="5"
                deletionRule="No Action" ordered="YES" destinationEntity="A" inverseName="r"
                inverseEntity="A" transient="YES" indexed="YES" elementID="old"/>
              <fetchIndex name="i" partialIndexPredicate="p != nil">
                <fetchIndexElement property="p" type="RTree" order="descending"/>
                <fetchIndexElement expression="length:(p)" expressionType="Integer 64"
                  type="Binary"/>
              </fetchIndex>
            </entity>
            <composite name="Place"><attribute name="lat" attributeType="Double"/><attribute
              name="inner" attributeType="Composite" composite="Empty"/></composite>
            <composite name="Empty"/>
            <fetchRequest name="t" entity="A" fetchLimit="220" fetchBatchSize="20"/>
            """)
        #expect(file.notes.isEmpty)
        let entity = try file.current.entity("A")
        #expect(entity.codeGenerationType == EntityDescription.CodeGenerationType.none)
        #expect(entity.renamingIdentifier == "Old" && entity.versionHashModifier == "2")
        let attribute = try entity.attribute("p")
        #expect(attribute.allowsExternalBinaryDataStorage && attribute.isStoredInTruthFile)
        #expect(attribute.renamingIdentifier == "q" && attribute.versionHashModifier == "x")
        let relationship = try entity.relationship("r")
        #expect(relationship.minimumCount == 2 && relationship.maximumCount == 5)
        #expect(relationship.deleteRule == .noAction && relationship.isOrdered)
        #expect(relationship.isTransient && relationship.isIndexed)
        #expect(relationship.renamingIdentifier == "old")
        let index = try #require(entity.fetchIndexes.first)
        #expect(index.partialIndexPredicate == "p != nil")
        #expect(index.elements[0].collation == .rTree && !index.elements[0].isAscending)
        #expect(index.elements[1].expression == "length:(p)")
        #expect(index.elements[1].expressionType == .integer64)
        #expect(file.current.composites.map(\.name) == ["Place", "Empty"])
        #expect(file.current.composites[0].attributes.map(\.compositeName) == [nil, "Empty"])
        #expect(file.current.fetchRequestTemplates[0].fetchLimit == 220)
        #expect(file.current.fetchRequestTemplates[0].fetchBatchSize == 20)
    }

    @Test(
        "A declaration that says too little or too strange a thing is refused",
        arguments: [
            (#"<attribute attributeType="String"/>"#, "has no name"),
            (#"<relationship name="r"/>"#, "A.r: it has no destination entity"),
            (#"<relationship name="r" destinationEntity="A" deletionRule="Explode"/>"#, "Explode"),
            (#"<relationship name="r" destinationEntity="A" maxCount="many"/>"#, "many"),
            (#"<fetchedProperty name="f"/>"#, "A.f: the fetched property has no fetch request"),
            (
                #"<fetchIndex name="i"><fetchIndexElement property="p" type="Hash"/></fetchIndex>"#,
                "Hash"
            ),
        ])
    func refused(_ inside: String, _ part: String) throws {
        let found = try mistakes(inEntity: inside)
        #expect(found.count == 1)
        #expect(found.first?.contains(part) == true, "\(found)")
    }
}
