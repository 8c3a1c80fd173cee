/// Large values of a save, put into files before the save is queued.

import Glibc
import SteleModel
import StelePersistence
import SteleSQL

extension ExternalFolder {
    /// The request with references in the place of large values, and the files that were made.
    /// - Throws: `StoreError`; no file stays then.
    func movingOut(
        _ request: SaveRequest, _ schema: SQLSchema
    ) throws(StoreError) -> (request: SaveRequest, files: [ExternalData]) {
        var request = request
        var files: [ExternalData] = []
        do {
            for index in request.changes.indices {
                let change = request.changes[index]
                for slot in schema.externalSlots[change.entity] {
                    guard change.values.indices.contains(slot),
                        change.kind == .insert || change.changedSlots.contains(slot),
                        case .data(let bytes) = change.values[slot],
                        bytes.count > Limits.inlineBytes
                    else { continue }
                    let data = try write(bytes)
                    files.append(data)
                    request.changes[index].values[slot] = .external(data)
                }
            }
        } catch {
            Self.discard(files)
            throw error
        }
        return (request, files)
    }

    /// Takes back the files of a save that was refused. Where the disk failed, the commit may have
    /// come about all the same: the files stay, and are looked at when the store is opened next.
    static func takeBack(_ files: [ExternalData], after error: any Error) {
        switch error as? StoreError {
        case .failed, .noRoom, .busy: break
        default: discard(files)
        }
    }

    /// Removes the files of what was not saved.
    static func discard(_ files: [ExternalData]) {
        for data in files { unlink(data.path) }
    }
}

/// A save in parts whose large values go into files.
final class ExternalParts: PartedSave {
    private let parts: any PartedSave
    private let folder: ExternalFolder
    private let schema: SQLSchema
    /// The files that were made.
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
