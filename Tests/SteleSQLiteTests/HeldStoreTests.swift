/// A store's file that is read as it is until another one replaces it.

import Foundation
import SteleModel
import StelePersistence
import TestSupport
import Testing

@testable import SteleSQLite

@Suite struct HeldStoreTests {
    private let folder: TemporaryFolder
    private let model: Model

    init() throws {
        folder = try TemporaryFolder()
        model = try makeModel([EntityMaker("Thing").attribute("name", .string)])
        try makeBareStore(model, at: folder.store)
    }

    private static let insert =
        "INSERT INTO ZTHING (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (1, 1, 1, 'a')"

    /// A new store with the identifier of the old one.
    private func make(_ held: HeldStore) throws -> String {
        let path = folder.path + "/new.sqlite"
        try SQLiteStore.open(path: path, model: model, identifier: held.store.identifier).close()
        return path
    }

    private func names() throws -> [String] {
        try RawDatabase(folder.store).texts("SELECT ZNAME FROM ZTHING")
    }

    @Test(arguments: [false, true])
    func aProgramThatComesMeanwhileLosesNothing(_ hasRollbackJournal: Bool) throws {
        if hasRollbackJournal {
            try RawDatabase(folder.store).run("PRAGMA journal_mode = DELETE")
        }
        let held = try HeldStore.take(path: folder.store, model: model)
        #expect(held.hasRollbackJournal == hasRollbackJournal)
        let new = try make(held)
        do {
            let other = try RawDatabase(folder.store)
            _ = try other.texts("PRAGMA busy_timeout = 0")
            #expect(try other.texts("SELECT COUNT(*) FROM ZTHING") == ["0"])
            #expect(throws: (any Error).self) { try other.run(Self.insert) }
            let error = #expect(throws: StoreError.self) { try held.replace(with: new) }
            guard case .busy = error else { throw Mismatch(error) }
            // It goes on with the old file.
            try other.run(Self.insert)
            held.release()
        }
        #expect(try names() == ["a"])
        let again = try HeldStore.take(path: folder.store, model: model)
        try again.replace(with: new)
        #expect(try names() == [])
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(left.filter { $0.hasPrefix("store") }.sorted() == ["store.sqlite"])
    }

    @Test func aStoreThatIsGivenBackIsAsItWas() throws {
        let before = try FolderState(folder.path)
        let held = try HeldStore.take(path: folder.store, model: model)
        #expect(throws: StoreError.self) {
            _ = try HeldStore.take(path: folder.store, model: model)
        }
        held.release()
        #expect(try FolderState(folder.path).names == before.names)
        let other = try makeModel([EntityMaker("Other").attribute("name", .string)])
        #expect(throws: StoreError.self) {
            _ = try HeldStore.take(path: folder.store, model: other)
        }
        #expect(try FolderState(folder.path).names == before.names)
        try SQLiteStore.open(path: folder.store, model: model).close()
    }

    private struct Mismatch: Error {
        let error: StoreError?
        init(_ error: StoreError?) { self.error = error }
    }
}
