// The samples have the entities and properties of the books.

import SteleModel
import SteleModelFiles
import TestSupport
import Testing

@Suite struct BookModelTests {
    /// The sample for each model of the books.
    static let samples = [
        ("basic", "BasicApplication"), ("catalog", "Catalog"), ("demo", "Counter"),
        ("league", "LeagueManager"), ("movies", "Movies"), ("orgchart", "OrgChart"),
        ("shapes", "Shapes"), ("stash", "Stash"), ("tasks", "Tasks"),
    ]

    @Test(.enabled(if: Samples.areShared, "the books' models are not here"), arguments: samples)
    func aSampleIsTheBooks(_ book: String, _ sample: String) throws {
        let expected = Self.facts(try Samples.file("data/samples/\(book).json").current)
        let shipped = Self.facts(try ModelFile.read(samplePath(sample)).versions[0])
        #expect(shipped.entities.map(\.name) == expected.entities.map(\.name))
        for (ours, theirs) in zip(shipped.entities, expected.entities) {
            #expect(ours == theirs, "\(ours.name)")
        }
        #expect(shipped.fetchRequestTemplates == expected.fetchRequestTemplates)
        #expect(shipped.configurations == expected.configurations)
    }

    /// The model without what only Xcode and generated classes use, sorted by name.
    private static func facts(_ model: ManagedObjectModel) -> ManagedObjectModel {
        var model = model
        model.entities = model.entities.map(facts).sorted { $0.name < $1.name }
        for place in model.fetchRequestTemplates.indices {
            model.fetchRequestTemplates[place].toolAttributes = []
        }
        return model
    }

    private static func facts(_ entity: EntityDescription) -> EntityDescription {
        var entity = entity
        entity.managedObjectClassName = nil
        entity.codeGenerationType = nil
        entity.isSyncable = false
        entity.properties = entity.properties.map { property in
            guard case .attribute(var it) = property else { return property }
            it.usesScalarValueType = nil
            it.customClassName = nil
            it.toolAttributes = []
            return .attribute(it)
        }
        entity.properties.sort { $0.name < $1.name }
        return entity
    }

    @Test func theFiveVersionsOfShapesDifferByOneStepEach() throws {
        let file = try ModelFile.read(samplePath("Shapes"))
        #expect(
            file.versions.map(\.name) == ["Shapes", "Shapes 2", "Shapes 3", "Shapes 4", "Shapes 5"])
        #expect(file.currentVersionName == "Shapes 5")
        let versions = file.versions
        func names(_ version: Int, _ entity: String) throws -> [String] {
            try versions[version - 1].entity(entity).properties.map(\.name)
        }
        #expect(try names(1, "Shape") == ["color", "canvases"])
        #expect(try names(2, "Canvas") == ["name", "shapes", "transform"])
        #expect(try names(2, "Shape") == ["color", "label", "canvases"])
        #expect(try names(3, "Shape") == ["color", "name", "canvases"])
        let renamed = try versions[2].entity("Shape").attribute("name")
        #expect(renamed.renamingIdentifier == "label")
        #expect(try names(3, "Circle") == ["radius", "x", "y"])
        #expect(try names(4, "Circle") == ["diameter", "x", "y"])
        let ordered = try versions.map { try $0.entity("Canvas").relationship("shapes").isOrdered }
        #expect(ordered == [false, false, false, false, true])
        for version in versions { _ = try Model(version) }
    }
}
