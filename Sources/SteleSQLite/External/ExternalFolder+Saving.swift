import Glibc
import SteleModel
import StelePersistence
import SteleSQL

extension ExternalFolder {
    /// Writes the large values of a request to files, and adopts files of other folders.
    /// - Returns: the request with references in the place of the values, and the new files.
    /// - Throws: `StoreError`; no file remains then.
    func movingOut(
        _ request: SaveRequest, _ schema: SQLSchema
    ) throws(StoreError) -> (request: SaveRequest, files: [ExternalData]) {
        try request.checkNames(in: schema.model)
        var request = request
        var files: [ExternalData] = []
        var hasLinks = false
        do {
            for index in request.changes.indices {
                let change = request.changes[index]
                for slot in schema.externalSlots[change.entity] {
                    guard change.values.indices.contains(slot),
                        change.kind == .insert || change.changedSlots.contains(slot)
                    else { continue }
                    switch change.values[slot] {
                    case .data(let bytes) where bytes.count > Limits.inlineBytes:
                        let data = try write(bytes)
                        files.append(data)
                        request.changes[index].values[slot] = .external(data)
                    case .external(let data) where !has(data):
                        if data.isMissing {
                            // The name stays, so that the file can be restored.
                            let own = ExternalData(data.identifier, in: path)
                            request.changes[index].values[slot] = .external(own)
                            continue
                        }
                        let own = try adopt(data)
                        files.append(own)
                        hasLinks = true
                        request.changes[index].values[slot] = .external(own)
                    default: continue
                    }
                }
            }
            if hasLinks { try Self.sync(folder: path) }
        } catch {
            Self.discard(files)
            throw error
        }
        return (request, files)
    }

    /// Removes the files of a rejected save. After an error of the disk the commit may have
    /// succeeded nevertheless, so the files stay until the store is next opened.
    static func takeBack(_ files: [ExternalData], after error: any Error) {
        switch error as? StoreError {
        case .failed, .noRoom, .busy, .damaged: break
        default: discard(files)
        }
    }

    /// Removes files.
    static func discard(_ files: [ExternalData]) {
        for data in files { unlink(data.path) }
    }
}

/// A save in parts that writes large values to files.
final class ExternalParts: PartedSave {
    private let parts: any PartedSave
    private let folder: ExternalFolder
    private let schema: SQLSchema
    /// The new files of all parts.
    private(set) var files: [ExternalData] = []

    init(_ parts: any PartedSave, in folder: ExternalFolder, _ schema: SQLSchema) {
        self.parts = parts
        self.folder = folder
        self.schema = schema
    }

    func reader() throws(StoreError) -> any StoreReader { try parts.reader() }

    func save(_ request: SaveRequest) throws(StoreError) -> SaveResult {
        let (request, made) = try folder.movingOut(request, schema)
        files += made
        return try parts.save(request)
    }
}
