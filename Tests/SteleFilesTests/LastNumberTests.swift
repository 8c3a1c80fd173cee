// The last version and the last key that there are.

import SteleGraph
import SteleMigration
import SteleModel
import StelePersistence
import TestSupport
import Testing

@Suite struct LastNumberTests {
    private let folders: [TemporaryFolder]
    private let model: Model

    init() throws {
        folders = [try TemporaryFolder(), try TemporaryFolder()]
        model = try makeModel([EntityMaker("Tag").attribute("name", .string)])
    }

    /// The version of the only object.
    private func version(_ stage: Stage) throws -> Int64 {
        try #require(try stage.objects().first).snapshot.version
    }

    private func rename(_ stage: Stage, _ name: String) throws {
        let key = try #require(try stage.objects().first).snapshot.key
        try stage.change { context in
            let tag = try #require(try context.object(entity: try stage.entity("Tag"), key: key))
            tag["name"] = .string(name)
        }
    }

    /// Only another program can have stored it. Each kind of store begins again, and can be opened.
    @Test(arguments: [StoreKind.sqlite, .memory, .binary, .text])
    func afterTheLastVersionIsTheFirst(_ kind: StoreKind) throws {
        let made = try Stage(.sqlite, model, at: folders[0].store)
        _ = try made.insert("Tag")
        made.close()
        try RawDatabase(folders[0].store).run("UPDATE ZTAG SET Z_OPT = 9223372036854775806")
        var stage = try Stage(.sqlite, model, at: folders[0].store)
        defer { stage.close() }
        if kind != .sqlite {
            let copy = try kind.open(model, at: folders[1].store)
            try MigrationManager.copy(stage.coordinator.store, to: copy)
            stage.close()
            stage = Stage(copy)
        }
        #expect(try version(stage) == Int64.max - 1)
        let steps: [(name: String, version: Int64)] = [("a", .max), ("b", 1), ("c", 2)]
        for (name, wanted) in steps {
            try rename(stage, name)
            #expect(try version(stage) == wanted, "\(name)")
            if kind == .memory { continue }
            stage.close()
            stage = try Stage(kind, model, at: folders[kind == .sqlite ? 0 : 1].store)
            #expect(try version(stage) == wanted, "\(name)")
        }
    }

    /// A file with the last key is read again after a save. A further object has no key.
    @Test(arguments: ["#next|Tag|4611686018427387903", "Tag|4611686018427387902|name=y"])
    func afterTheLastKeyIsNone(_ line: String) throws {
        try folders[0].write("Tag|1|name=x\n\(line)\n", to: "store.sqlite")
        var stage = try Stage(.text, model, at: folders[0].store)
        defer { stage.close() }
        #expect(try stage.insert("Tag").map(\.key) == [4_611_686_018_427_387_903])
        for _ in 0..<2 {
            let error = #expect(throws: StoreError.self) { try stage.insert("Tag") }
            guard case .noKeys(let text)? = error else {
                Issue.record("\(error as Any)")
                return
            }
            #expect(
                text.hasPrefix("Tag has no keys left") && text.contains("--new-ids"), "\(text)")
            try rename(stage, "z")
            stage.close()
            stage = try Stage(.text, model, at: folders[0].store)
        }
    }
}
