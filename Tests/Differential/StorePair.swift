/// The same objects in memory and in a store of another kind.

import SteleModel
import StelePersistence
import StelePredicates
import TestSupport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Two stores of one sample with a reader on each; used by one thread at a time.
final class StorePair {
    let model: Model
    private let folder: String
    private let kind: StoreKind
    private let file: any PersistentStore
    let memory: any StoreReader
    let rows: any StoreReader

    init(_ sample: Sample, _ kind: StoreKind) throws {
        self.kind = kind
        model = sample.model
        folder =
            FileManager.default.temporaryDirectory.path + "/stele-differential-"
            + UUID().uuidString
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        file = try kind.open(model, at: folder + "/store.sqlite")
        let plain = InMemoryStore(model: model)
        try sample.write(to: plain)
        try sample.write(to: file)
        memory = try plain.reader()
        rows = try file.reader()
    }

    /// The same stores with other objects.
    func with(_ sample: Sample) throws -> StorePair { try StorePair(sample, kind) }

    deinit {
        memory.close()
        rows.close()
        file.close()
        try? FileManager.default.removeItem(atPath: folder)
    }
}
