/// The stores in the folder of a backup.

import FoundationEssentials
import Stele

/// What `stele backup` and `POST /backup` have put into a folder.
struct BackupContents {
    /// The paths of the SQLite stores in the folder itself, by name.
    let stores: [String]
    /// The paths of its folders that have such stores: a backup of several stores has one for each.
    let folders: [String]

    /// Looks into a folder. One that cannot be read has nothing.
    init(_ folder: String) {
        let folder = folder.hasSuffix("/") ? String(folder.dropLast()) : folder
        stores = Self.stores(in: folder)
        folders = Self.names(folder).map { "\(folder)/\($0)" }
            .filter { !Self.stores(in: $0).isEmpty }
    }

    /// The stores in the folder, or in the folders in it.
    var allStores: [String] {
        stores.isEmpty ? folders.flatMap { Self.stores(in: $0) } : stores
    }

    private static func stores(in folder: String) -> [String] {
        names(folder).filter { !$0.hasSuffix("-stele") }.map { "\(folder)/\($0)" }
            .filter { StoreType.isSQLite(file: $0) }
    }

    private static func names(_ folder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    }
}
