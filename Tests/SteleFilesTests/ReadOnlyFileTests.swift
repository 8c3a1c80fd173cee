// A whole-file store that is only read.

import SteleFiles
import SteleModel
import StelePersistence
import TestSupport
import Testing

@Suite struct ReadOnlyFileTests {
    private let folder: TemporaryFolder
    private let model: Model

    init() throws {
        folder = try TemporaryFolder()
        model = try allTypesModel()
    }

    private func open(_ kind: StoreKind) throws -> ReadOnlyFileStore {
        let format = try #require(FileFormats.named(kind.rawValue))
        return try ReadOnlyFileStore.open(path: folder.store, model: model, format: format)
    }

    @Test(arguments: StoreKind.files)
    func aFileIsReadWhileAnotherProgramHasIt(_ kind: StoreKind) throws {
        #expect(throws: StoreError.self) { try open(kind) }
        #expect(try FolderState(folder.path).names == [])
        let stage = try Stage(kind, model, at: folder.store)
        try stage.insert("Tag", count: 2).forEach { _ in }
        let before = try FolderState(folder.path)
        let store = try open(kind)
        let reader = try store.reader()
        let tag = try #require(model.entity(named: "Tag"))
        #expect(try reader.count(.init(entity: tag)) == 2)
        reader.close()
        #expect(store.isReadOnly && store.type == kind.rawValue)
        do {
            _ = try store.save(SaveRequest(readToken: 0))
            Issue.record("saved")
        } catch {
            guard case .readOnly(let text) = error else { throw error }
            #expect(text.contains("store.sqlite"))
        }
        #expect(throws: StoreError.self) { try store.changeMetadata { $0["a"] = .string("b") } }
        store.close()
        #expect(try FolderState(folder.path) == before)
        stage.close()
    }
}
