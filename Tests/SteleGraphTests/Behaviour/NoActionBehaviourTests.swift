// What the delete rule No Action asks of who led to what is deleted: nothing.

import SteleModel
import StelePersistence
import TestSupport
import Testing

@testable import SteleGraph

@Suite struct NoActionBehaviourTests {
    /// No Action asks nothing of who is left, whether he has changes or not.
    @Test(arguments: StoreKind.allCases)
    func aMandatoryToOneThatNoActionLeavesIsNoError(_ kind: StoreKind) throws {
        let fixture = try Fixture(
            try makeModel([
                EntityMaker("Folder").attribute("name", .string)
                    .toMany("files", "File", inverse: "folder", rule: .noAction),
                EntityMaker("File").attribute("name", .string)
                    .toOne("folder", "Folder", inverse: "files", isOptional: false),
            ]), kind)
        let folder = try fixture.insert("Folder")[0]
        let first = fixture.context()
        let files = try (0..<2).map { _ in try first.insert(try fixture.entity("File")) }
        for file in files { try file.set("folder", try first.get(folder)) }
        try first.save()
        let context = fixture.context()
        let file = try context.get(files[0].objectID)
        file["name"] = .string("left")
        try context.delete(try context.get(folder))
        try context.save()
        file["name"] = .string("still left")
        try context.save()
        #expect(try fixture.stored("File.folder", of: file.objectID.key) == nil)
        // One that is there is not to be let go of, and a new object needs one.
        let other = try context.insert(try fixture.entity("Folder"))
        try file.set("folder", other)
        try context.save()
        try file.set("folder", nil)
        let errors = #expect(throws: ValidationErrors.self) { try context.save() }
        #expect(errors?.errors.map(\.code) == [1570])
        context.rollback()
        _ = try context.insert(try fixture.entity("File"))
        #expect(throws: ValidationErrors.self) { try context.save() }
    }
}
