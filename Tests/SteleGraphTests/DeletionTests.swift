// What a deletion brings with it, by each delete rule.

import SteleModel
import StelePersistence
import StelePredicates
import TestSupport
import Testing

@testable import SteleGraph

@Suite struct DeletionTests {
    /// Folder ⇉ File by a rule; File → Folder nullifies.
    private func folders(_ rule: DeleteRule, back: DeleteRule = .nullify) throws -> Fixture {
        Fixture(
            try makeModel([
                EntityMaker("Folder").attribute("name", .string)
                    .toMany("files", "File", inverse: "folder", rule: rule)
                    .toOne("parent", "Folder", inverse: "children")
                    .toMany("children", "Folder", inverse: "parent", rule: rule)
                    .toMany("labels", "Label", inverse: "folders", rule: rule),
                EntityMaker("File").attribute("name", .string)
                    .toOne("folder", "Folder", inverse: "files", rule: back),
                EntityMaker("Label").attribute("name", .string)
                    .toMany("folders", "Folder", inverse: "labels"),
            ]))
    }

    private func fill(_ fixture: Fixture) throws -> (folder: ObjectID, files: [ObjectID]) {
        let folder = try fixture.insert("Folder")[0]
        let files = try fixture.insert("File", count: 3)
        let context = fixture.context()
        try context.get(folder).replace("files", try files.map { try context.get($0) })
        try context.save()
        return (folder, files)
    }

    private func count(_ fixture: Fixture, _ name: String) throws -> Int {
        try fixture.context().count(.init(entity: try fixture.entity(name)))
    }

    @Test func nullifyClearsTheMembersColumnAndExpectsThem() throws {
        let fixture = try folders(.nullify)
        let (folder, files) = try fill(fixture)
        let context = fixture.context()
        try context.delete(try context.get(folder))
        let request = try #require(try context.saveRequest())
        let relationship = try fixture.relationship("Folder.files").index
        #expect(
            request.expectations.contains(
                .members(relationship: relationship, owner: folder.key, keys: files.map(\.key))))
        try context.save()
        #expect(try count(fixture, "Folder") == 0)
        for file in files {
            #expect(try fixture.stored("File.folder", of: file.key) == nil)
            #expect(try fixture.version("File", file.key) == 3)
        }
    }

    @Test func nullifyTakesADeletedMemberOutOfItsOwnersToMany() throws {
        let fixture = try folders(.nullify)
        let (folder, files) = try fill(fixture)
        let context = fixture.context()
        try context.delete(try context.get(files[1]))
        try context.processPendingChanges()
        #expect(try context.get(folder).keys("files") == [files[0].key, files[2].key])
        try context.save()
        #expect(
            try fixture.storedMembers("Folder.files", of: folder.key)
                == [files[0].key, files[2].key])
        #expect(try fixture.lastSave().changes.map(\.kind) == [.update, .delete])
    }

    @Test func nullifyCutsManyToManyLinks() throws {
        let fixture = try folders(.nullify)
        let folder = try fixture.insert("Folder")[0]
        let labels = try fixture.insert("Label", count: 2)
        let first = fixture.context()
        try first.get(folder).replace("labels", try labels.map { try first.get($0) })
        try first.save()
        let context = fixture.context()
        try context.delete(try context.get(folder))
        try context.save()
        #expect(try fixture.storedMembers("Label.folders", of: labels[0].key) == [])
        #expect(try fixture.lastSave().changes.count == 3)
    }

    @Test func cascadeGoesDownAllLevelsAndEndsInALoop() throws {
        let fixture = try folders(.cascade)
        let folders = try fixture.insert("Folder", count: 4)
        let file = try fixture.insert("File")[0]
        let first = fixture.context()
        let objects = try folders.map { try first.get($0) }
        for index in 0..<3 { try objects[index + 1].set("parent", objects[index]) }
        // A loop: the first stands under the last.
        try objects[0].set("parent", objects[3])
        try first.get(file).set("folder", objects[2])
        try first.save()
        let context = fixture.context()
        try context.delete(try context.get(folders[1]))
        try context.save()
        #expect(try count(fixture, "Folder") == 0)
        #expect(try count(fixture, "File") == 0)
    }

    @Test func aDiamondIsDeletedOnce() throws {
        let fixture = Fixture(
            try makeModel([
                EntityMaker("Node").attribute("name", .string)
                    .toMany("next", "Node", inverse: "previous", rule: .cascade)
                    .toMany("previous", "Node", inverse: "next")
            ]))
        let nodes = try fixture.insert("Node", count: 5)
        let first = fixture.context()
        let objects = try nodes.map { try first.get($0) }
        try objects[0].replace("next", [objects[1], objects[2]])
        try objects[1].replace("next", [objects[3]])
        try objects[2].replace("next", [objects[3]])
        try objects[4].replace("next", [objects[3]])
        // And back to the start.
        try objects[3].replace("next", [objects[0]])
        try first.save()
        let context = fixture.context()
        try context.delete(try context.get(nodes[0]))
        try context.save()
        #expect(try count(fixture, "Node") == 1)
        #expect(try fixture.storedMembers("Node.next", of: nodes[4].key) == [])
        #expect(try fixture.lastSave().changes.filter { $0.kind == .delete }.count == 4)
    }

    @Test func denyRefusesWith1600AndNamesWhoIsInTheWay() throws {
        let fixture = try folders(.deny)
        let (folder, files) = try fill(fixture)
        let context = fixture.context()
        try context.delete(try context.get(folder))
        let errors = #expect(throws: ValidationErrors.self) { try context.save() }
        let error = try #require(errors?.errors.first)
        #expect(errors?.code == 1600)
        #expect(error.name == "NSValidationRelationshipDeniedDeleteError")
        #expect(error.property == "files" && error.value == .key(files[0].key))
        #expect(error.entity.name == "Folder" && error.key == folder.key)
        #expect(try count(fixture, "Folder") == 1)
    }

    @Test func denyLetsGoWhenAllDestinationsAreDeletedToo() throws {
        let fixture = try folders(.deny)
        let (folder, files) = try fill(fixture)
        let context = fixture.context()
        for id in [folder] + files { try context.delete(try context.get(id)) }
        try context.save()
        #expect(try count(fixture, "Folder") == 0)
        #expect(try count(fixture, "File") == 0)
    }

    @Test func denyLetsGoWhenTheMembersWereTakenOutBefore() throws {
        let fixture = try folders(.deny)
        let (folder, files) = try fill(fixture)
        let context = fixture.context()
        for id in files { try context.get(id).set("folder", nil) }
        try context.delete(try context.get(folder))
        try context.save()
        #expect(try count(fixture, "File") == 3)
    }

    @Test func denyDeepInACascadeStopsTheWholeSave() throws {
        let fixture = Fixture(
            try makeModel([
                EntityMaker("Firm").attribute("name", .string)
                    .toMany("sites", "Site", inverse: "firm", rule: .cascade),
                EntityMaker("Site").attribute("name", .string)
                    .toOne("firm", "Firm", inverse: "sites")
                    .toMany("machines", "Machine", inverse: "site", rule: .deny),
                EntityMaker("Machine").attribute("name", .string)
                    .toOne("site", "Site", inverse: "machines"),
            ]))
        let firm = try fixture.insert("Firm")[0]
        let sites = try fixture.insert("Site", count: 2)
        let machine = try fixture.insert("Machine")[0]
        let first = fixture.context()
        for id in sites { try first.get(id).set("firm", try first.get(firm)) }
        try first.get(machine).set("site", try first.get(sites[1]))
        try first.save()
        let context = fixture.context()
        try context.delete(try context.get(firm))
        let errors = #expect(throws: ValidationErrors.self) { try context.save() }
        #expect(errors?.errors.map(\.key) == [sites[1].key])
        #expect(try count(fixture, "Site") == 2)
    }

    @Test func noActionLeavesNoLinkToWhatIsGone() throws {
        let fixture = try folders(.noAction)
        let (folder, files) = try fill(fixture)
        let context = fixture.context()
        let file = try context.get(files[0])
        try context.delete(try context.get(folder))
        try context.processPendingChanges()
        #expect(try file.get("folder") == nil && file["folder"] == .null)
        try context.save()
        #expect(try file.get("folder") == nil && file["folder"] == .null)
        #expect(try fixture.stored("File.folder", of: files[0].key) == nil)
        // And it can be mended.
        let other = try fixture.insert("Folder")[0]
        let next = fixture.context()
        #expect(try next.get(files[0]).get("folder") == nil)
        try next.get(files[0]).set("folder", try next.get(other))
        try next.save()
        #expect(try fixture.storedMembers("Folder.files", of: other.key) == [files[0].key])
    }

    @Test func aMandatoryToOneThatIsNullifiedIs1570OnThatObject() throws {
        let fixture = Fixture(
            try makeModel([
                EntityMaker("Folder").attribute("name", .string)
                    .toMany("files", "File", inverse: "folder"),
                EntityMaker("File").attribute("name", .string)
                    .toOne("folder", "Folder", inverse: "files", isOptional: false),
            ]))
        let folder = try fixture.insert("Folder")[0]
        let first = fixture.context()
        let file = try first.insert(try fixture.entity("File"))
        try file.set("folder", try first.get(folder))
        try first.save()
        let context = fixture.context()
        try context.delete(try context.get(folder))
        let errors = #expect(throws: ValidationErrors.self) { try context.save() }
        #expect(errors?.errors.map(\.code) == [1570])
        #expect(errors?.errors.first?.key == file.objectID.key)
        #expect(errors?.errors.first?.property == "folder")
    }

    @Test func aNewObjectDeletedAgainLeavesNoTrace() throws {
        let fixture = try folders(.noAction)
        let folder = try fixture.insert("Folder")[0]
        let context = fixture.context()
        let file = try context.insert(try fixture.entity("File"))
        try file.set("folder", try context.get(folder))
        let child = try context.insert(try fixture.entity("Folder"))
        let under = try context.insert(try fixture.entity("Folder"))
        try under.set("parent", child)
        try context.delete(file)
        try context.delete(child)
        try context.delete(under)
        #expect(try context.saveRequest() == nil)
        #expect(!context.hasChanges)
    }

    @Test func aNewObjectKeptByNoActionLosesItsLinkToOneForgotten() throws {
        let fixture = try folders(.noAction)
        let context = fixture.context()
        let parent = try context.insert(try fixture.entity("Folder"))
        let child = try context.insert(try fixture.entity("Folder"))
        try child.set("parent", parent)
        try context.delete(parent)
        try context.save()
        #expect(try fixture.stored("Folder.parent", of: child.objectID.key) == nil)
    }

    @Test func aMemberThatArrivesBetweenMakesTheSaveMove() throws {
        for rule in [DeleteRule.nullify, .cascade, .deny] {
            let fixture = try folders(rule)
            let folder = try fixture.insert("Folder")[0]
            let file = try fixture.insert("File")[0]
            let context = fixture.context()
            try context.delete(try context.get(folder))
            let request = try #require(try context.saveRequest())
            let other = fixture.context()
            try other.get(file).set("folder", try other.get(folder))
            try other.save()
            #expect("\(rule)") { try fixture.store.save(request) } throws: { error in
                if case StoreError.moved = error { true } else { false }
            }
            #expect(try fixture.stored("File.folder", of: file.key) == folder.key)
        }
    }

    /// What grows with the square of the members does not end within the time.
    @Test(.timeLimit(.minutes(30)), arguments: StoreKind.allCases)
    func deletingTheOwnerOfVeryManyEnds(_ kind: StoreKind) throws {
        let fixture = try Fixture(
            makeModel([
                EntityMaker("List").attribute("name", .string)
                    .toMany("items", "Item", inverse: "list", rule: .cascade, ordered: true),
                EntityMaker("Item").attribute("name", .string)
                    .toOne("list", "List", inverse: "items"),
                EntityMaker("Mark").attribute("name", .string)
                    .toOne("item", "Item"),
            ]), kind)
        let first = fixture.context()
        let list = try first.insert(try fixture.entity("List"))
        let many = kind == .memory ? 2_000 : 20_000
        let items = try (0..<many).map { _ in try first.insert(try fixture.entity("Item")) }
        try list.replace("items", items)
        let mark = try first.insert(try fixture.entity("Mark"))
        try mark.set("item", items[many - 1])
        try first.save()
        let context = fixture.context()
        let taken = try processorTime {
            try context.delete(try context.get(list.objectID))
            try context.save()
        }
        #expect(taken < .seconds(60))
        #expect(try count(fixture, "Item") == 0)
        #expect(try fixture.stored("Mark.item", of: mark.objectID.key) == nil)
        #expect(try fixture.lastSave().changes.count == many + 2)
    }

    @Test func deletingOfManyOwnersReadsTheirMembersAtOnce() throws {
        let fixture = try folders(.cascade)
        let folders = try fixture.insert("Folder", count: 20)
        let counting = CountingReader(try fixture.store.reader())
        let context = ManagedObjectContext(fixture.coordinator, reader: counting)
        for id in folders { try context.delete(try context.get(id)) }
        counting.queries = 0
        let request = try #require(try context.saveRequest())
        #expect(request.changes.count == 20)
        // Three to-many relationships, one query each, and nothing found to go on with.
        #expect(counting.queries == 3)
    }
}

/// Counts the queries that go to a reader.
final class CountingReader: ForwardingReader {
    private let reader: any StoreReader
    var queries = 0
    init(_ reader: any StoreReader) { self.reader = reader }

    /// The reader, for one query.
    var base: any StoreReader {
        queries += 1
        return reader
    }

    var token: Int64 { get throws(StoreError) { try reader.token } }
    func close() { reader.close() }
}
