// Mapping models of Xcode, in source and compiled.

import FoundationEssentials
import SteleMigration
import SteleModel
import SteleModelFiles
import StelePredicates
import TestSupport
import Testing

@Suite(.enabled(if: sharedFolder != nil, "the shared data is not here"))
struct ReadingFileTests {
    private func path(_ path: String) throws -> String {
        try #require(sharedFolder).appending(path: "data/coredata/" + path).path
    }

    private func version(_ file: String, _ name: String) throws -> Model {
        let file = try ModelFile.read(path(file))
        return try Model(#require(file.versions.first { $0.name == name }))
    }

    private func moody(_ number: Int) throws -> (file: MappingFile, model: MappingModel) {
        let file = try MappingFile.read(
            path("moody/Moody \(number)-Moody \(number + 1).xcmappingmodel"))
        let folder = "moody/Moody.xcdatamodeld"
        return (
            file,
            try file.mappingModel(
                from: version(folder, "Moody \(number)"),
                to: version(folder, "Moody \(number + 1)"))
        )
    }

    @Test(arguments: 2...5) func aMappingModelOfXcodeIsRead(_ number: Int) throws {
        let (file, model) = try moody(number)
        #expect(file.sourceVersion == "Moody \(number)")
        #expect(file.destinationVersion == "Moody \(number + 1)")
        #expect(file.notes == [])
        for mapping in model.entityMappings {
            #expect(
                mapping.name == "\(mapping.sourceEntityName.map { $0 + "To" } ?? "")"
                    + "\(mapping.destinationEntityName ?? "")")
            for property in mapping.attributeMappings where property.name != "isoContinent" {
                let isThere = property.value != nil || mapping.sourceEntityName == nil
                #expect(isThere, "\(mapping.name).\(property.name)")
            }
        }
    }

    /// Version 2 reaches the continent through the country, version 3 directly.
    @Test func keyPathsOfRelationshipsAreRead() throws {
        let model = try moody(2).model
        #expect(
            model.entityMappings.map(\.name)
                == ["MoodToMood", "CountryToCountry", "ContinentToContinent"])
        let mood = try #require(model.mapping(named: "MoodToMood"))
        #expect(
            mood.relationshipMappings == [
                .init(
                    name: "continent",
                    value: .destinations(
                        mapping: "ContinentToContinent", of: "country.continent")),
                .init(
                    name: "country",
                    value: .destinations(mapping: "CountryToCountry", of: "country")),
            ])
        let continent = try #require(model.mapping(named: "ContinentToContinent"))
        #expect(
            continent.relationshipMappings.first { $0.name == "moods" }?.value
                == .destinations(
                    mapping: "MoodToMood", of: "countries.@distinctUnionOfSets.moods"))
        #expect(
            continent.attributeMappings.first { $0.name == "updatedAt" }?.value
                == .source("updatedAt"))
    }

    @Test func valueExpressionsAreRead() throws {
        let country = try #require(moody(4).model.mapping(named: "CountryToCountry"))
        #expect(
            country.attributeMappings.first { $0.name == "isoContinent" }?.value
                == .expression(
                    .keyPath(.variable("source"), ["continent", "numericISO3166Code"])))
        #expect(country.mappingType == .undefined)
    }

    @Test func policiesAndAddedEntitiesAreRead() throws {
        let model = try moody(5).model
        let continent = try #require(model.entityMappings.first)
        #expect(continent.mappingType == .add && continent.sourceEntityName == nil)
        #expect(continent.attributeMappings.allSatisfy { $0.value == nil })
        let country = try #require(model.mapping(named: "CountryToCountry"))
        #expect(country.mappingType == .custom)
        #expect(
            country.entityMigrationPolicyClassName == "Migrations.Country5ToCountry6Policy")
        #expect(country.relationshipMappings.first { $0.name == "continent" }?.value == nil)
    }

    /// The compiler chooses the types that the source leaves undefined, adds the hashes, and names
    /// the mapping of an added entity.
    @Test func theCompiledFormIsThatOfTheSource() throws {
        let folder = "sample/SampleModel.xcdatamodeld"
        let source = try version(folder, "SampleModel2")
        let destination = try version(folder, "SampleModel3")
        let compiled = try MappingFile.read(path("sample/Fixtures/V2toV3.cdm"))
            .mappingModel(from: source, to: destination)
        let written = try MappingFile.read(
            path("sample/MappingModels/V2toV3.xcmappingmodel")
        ).mappingModel(from: source, to: destination)
        let bare = compiled.entityMappings.map { mapping in
            #expect(mapping.destinationEntityVersionHash?.count == 32)
            var mapping = mapping
            mapping.sourceEntityVersionHash = nil
            mapping.destinationEntityVersionHash = nil
            if mapping.mappingType == .copy { mapping.mappingType = .undefined }
            return mapping
        }
        #expect(bare == written.entityMappings)
        let car = try #require(compiled.mapping(named: "CarToCar"))
        #expect(car.mappingType == .custom)
        #expect(car.entityMigrationPolicyClassName == "REPLACE_AT_RUNTIME.V2to3MakerPolicy")
        #expect(
            car.relationshipMappings == [
                .init(name: "createdBy", value: nil),
                .init(
                    name: "owner", value: .destinations(mapping: "PersonToPerson", of: "owner")),
                .init(
                    name: "previousOwners",
                    value: .destinations(mapping: "PersonToPerson", of: "owner")),
            ])
        let person = try #require(compiled.mapping(named: "PersonToPerson"))
        #expect(
            person.relationshipMappings.first?.value == .destinations(mapping: nil, of: "cars"))
    }

    /// The hashes of version 2 are in the store that version 2 made, those of version 3 in the
    /// compiled model.
    @Test func aFileIsMatchedByItsHashesOrNames() throws {
        let compiled = KnownMapping(try MappingFile.read(path("sample/Fixtures/V2toV3.cdm")))
        let info = try Data(
            contentsOf: URL(filePath: path("sample/Fixtures/SampleModel.momd/VersionInfo.plist")))
        let list = try BinaryPropertyListReader.read([UInt8](info))
        func known(_ name: String) throws -> KnownVersion {
            let entries = try #require(list["NSManagedObjectModel_VersionHashes"]?[name])
            let model = try version("sample/SampleModel.xcdatamodeld", name)
            guard case .dictionary(let hashes) = entries else {
                return KnownVersion(model: model, hashes: [:])
            }
            return KnownVersion(
                model: model,
                hashes: Dictionary(
                    uniqueKeysWithValues: hashes.map { entry in
                        if case .data(let bytes) = entry.value { return (entry.key, bytes) }
                        return (entry.key, [])
                    }))
        }
        let versions = try (
            known("SampleModel"), known("SampleModel2"), known("SampleModel3")
        )
        #expect(compiled.mismatches(from: versions.1, to: versions.2) == [])
        #expect(
            compiled.mismatches(from: versions.0, to: versions.2).contains(
                "its source entity Car is not that of SampleModel"))
        let written = KnownMapping(
            try MappingFile.read(path("sample/MappingModels/V2toV3.xcmappingmodel")))
        #expect(written.mismatches(from: versions.1, to: versions.2) == [])
        #expect(
            written.mismatches(from: versions.0, to: versions.1) == [
                "its source is the version SampleModel2, not SampleModel",
                "its destination is the version SampleModel3, not SampleModel2",
            ])
    }

    @Test func aMappingModelForOtherModelsIsRefused() throws {
        let folder = "moody/Moody.xcdatamodeld"
        let file = try MappingFile.read(path("sample/Fixtures/V2toV3.cdm"))
        let source = try version(folder, "Moody 4")
        let destination = try version(folder, "Moody 5")
        let error = #expect(throws: ModelErrors.self) {
            try file.mappingModel(from: source, to: destination)
        }
        #expect(
            error?.errors.map(\.description).contains(
                "CarToCar: Moody 4 has no entity Car, which is its source") == true)
        #expect(error?.description.hasPrefix("the mapping model /") == true)
    }
}
