// The Stash sample: encrypted notes and passwords, the rules of a userId, and categories.

import Foundation
import SteleModel
import StelePersistence
import StelePredicates
import SteleTransformers
import TestSupport
import Testing

@testable import SteleGraph

/// One after the other: the model names the one transformer that all of them use.
@Suite(.serialized) struct StashTests {
    init() throws {
        ValueTransformers.setValueTransformer(
            try AESGCMTransformer(key: String(repeating: "5e", count: 32)),
            forName: ValueTransformers.encrypted)
    }

    private func system(
        _ context: ManagedObjectContext, _ fixture: Fixture, userId: String, password: String?
    ) throws -> ManagedObject {
        let system = try context.insert(try fixture.entity("System"))
        system["name"] = .string("Router of the house")
        system["userId"] = .string(userId)
        try system.setTransformable(password, forKey: "password")
        return system
    }

    @Test func noFileOfTheStoreHoldsAPassword() throws {
        let fixture = try Fixture(try sampleModel("Stash"), .sqlite)
        let context = fixture.coordinator.newContext(retainsRegisteredObjects: true)
        let passwords = ["correct horse battery staple", "seven-quiet-otters"]
        let body = "bread, plums, coffee"
        let note = try context.insert(try fixture.entity("Note"))
        note["title"] = .string("Saturday")
        try note.setTransformable(body as String?, forKey: "body")
        let router = try system(context, fixture, userId: "admin01", password: passwords[0])
        try context.save()
        // The history keeps what it was: encrypted, too.
        try router.setTransformable(passwords[1] as String?, forKey: "password")
        try context.save()
        try context.delete(router)
        try context.save()
        _ = try system(context, fixture, userId: "admin02", password: passwords[0])
        try context.save()

        let folder = try #require(fixture.folder).path
        var (files, hasName) = (0, false)
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            let url = URL(fileURLWithPath: folder + "/" + name)
            // Nothing is in an empty file, and Foundation leaks the buffer it reads one with.
            guard try url.resourceValues(forKeys: [.fileSizeKey]).fileSize != 0 else { continue }
            let bytes = try Data(contentsOf: url)
            files += 1
            hasName = hasName || bytes.range(of: Data("Router of the house".utf8)) != nil
            for password in passwords + [body] {
                for encoding in [String.Encoding.utf8, .utf16LittleEndian, .utf16BigEndian] {
                    let text = try #require(password.data(using: encoding))
                    #expect(bytes.range(of: text) == nil, "\(name)")
                }
                #expect(bytes.range(of: Data(password.utf8).base64EncodedData()) == nil, "\(name)")
            }
        }
        // What is not encrypted is found: it was looked for in the right files.
        #expect(files >= 1 && hasName)
    }

    @Test(arguments: StoreKind.allCases)
    func aPasswordComesBackAndEqualOnesLookDifferent(_ kind: StoreKind) throws {
        let fixture = try Fixture(try sampleModel("Stash"), kind)
        let context = fixture.coordinator.newContext(retainsRegisteredObjects: true)
        let systems = try ["one", "two"].map {
            try system(context, fixture, userId: $0, password: "Tuesday!19")
        }
        try context.save()
        let read = try fixture.coordinator.newContext().get(systems[0].objectID)
        let password: String? = try read.transformable(forKey: "password")
        #expect(password == "Tuesday!19")
        let stored = try systems.map { try fixture.stored("System", "password", of: $0.objectID) }
        #expect(stored[0] != stored[1] && stored[0] != .null)
        try systems[1].setTransformable(nil as String?, forKey: "password")
        try context.save()
        #expect(try fixture.stored("System", "password", of: systems[1].objectID) == .null)
    }

    @Test(
        arguments: StoreKind.allCases,
        [
            ("ab", [1670], Value.int(3)), ("", [1670], .int(3)),
            ("abcdefghijk", [1660], .int(10)), ("abcdef ghijk", [1660, 1680], .int(10)),
            ("abc def", [1680], .string("[A-Za-z0-9]*")), ("äöü", [1680], .string("[A-Za-z0-9]*")),
            ("abc\n", [1680], .string("[A-Za-z0-9]*")), ("abc", [], .null),
            ("abcdefghij", [], .null),
            ("Ab3", [], .null),
        ] as [(String, [Int], Value)])
    func aUserIdHas3To10LettersAndDigits(
        _ kind: StoreKind, _ given: (text: String, codes: [Int], limit: Value)
    ) throws {
        let fixture = try Fixture(try sampleModel("Stash"), kind)
        let context = fixture.context()
        let object = try system(context, fixture, userId: given.text, password: nil)
        let token = try fixture.token()
        do {
            try context.save()
            #expect(given.codes.isEmpty, "\(given.text) was saved")
            #expect(
                try fixture.stored("System", "userId", of: object.objectID) == .string(given.text))
        } catch let errors as ValidationErrors {
            #expect(errors.errors.map(\.code) == given.codes)
            #expect(errors.errors[0].property == "userId" && errors.errors[0].limit == given.limit)
            #expect(errors.errors[0].value == .string(given.text))
            #expect(try fixture.token() == token)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aDeletedCategoryLeavesItsSystems(_ kind: StoreKind) throws {
        let fixture = try Fixture(try sampleModel("Stash"), kind)
        let context = fixture.coordinator.newContext(retainsRegisteredObjects: true)
        let home = try context.insert(try fixture.entity("Category"))
        home["name"] = .string("Home")
        let router = try system(context, fixture, userId: "admin01", password: "x")
        try router.set("category", home)
        try context.save()
        try context.delete(home)
        try context.save()
        #expect(try fixture.count("Category") == 0 && fixture.count("System") == 1)
        #expect(try fixture.stored("System.category", of: router.objectID.key) == nil)
    }
}
