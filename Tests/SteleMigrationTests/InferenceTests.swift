import SteleMigration
import SteleModel
import Testing

/// The changes that lightweight migration accepts, each with its mapping.
@Suite struct InferenceTests {
    private func mapping(
        _ source: String, _ destination: String, _ name: String = "IEM_Transform_Person"
    ) throws -> EntityMapping {
        let mapping = try MappingModel.inferred(from: model(source), to: model(destination))
        return try #require(mapping.mapping(named: name), "\(mapping.entityMappings.map(\.name))")
    }

    private func attributes(_ mapping: EntityMapping) -> [String] {
        texts(mapping.attributeMappings)
    }

    private func texts(_ mappings: [PropertyMapping]) -> [String] {
        mappings.map { it in
            if case .source(let name)? = it.value { "\(it.name)=\(name)" } else { it.name }
        }
    }

    @Test func equalModelsAreCopied() throws {
        let one = "[\(entity("Person", "name: String"))]"
        let copy = try mapping(one, one, "IEM_Copy_Person")
        #expect(copy.mappingType == .copy)
        #expect(copy.sourceEntityName == "Person" && copy.destinationEntityName == "Person")
        #expect(attributes(copy) == ["name=name"])
    }

    @Test func whatIsNotInTheVersionHashIsCopied() throws {
        let old = "[\(entity("Person", "name: String"))]"
        let new = #"[\#(entity("Person", #"name: String, "default": "x", "maximum": 9"#))]"#
        #expect(try mapping(old, new, "IEM_Copy_Person").mappingType == .copy)
    }

    @Test func anAttributeIsAdded() throws {
        let it = try mapping(
            "[\(entity("Person", "name: String"))]",
            "[\(entity("Person", "name: String", "age: Integer 16"))]")
        #expect(it.mappingType == .transform)
        #expect(attributes(it) == ["name=name", "age"])
    }

    @Test func anAttributeIsRemoved() throws {
        let it = try mapping(
            "[\(entity("Person", "name: String", "age: Integer 16"))]",
            "[\(entity("Person", "name: String"))]")
        #expect(attributes(it) == ["name=name"])
    }

    @Test func anAttributeIsRenamed() throws {
        let it = try mapping(
            "[\(entity("Person", "name: String"))]",
            #"[\#(entity("Person", #"title: String, "renamingIdentifier": "name""#))]"#)
        #expect(attributes(it) == ["title=name"])
    }

    @Test func renamingSkipsVersions() throws {
        let one = "[\(entity("Person", "color: String"))]"
        let two = #"[\#(entity("Person", #"paint: String, "renamingIdentifier": "color""#))]"#
        let three = #"[\#(entity("Person", #"primary: String, "renamingIdentifier": "color""#))]"#
        let byName = #"[\#(entity("Person", #"primary: String, "renamingIdentifier": "paint""#))]"#
        #expect(try attributes(mapping(one, three)) == ["primary=color"])
        #expect(try attributes(mapping(two, three)) == ["primary=paint"])
        #expect(try attributes(mapping(two, byName)) == ["primary=paint"])
    }

    @Test func aRenamingIdentifierThatIsDroppedOrReversedKeepsTheValues() throws {
        let old = #"[\#(entity("Person", #"title: String, "renamingIdentifier": "name""#))]"#
        let dropped = "[\(entity("Person", "title: String", "age: Integer 16"))]"
        let reversed = "[\(entity("Person", "name: String"))]"
        #expect(try attributes(mapping(old, dropped)) == ["title=title", "age"])
        #expect(try attributes(mapping(old, reversed)) == ["name=title"])
    }

    @Test func twoAttributesSwapNames() throws {
        let it = try mapping(
            "[\(entity("Person", "a: String", "b: String"))]",
            "["
                + entity(
                    "Person", #"a: String, "renamingIdentifier": "b""#,
                    #"b: String, "renamingIdentifier": "a""#) + "]")
        // The version hash is the same, and the entity is still transformed.
        #expect(attributes(it) == ["a=b", "b=a"])
    }

    @Test func aRenamingIdentifierThatIsAbsentInTheSourceIsAnAddition() throws {
        let it = try mapping(
            "[\(entity("Person", "name: String"))]",
            #"[\#(entity("Person", #"name: Integer 16, "renamingIdentifier": "number""#))]"#)
        #expect(attributes(it) == ["name"])
    }

    @Test func severalAttributesComeFromOne() throws {
        let it = try mapping(
            "[\(entity("Person", "name: String"))]",
            "["
                + entity(
                    "Person", "name: String", #"first: String, "renamingIdentifier": "name""#,
                    #"last: String, "renamingIdentifier": "name""#) + "]")
        #expect(attributes(it) == ["name=name", "first=name", "last=name"])
    }

    @Test(arguments: ["true", "false"]) func anAttributeChangesItsOptionality(_ now: String) throws
    {
        let before = now == "true" ? "false" : "true"
        let it = try mapping(
            #"[\#(entity("Person", #"name: String, "optional": \#(before)"#))]"#,
            #"[\#(entity("Person", #"name: String, "optional": \#(now)"#))]"#)
        #expect(it.mappingType == .transform)
        #expect(attributes(it) == ["name=name"])
    }

    @Test func externalStorageChanges() throws {
        let inside = "[\(entity("Person", "photo: Binary"))]"
        let outside = #"[\#(entity("Person", #"photo: Binary, "externalStorage": true"#))]"#
        #expect(try attributes(mapping(inside, outside)) == ["photo=photo"])
        #expect(try attributes(mapping(outside, inside)) == ["photo=photo"])
    }

    @Test func derivedAndTransientAttributesHaveNoMapping() throws {
        let it = try mapping(
            #"[\#(entity("Person", "name: String", #"old: String, "transient": true"#))]"#,
            "["
                + entity(
                    "Person", "name: String", #"cache: String, "transient": true"#, "old: String",
                    #"key: String, "derivation": "canonical:(name)""#) + "]")
        #expect(attributes(it) == ["name=name", "old"])
    }

    @Test func attributesInsideACompositeAreMappedByKeyPath() throws {
        let person = #"[\#(entity("Person", #"home: Composite, "composite": "Address""#))]"#
        let old = #"[{"name": "Address", "attributes": [{"name": "town", "type": "String"}]}]"#
        let city = #"{"name": "city", "type": "String", "renamingIdentifier": "town"}"#
        let zip = #"{"name": "zip", "type": "String"}"#
        let new = #"[{"name": "Address", "attributes": [\#(city), \#(zip)]}]"#
        let it = try MappingModel.inferred(
            from: model(person, composites: old), to: model(person, composites: new))
        #expect(attributes(it.entityMappings[0]) == ["home.city=home.town", "home.zip"])
    }

    @Test func aRelationshipIsAddedAndRemoved() throws {
        let without = "[\(entity("Player")), \(entity("Team"))]"
        let with = league(players: #""toMany": true"#, team: #""optional": true"#)
        let added = try MappingModel.inferred(from: model(without), to: model(with))
        #expect(added.entityMappings.map(\.name) == ["IEM_Transform_Player", "IEM_Transform_Team"])
        #expect(added.entityMappings[0].relationshipMappings == [.init(name: "team", value: nil)])
        let removed = try MappingModel.inferred(from: model(with), to: model(without))
        #expect(removed.entityMappings.allSatisfy { $0.relationshipMappings.isEmpty })
    }

    @Test func aRelationshipIsRenamed() throws {
        let old = #"{"name": "team", "destination": "Team"}"#
        let new = #"{"name": "club", "destination": "Team", "renamingIdentifier": "team"}"#
        let it = try mapping(
            "[\(entity("Team")), \(entity("Player", more: #""relationships": [\#(old)]"#))]",
            "[\(entity("Team")), \(entity("Player", more: #""relationships": [\#(new)]"#))]",
            "IEM_Transform_Player")
        #expect(texts(it.relationshipMappings) == ["club=team"])
    }

    @Test func aRelationshipBecomesToManyOrOrdered() throws {
        let toOne = league(players: #""toMany": false"#, team: #""toMany": false"#)
        let toMany = league(players: #""toMany": true"#, team: #""toMany": false"#)
        let ordered = league(
            players: #""toMany": true, "ordered": true"#, team: #""toMany": false"#)
        for (old, new) in [(toOne, toMany), (toMany, ordered), (ordered, toMany)] {
            let it = try mapping(old, new, "IEM_Transform_Team")
            #expect(texts(it.relationshipMappings) == ["players=players"])
        }
    }

    @Test func anEntityIsAddedRemovedAndRenamed() throws {
        let it = try MappingModel.inferred(
            from: model("[\(entity("Person")), \(entity("Old"))]"),
            to: model(
                "[\(entity("Human", more: #""renamingIdentifier": "Person""#)),\(entity("New"))]"))
        #expect(
            it.entityMappings == [
                EntityMapping(
                    name: "IEM_Transform_Human", mappingType: .transform, source: "Person",
                    destination: "Human"),
                EntityMapping(
                    name: "IEM_Add_New", mappingType: .add, source: nil, destination: "New"),
                EntityMapping(
                    name: "IEM_Remove_Old", mappingType: .remove, source: "Old", destination: nil),
            ])
    }

    @Test func aRelationshipToARenamedEntityIsKept() throws {
        let toTeam = #""relationships": [{"name": "team", "destination": "Team"}]"#
        let toClub = #""relationships": [{"name": "team", "destination": "Club"}]"#
        let club = entity("Club", more: #""renamingIdentifier": "Team""#)
        let it = try mapping(
            "[\(entity("Team")), \(entity("Person", more: toTeam))]",
            "[\(club), \(entity("Person", more: toClub))]")
        #expect(texts(it.relationshipMappings) == ["team=team"])
    }

    @Test func aParentIsNew() throws {
        let it = try MappingModel.inferred(
            from: model("[\(entity("Player", "name: String", "number: Integer 16"))]"),
            to: model(
                "[\(entity("Person", "name: String", more: #""abstract": true"#)), "
                    + #"\#(entity("Player", "number: Integer 16", more: #""parent": "Person""#))]"#)
        )
        #expect(it.entityMappings.map(\.mappingType) == [.add, .transform])
        #expect(attributes(it.entityMappings[1]) == ["name=name", "number=number"])
    }

    @Test func aChildIsNewAndTakesAnAttributeDown() throws {
        let it = try MappingModel.inferred(
            from: model("[\(entity("Person", "name: String", "number: Integer 16"))]"),
            to: model(
                "[\(entity("Person", "name: String")), "
                    + #"\#(entity("Player", "number: Integer 16", more: #""parent": "Person""#))]"#)
        )
        #expect(it.entityMappings.map(\.mappingType) == [.transform, .add])
        #expect(attributes(it.entityMappings[0]) == ["name=name"])
    }

    @Test func propertiesMoveInTheHierarchy() throws {
        let parent = #""parent": "Person""#
        let up = "[\(entity("Person", "number: Integer 16")), \(entity("Player", more: parent))]"
        let down = "[\(entity("Person")), \(entity("Player", "number: Integer 16", more: parent))]"
        #expect(try attributes(mapping(down, up)) == ["number"])
        #expect(try attributes(mapping(down, up, "IEM_Transform_Player")) == ["number=number"])
        #expect(try attributes(mapping(up, down)) == [])
        #expect(try attributes(mapping(up, down, "IEM_Transform_Player")) == ["number=number"])
    }

    @Test func aChangedParentTransformsItsChildren() throws {
        let parent = #""parent": "Person""#
        let child = entity("Player", more: parent)
        let it = try mapping(
            "[\(entity("Person")), \(child)]", "[\(entity("Person", "age: Float")), \(child)]",
            "IEM_Transform_Player")
        #expect(attributes(it) == ["age"])
    }

    @Test func anEntityLeavesItsHierarchy() throws {
        let inside = entity("Player", more: #""parent": "Person""#)
        let it = try mapping(
            "[\(entity("Person", "name: String")), \(inside)]",
            "[\(entity("Person", "name: String")), \(entity("Player", "name: String"))]",
            "IEM_Transform_Player")
        #expect(attributes(it) == ["name=name"])
    }
}
