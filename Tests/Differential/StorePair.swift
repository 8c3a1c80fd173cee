/// The same objects in memory and in a file.

import SteleModel
import StelePersistence
import StelePredicates
import SteleSQLite

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Two stores of one sample with a reader on each; used by one thread at a time.
final class StorePair {
    let model: Model
    private let folder: String
    private let file: SQLiteStore
    let memory: any StoreReader
    let rows: any StoreReader

    init(_ sample: Sample) throws {
        model = sample.model
        folder =
            FileManager.default.temporaryDirectory.path + "/stele-differential-"
            + UUID().uuidString
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        file = try SQLiteStore.open(path: folder + "/store.sqlite", model: model)
        let plain = InMemoryStore(model: model)
        try sample.write(to: plain)
        try sample.write(to: file)
        memory = try plain.reader()
        rows = try file.reader()
    }

    deinit {
        memory.close()
        rows.close()
        file.close()
        try? FileManager.default.removeItem(atPath: folder)
    }
}
