// Xcode's mapping models in forms that the shared ones do not have.

import Foundation
import SteleMigration
import SteleModel
import Testing

@Suite struct ReadingXMLTests {
    private static func model(_ name: String, _ text: String) throws -> Model {
        try Model(ManagedObjectModel(json: Array(text.utf8), name: name))
    }

    /// A mapping of persons to persons, and one to addresses; the relationship `address` has a key
    /// path and the name of a mapping.
    private func mapping(_ keyPath: String) throws -> MappingModel {
        let old = try Self.model(
            "Old",
            #"""
            {"entities": [{"name": "Person", "attributes": [{"name": "name", "type": "String"}]}]}
            """#)
        let new = try Self.model(
            "New",
            #"""
            {"entities": [
              {"name": "Person", "attributes": [{"name": "name", "type": "String"}],
               "relationships": [{"name": "address", "destination": "Address"}]},
              {"name": "Address"}]}
            """#)
        let xml = """
            <database><databaseInfo><nextObjectID>109</nextObjectID></databaseInfo>
            <object type="XDDEVMAPPINGMODEL" id="z101">
            <relationship name="entitymappings" type="0/0" destination="A" idrefs="z102 z105"/>
            </object>
            <object type="XDDEVENTITYMAPPING" id="z102">
            <attribute name="sourcename" type="string">Person</attribute>
            <attribute name="destinationname" type="string">Person</attribute>
            <attribute name="mappingnumber" type="int16">1</attribute>
            <relationship name="relationshipmappings" type="0/0" destination="A" idrefs="z104"/>
            </object>
            <object type="XDDEVRELATIONSHIPMAPPING" id="z104">
            <attribute name="sourcekeypath" type="string">\(keyPath)</attribute>
            <attribute name="sourcemappingname" type="string">PersonToAddress</attribute>
            <attribute name="name" type="string">address</attribute></object>
            <object type="XDDEVENTITYMAPPING" id="z105">
            <attribute name="sourcename" type="string">Person</attribute>
            <attribute name="destinationname" type="string">Address</attribute>
            <attribute name="mappingnumber" type="int16">2</attribute>
            </object></database>
            """
        return try MappingFile(Array(xml.utf8), path: "m").mappingModel(from: old, to: new)
    }

    /// The objects are those that the other mapping makes of the same object.
    @Test func theSourceAloneIsAKeyPath() throws {
        #expect(
            try mapping("$source").mapping(named: "PersonToPerson")?.relationshipMappings == [
                PropertyMapping(
                    name: "address", value: .destinations(mapping: "PersonToAddress", of: ""))
            ])
    }

    @Test(arguments: ["$destination", "name", "$source +", "$source.name"])
    func aKeyPathThatDoesNotLeadToObjectsIsRefused(_ keyPath: String) {
        #expect {
            try mapping(keyPath)
        } throws: { error in
            "\(error)".contains("PersonToPerson.address") && "\(error)".contains(keyPath)
        }
    }

    /// A copy of a model in which one entity is there very often, with one property very often.
    @Test func aCopyThatDescribesVeryMuchIsLeftOut() throws {
        var archive = KeyedArchiveWriter()
        func repeated(_ member: PropertyList, _ count: Int) -> PropertyList {
            let names = (0..<count).map { archive.scalar(.string("n\($0)")) }
            return archive.object(
                ["NSMutableDictionary", "NSObject"],
                [
                    ("NS.keys", .array(names)),
                    ("NS.objects", .array(Array(repeating: member, count: count))),
                ])
        }
        let relationship = archive.object(["XDPMRelationship", "NSObject"], [])
        let entity = archive.object(
            ["XDPMEntity", "NSObject"],
            [("XDBucketForOwnedAttributesstorage", repeated(relationship, 20_000))])
        let package = archive.object(
            ["XDModelPackage", "NSObject"],
            [("XDBucketForClassesstorage", repeated(entity, 20_000))])
        let root = archive.object(
            ["XDPMModel", "NSObject"], [("_xd_rootPackage", package)])
        let copy = Data(archive.bytes(root: root)).base64EncodedString()
        let xml = """
            <database><databaseInfo><nextObjectID>102</nextObjectID></databaseInfo>
            <object type="XDDEVMAPPINGMODEL" id="z101">
            <attribute name="sourcemodeldata" type="binary">\(copy)</attribute>
            </object></database>
            """
        let start = ContinuousClock.now
        #expect(try MappingFile(Array(xml.utf8), path: "m").sourceVersion == nil)
        #expect(ContinuousClock.now - start < .seconds(20))
    }
}
