// The models that Apple's tools made, read whole.

import SteleModel
import Testing

@Suite("Sample models", .enabled(if: Samples.areShared, "the sample models are not here"))
struct SampleModelTests {
    @Test("The model of every kind of property has all of it")
    func swiftgen() throws {
        let file = try Samples.file(Samples.shared[0])
        #expect(file.notes.isEmpty)
        #expect(file.versions.map(\.name) == ["Model", "Model 2"])
        #expect(file.currentVersionName == "Model 2")
        let model = file.current
        #expect(model.entities.count == 8)
        #expect(
            model.toolAttributes.map(\.key) == [
                "lastSavedToolsVersion", "systemVersion", "minimumToolsVersion", "sourceLanguage",
            ])
        #expect(try model.entity("AbstractEntity").isAbstract)
        #expect(try model.entity("AutoClassGen").codeGenerationType == .class)
        #expect(try model.entity("AutoExtensionGen").codeGenerationType == .category)
        let child = try model.entity("ChildEntity")
        #expect(child.parentName == "MainEntity")
        #expect(child.managedObjectClassName == "SwiftGen.ChildEntity")
        #expect(child.userInfo == [UserInfoEntry(key: "key", value: "value")])
        #expect(
            try child.attribute("canonicalOptionalString").derivationExpression
                == "canonical:(optionalString)")
        #expect(try child.attribute("now").derivationExpression == "now()")
        #expect(try child.attribute("now").usesScalarValueType == true)
        try checkMainEntity(model.entity("MainEntity"))
        let new = try model.entity("NewEntity")
        #expect(new.uniquenessConstraints == [["identifier"]])
        #expect(new.fetchIndexes.map(\.name) == ["byIdentifierIndex"])
        #expect(new.fetchIndexes[0].elements[0].propertyName == "identifier")
        #expect(new.fetchIndexes[0].elements[0].isAscending)
        #expect(model.configurations.map(\.name) == ["Custom"])
        #expect(model.configurations[0].entityNames == ["NewEntity"])
        checkTemplates(model.fetchRequestTemplates)
    }

    private func checkMainEntity(_ main: EntityDescription) throws {
        #expect(main.properties.count == 31)
        #expect(main.properties.first?.name == "attributedString")
        #expect(main.properties.last?.name == "fetchedProperty")
        #expect(try main.attribute("attributedString").customClassName == "NSAttributedString")
        #expect(try main.attribute("binaryData").type == .binary)
        #expect(try !main.attribute("boolean").isOptional)
        #expect(try main.attribute("boolean").defaultValue == .null)
        #expect(try main.attribute("date").usesScalarValueType == false)
        #expect(try main.attribute("decimal").defaultValue == .decimal(0))
        #expect(try main.attribute("double").defaultValue == .double(0))
        #expect(try main.attribute("int64").defaultValue == .int(0))
        #expect(try main.attribute("transient").isTransient)
        #expect(try main.attribute("uuid").type == .uuid)
        #expect(
            try main.attribute("integerOptionSet").userInfo.map(\.key)
                == ["nonOptionalInit", "RawType", "unwrapOptional"])
        let oneToMany = try main.relationship("oneToMany")
        #expect(oneToMany.isToMany && oneToMany.isOrdered && oneToMany.isOptional)
        #expect(oneToMany.maximumCount == 0)
        #expect(oneToMany.deleteRule == .nullify)
        #expect(try main.relationship("oneToOne").maximumCount == 1)
        guard case .fetchedProperty(let fetched)? = main.properties.last else {
            Issue.record("the last property is not the fetched one")
            return
        }
        #expect(fetched.request.entityName == "NewEntity")
        #expect(fetched.request.predicateFormat == "true == true")
        #expect(fetched.userInfo == [UserInfoEntry(key: "key", value: "value")])
    }

    private func checkTemplates(_ templates: [FetchRequestTemplate]) {
        #expect(
            templates.map(\.name) == [
                "DictionaryFetchRequest", "ObjectFetchRequest", "ObjectIDFetchRequest",
            ])
        #expect(templates.map(\.resultType) == [.dictionaries, .objects, .objectIDs])
        #expect(templates[0].predicateFormat == nil)
        #expect(templates[1].predicateFormat == "uuid == $UUID")
        #expect(templates[1].returnsDistinctResults && templates[1].includesSubentities)
        #expect(!templates[2].returnsDistinctResults)
    }

    @Test("Entities are numbered by family, without regard to case")
    func numbering() throws {
        let model = try Samples.file(Samples.shared[0]).model()
        #expect(
            model.entities.map(\.name) == [
                "AbstractEntity", "NewEntity", "AutoClassGen", "AutoExtensionGen", "ImpossibleType",
                "MainEntity", "ChildEntity", "SecondaryEntity",
            ])
        let child = try #require(model.entity(named: "ChildEntity"))
        #expect(model.root(of: child).name == "MainEntity")
        let main = model.root(of: child)
        #expect(Array(child.slots.map(\.name).prefix(main.slots.count)) == main.slots.map(\.name))
        let oneToMany = try #require(child.relationship(named: "oneToMany"))
        #expect(
            model.inverse(of: oneToMany)?.owner == model.entity(named: "SecondaryEntity")?.index)
    }

    @Test("Six versions sort as in the Finder, and the current one is named")
    func moody() throws {
        let file = try Samples.file(Samples.shared[1])
        #expect(file.notes.isEmpty)
        #expect(
            file.versions.map(\.name)
                == ["Moody", "Moody 2", "Moody 3", "Moody 4", "Moody 5", "Moody 6"])
        #expect(file.currentVersionName == "Moody 6")
        #expect(file.current.versionIdentifier == "6")
        let country = try file.current.entity("Country")
        #expect(country.compoundIndexes == [["markedForDeletionDate", "updatedAt"]])
        #expect(country.uniquenessConstraints == [["numericISO3166Code", "uniquenessDummy"]])
        let mood = try file.current.entity("Mood")
        #expect(try mood.attribute("remoteID").renamingIdentifier == "remoteIdentifier")
        #expect(try mood.attribute("remoteID").isIndexed)
        #expect(try mood.attribute("markedForRemoteDeletion").defaultValue == .bool(false))
        #expect(try mood.attribute("colors").valueTransformerName == "ColorsTransformer")
        let first = try Model(file.versions[0])
        #expect(
            first.entities.map(\.name) == ["GeographicRegion", "Continent", "Country", "Mood"])
        for version in file.versions { _ = try Model(version) }
    }

    @Test("A chain of three entities inherits slots and constraints")
    func inheritance() throws {
        let file = try Samples.file(Samples.shared[2])
        #expect(file.currentVersionName == "SampleModel")
        let model = try file.model()
        #expect(model.entities.map(\.name) == ["Car", "SportCar", "ExpensiveSportCar", "Person"])
        let car = try #require(model.entity(named: "Car"))
        #expect(car.subtree == 0..<3)
        let expensive = try #require(model.entity(named: "ExpensiveSportCar"))
        #expect(expensive.uniquenessConstraints == [["numberPlate"]])
        #expect(expensive.attribute(named: "isLimitedEdition")?.slot == car.slots.count)
        #expect(
            try file.current.entity("Person").attribute("id").preservesValueInHistoryOnDeletion)
        let second = try Model(file.versions[1])
        #expect(
            second.entity(named: "LuxuryCar")?.declaration.renamingIdentifier
                == "ExpensiveSportCar")
    }

    @Test("The yardstick's model")
    func people() throws {
        let model = try Samples.file(Samples.shared[3]).model()
        let person = try #require(model.entity(named: "Person"))
        #expect(person.slots.map(\.name) == ["age", "email", "hiredAt", "name", "salary", "team"])
        #expect(person.declaration.fetchIndexes.map(\.name) == ["byAge", "byName"])
        #expect(try #require(model.entity(named: "Team")).toManys.map(\.name) == ["people"])
    }
}
