// Containers migrate the stores that they open: of every type, made by Stele or by an app, through
// several versions, and by mapping models and policies.

import Foundation
import Stele
import TestSupport
import Testing

/// Writes the models of a folder, `Staff/v1.json` and `Staff/v2.json`, and stores of the first.
private struct Staff {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write(Self.version("first", "last"), to: "Staff/v1.json")
    }

    private static func version(_ attributes: String...) -> String {
        let list = attributes.map { #"{"name":"\#($0)","type":"String"}"# }
        return #"{"entities":[{"name":"Person","attributes":[\#(list.joined(separator: ","))]}]}"#
    }

    func file() throws -> ModelFile { try ModelFile.read(folder.path + "/Staff") }

    /// Makes a store of the first version with one person, and adds the second version.
    func description(_ name: String) throws -> PersistentStoreDescription {
        let description = PersistentStoreDescription(path: folder.path + "/" + name)
        let container = try PersistentContainer(modelFile: file(), stores: [description])
        defer { container.close() }
        let context = container.newBackgroundContext()
        let person = try context.insert(
            #require(container.managedObjectModel.entity(named: "Person")))
        try person.setValue(.string("Ann"), forKey: "first")
        try person.setValue(.string("Lee"), forKey: "last")
        try context.save()
        try folder.write(Self.version("last", "name"), to: "Staff/v2.json")
        return description
    }

    /// Writes a mapping model, which computes the name that inference leaves empty.
    func writeMapping(to name: String, _ property: String = "") throws {
        try folder.write(
            #"""
            {"from": "v1", "to": "v2", "mappings": [{"source": "Person", "destination": "Person",
              \#(property)"attributes": {"name": "$source.first", "last": "$source.last"}}]}
            """#, to: name)
    }

    /// The names of the persons in a store of the second version.
    func names(_ description: PersistentStoreDescription) throws -> [String] {
        let container = try PersistentContainer(modelFile: file(), stores: [description])
        defer { container.close() }
        let context = container.newBackgroundContext()
        let person = try #require(container.managedObjectModel.entity(named: "Person"))
        return try context.fetch(FetchRequest(entity: person)).map { object in
            try ["name", "last"].map { try object.value(forKey: $0).text ?? "-" }
                .joined(separator: " ")
        }
    }
}

/// Joins two attributes, which a mapping of a file could do as well.
private final class NamePolicy: EntityMigrationPolicy {
    override func createDestinationInstances(
        forSource source: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
    ) throws {
        try super.createDestinationInstances(forSource: source, in: mapping, manager: manager)
        for made in try manager.destinationInstances(
            forEntityMappingNamed: mapping.name, sourceInstances: [source])
        {
            let parts = try ["first", "last"].compactMap { try source.value(forKey: $0).text }
            try made.setValue(.string(parts.joined(separator: "+")), forKey: "name")
        }
    }
}

/// A class of the second version.
private final class Member: ManagedObject {}

/// Makes one more object, of the class.
private final class InsertingPolicy: EntityMigrationPolicy {
    override func endInstanceCreation(
        forMapping mapping: EntityMapping, manager: MigrationManager
    ) throws {
        let one = try manager.destinationContext.insert(Member.self)
        try one.setValue(.string("made"), forKey: "name")
    }
}

extension Value {
    fileprivate var text: String? { if case .string(let text) = self { text } else { nil } }
}

/// The second version of `Staff`, as generated code has it with a mapping model.
private enum StaffModel: TypedModel {
    static let embedded = EmbeddedModel(
        name: "Staff", currentVersion: "v2",
        versions: [
            #"""
            {"name": "v1", "entities": [{"name": "Person", "attributes": [
              {"name": "first", "type": "String"}, {"name": "last", "type": "String"}]}]}
            """#,
            #"""
            {"name": "v2", "entities": [{"name": "Person", "attributes": [
              {"name": "last", "type": "String"}, {"name": "name", "type": "String"}]}]}
            """#,
        ],
        mappings: [
            EmbeddedMapping(
                "names.mapping.json",
                #"""
                {"from": "v1", "to": "v2", "mappings": [
                  {"source": "Person", "destination": "Person",
                   "attributes": {"name": "$source.first"}}]}
                """#)
        ])
    static let entities: [TypedEntity] = []
}

@Suite(.timeLimit(.minutes(30))) struct ContainerMigrationTests {
    private static let stores = ["s.sqlite", "s.xml", "s.binary", "s.txt"]

    @Test(arguments: stores)
    func aStoreOfEachTypeIsMigratedByAnInferredMapping(_ name: String) throws {
        let staff = try Staff()
        let description = try staff.description(name)
        #expect(try staff.names(description) == ["- Lee"])
        #expect(try staff.names(description) == ["- Lee"])
        #expect(!FileManager.default.fileExists(atPath: description.path + ".migration"))
    }

    @Test(arguments: stores)
    func aMappingModelBesideTheModelIsFound(_ name: String) throws {
        let staff = try Staff()
        let description = try staff.description(name)
        try staff.writeMapping(to: "Mappings/names.mapping.json")
        #expect(try staff.names(description) == ["Ann Lee"])
    }

    @Test func aMappingModelOfTheDescriptionIsUsed() throws {
        let (staff, elsewhere) = (try Staff(), try Staff())
        var description = try staff.description("s.sqlite")
        try elsewhere.writeMapping(to: "names.mapping.json")
        description.mappingFiles = [
            try MappingFile.read(elsewhere.folder.path + "/names.mapping.json")
        ]
        description.shouldInferMappingModelAutomatically = false
        #expect(try staff.names(description) == ["Ann Lee"])
    }

    @Test(arguments: stores)
    func aPolicyIsNeededAndCarriedOut(_ name: String) throws {
        let staff = try Staff()
        var description = try staff.description(name)
        try staff.writeMapping(to: "names.mapping.json", #""policy": "NamePolicy", "#)
        let before = try Data(contentsOf: URL(filePath: description.path))
        #expect {
            try staff.names(description)
        } throws: { error in
            (error as? MigrationError)?.code == .entityMigrationPolicy
        }
        #expect(try Data(contentsOf: URL(filePath: description.path)) == before)

        description.migrationPolicies = ["NamePolicy": NamePolicy.self]
        #expect(try staff.names(description) == ["Ann+Lee Lee"])
    }

    @Test(arguments: stores)
    func aPolicyHasTheClassesOfTheContainer(_ name: String) throws {
        let staff = try Staff()
        var description = try staff.description(name)
        try staff.writeMapping(to: "names.mapping.json", #""policy": "Inserting", "#)
        description.migrationPolicies = ["Inserting": InsertingPolicy.self]
        let container = try PersistentContainer(
            modelFile: staff.file(), stores: [description], classes: ["Person": Member.self])
        defer { container.close() }
        let context = container.newBackgroundContext()
        let names = try context.fetch(Member.self, sort: "name").map {
            try $0.value(forKey: "name").text
        }
        #expect(names == ["Ann", "made"])
    }

    @Test(arguments: stores)
    func withoutInferenceTheStoreIsRefused(_ name: String) throws {
        let staff = try Staff()
        var description = try staff.description(name)
        let before = try Data(contentsOf: URL(filePath: description.path))
        description.shouldInferMappingModelAutomatically = false
        #expect {
            try staff.names(description)
        } throws: { error in
            guard let error = error as? MigrationError else { return false }
            return error.code == .missingMappingModel && "\(error)".contains("from v1 to v2")
        }
        description.shouldInferMappingModelAutomatically = true
        description.shouldMigrateStoreAutomatically = false
        #expect {
            try staff.names(description)
        } throws: { error in
            if case StoreError.incompatible(code: 134100, _)? = error as? StoreError {
                true
            } else {
                false
            }
        }
        #expect(try Data(contentsOf: URL(filePath: description.path)) == before)
    }

    /// The store's own model stands for its version, but what a newer program has saved stays.
    @Test(arguments: stores)
    func aVersionThatIsGoneIsMigratedFromUnlessSomethingIsLost(_ name: String) throws {
        let staff = try Staff()
        let description = try staff.description(name)
        try FileManager.default.removeItem(atPath: staff.folder.path + "/Staff/v1.json")
        #expect {
            try staff.names(description)
        } throws: { error in
            if case StoreError.incompatible(code: 134100, let text)? = error as? StoreError {
                text.contains("may be a later one")
            } else {
                false
            }
        }
        try staff.folder.write(
            #"{"entities":[{"name":"Person","attributes":[{"name":"last","type":"String"},"#
                + #"{"name":"name","type":"String","renamingIdentifier":"first"}]}]}"#,
            to: "Staff/v2.json")
        #expect(try staff.names(description) == ["Ann Lee"])
    }

    @Test(arguments: stores)
    func aStoreOfALaterVersionIsRefused(_ name: String) throws {
        let staff = try Staff()
        let description = try staff.description(name)
        _ = try staff.names(description)
        try staff.folder.write(
            #"""
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict><key>_XCCurrentVersionName</key><string>v1.json</string></dict></plist>
            """#, to: "Staff/.xccurrentversion")
        #expect {
            try staff.names(description)
        } throws: { error in
            if case StoreError.incompatible(code: 134100, let text)? = error as? StoreError {
                text.contains("later version v2")
            } else {
                false
            }
        }
    }

    @Test(arguments: stores)
    func aMappingModelInTheProgramIsUsed(_ name: String) throws {
        let staff = try Staff()
        let description = try staff.description(name)
        try PersistentContainer(StaffModel.self, stores: [description]).close()
        #expect(try staff.names(description) == ["Ann Lee"])
    }

    /// One that the description names is taken before those that are found.
    @Test func aNamedMappingModelIsTakenFirst() throws {
        let staff = try Staff()
        var description = try staff.description("s.sqlite")
        try staff.folder.write(
            #"{"mappings": [{"source": "Person", "destination": "Person"}]}"#,
            to: "found.mapping.json")
        try staff.writeMapping(to: "A/B/C/names.mapping.json")
        description.mappingFiles = [
            try MappingFile.read(staff.folder.path + "/A/B/C/names.mapping.json")
        ]
        #expect(try staff.names(description) == ["Ann Lee"])
    }

    /// One that does not fit is read only where it could be missing.
    @Test func aFileThatCannotBeReadMattersWhereAMappingIsInferred() throws {
        let staff = try Staff()
        let description = try staff.description("s.sqlite")
        try staff.folder.write("junk", to: "Other.cdm")
        #expect {
            try staff.names(description)
        } throws: { error in
            "\(error)".contains("Other.cdm")
        }
        var named = description
        try staff.writeMapping(to: "Mappings/names.mapping.json")
        named.mappingFiles = [
            try MappingFile.read(staff.folder.path + "/Mappings/../Mappings/names.mapping.json")
        ]
        #expect(try staff.names(named) == ["Ann Lee"])
    }

    /// A mapping model for one store leaves the other to inference.
    @Test(arguments: [("a.sqlite", "b.sqlite"), ("a.xml", "b.sqlite"), ("a.sqlite", "b.xml")])
    func eachOfSeveralStoresHasItsOwnMapping(people: String, notes: String) throws {
        let folder = try TemporaryFolder()
        func write(_ version: String, _ person: String, _ note: String) throws {
            try folder.write(
                """
                {"entities": [
                  {"name": "Person", "attributes": [\(person)]},
                  {"name": "Note", "attributes": [\(note)]}],
                 "configurations": [{"name": "People", "entities": ["Person"]},
                                    {"name": "Notes", "entities": ["Note"]}]}
                """, to: "Two/\(version).json")
        }
        let (first, name) = (
            #"{"name": "first", "type": "String"}"#, #"{"name": "name", "type": "String"}"#
        )
        let (text, size) = (
            #"{"name": "text", "type": "String"}"#, #"{"name": "size", "type": "Integer 16"}"#
        )
        try write("v1", first, text)
        let stores = [("People", people), ("Notes", notes)].map { configuration, file in
            var description = PersistentStoreDescription(path: folder.path + "/" + file)
            description.configuration = configuration
            return description
        }
        func values(_ keys: (String, String)) throws -> [String] {
            let container = try PersistentContainer(
                modelFile: ModelFile.read(folder.path + "/Two"), stores: stores)
            defer { container.close() }
            let context = container.newBackgroundContext()
            let model = container.managedObjectModel
            return try [("Person", keys.0), ("Note", keys.1)].flatMap { entity, key in
                let entity = try #require(model.entity(named: entity))
                if try context.count(FetchRequest(entity: entity)) == 0 {
                    try context.insert(entity).setValue(.string(entity.name), forKey: key)
                    try context.save()
                }
                return try context.fetch(FetchRequest(entity: entity)).map {
                    try $0.value(forKey: key).text ?? "-"
                }
            }
        }
        #expect(try values(("first", "text")) == ["Person", "Note"])
        try write("v2", name, text + "," + size)
        try folder.write(
            #"""
            {"from": "v1", "to": "v2", "mappings": [{"source": "Person", "destination": "Person",
              "attributes": {"name": "$source.first"}}]}
            """#, to: "people.mapping.json")
        #expect(try values(("name", "text")) == ["Person", "Note"])
    }

    /// One of them migrates the store, and the others open what it has made or are told that it is
    /// busy.
    @Test(arguments: stores)
    func containersThatOpenAtOnceLeaveOneMigratedStore(_ name: String) throws {
        let staff = try Staff()
        let description = try staff.description(name)
        try staff.writeMapping(to: "names.mapping.json")
        var opened = 0
        for result in onThreads(4, { _ in Result { try staff.names(description) } }) {
            switch result {
            case .success(let names):
                #expect(names == ["Ann Lee"])
                opened += 1
            case .failure(let error):
                if case StoreError.busy? = error as? StoreError { continue }
                Issue.record("\(error)")
            }
        }
        #expect(opened > 0)
        #expect(try staff.names(description) == ["Ann Lee"])
    }

    /// The framework's own store of the last version says what the values must be.
    @Test(
        .enabled(if: sharedFolder != nil, "the shared data is not here"),
        arguments: ["Moody", "Moody 2", "Moody 4"])
    func aStoreOfAnAppGoesThroughItsVersions(_ version: String) throws {
        let folder = try TemporaryFolder()
        let shared = try #require(sharedFolder).path + "/data/coredata/moody/"
        let files = FileManager.default
        for name in try files.contentsOfDirectory(atPath: shared)
        where name.hasSuffix(".xcmappingmodel") || name.hasSuffix(".xcdatamodeld") {
            try files.copyItem(atPath: shared + name, toPath: folder.path + "/" + name)
        }
        try files.copyItem(atPath: shared + version + ".moody", toPath: folder.store)
        var file = try ModelFile.read(folder.path + "/Moody.xcdatamodeld")
        file.currentVersionName = "Moody 5"
        file.current = try #require(file.versions.first { $0.name == "Moody 5" })

        let container = try PersistentContainer(
            modelFile: file, stores: [PersistentStoreDescription(path: folder.store)])
        defer { container.close() }
        let query =
            "SELECT quote(m.ZREMOTEID) || quote(m.ZDATE) || quote(m.ZLATITUDE) || "
            + "quote(m.ZRATING) || hex(m.ZCOLORS) || quote(c.ZNUMERICISO3166CODE) FROM ZMOOD m "
            + "JOIN ZCOUNTRY c ON m.ZCOUNTRY = c.Z_PK ORDER BY 1"
        let wanted = try RawDatabase(shared + "Moody 5.moody").texts(query)
        #expect(wanted.count >= 3)
        #expect(try RawDatabase(folder.store).texts(query) == wanted)
        let mood = try #require(container.managedObjectModel.entity(named: "Mood"))
        let count = try container.newBackgroundContext().count(FetchRequest(entity: mood))
        #expect(count == wanted.count)
    }
}
