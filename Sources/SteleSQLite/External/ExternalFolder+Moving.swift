import FoundationEssentials
import Glibc
import StelePersistence

/// Moving a folder of external files with the file of its store.
extension ExternalFolder {
    /// The file with the name of the store's file that does not exist yet.
    private var movingPath: String { "\(support)/STELE_MOVING" }

    /// Whether the store has a folder.
    var exists: Bool {
        var found = stat()
        return stat(support, &found) == 0
    }

    /// Removes the folder if a move that did not finish has left it there.
    /// - Parameter store: the path of the store's file.
    /// - Throws: `StoreError.failed` where the folder belongs to another store.
    func removeUnfinished(movedTo store: String) throws(StoreError) {
        guard exists else { return }
        guard StoreSeal.contents(of: movingPath) == Self.name(store) else {
            throw .failed(
                "\(support) exists and has the external files of another store: choose another "
                    + "name for the new store")
        }
        do { try FileManager.default.removeItem(atPath: support) } catch {
            throw .failed("\(support) cannot be removed: \(error)")
        }
    }

    /// Moves another folder to the place of this one, which does not exist.
    func take(_ other: ExternalFolder, movedTo store: String) throws(StoreError) {
        let descriptor = open(other.movingPath, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw Self.failure("creating \(other.movingPath)") }
        defer { close(descriptor) }
        try Self.append(Array(Self.name(store).utf8), to: descriptor, other.movingPath)
        try Self.sync(folder: other.support)
        guard rename(other.support, support) == 0 else {
            throw Self.failure("moving to \(support)")
        }
        let cut = support.lastIndex(of: "/")
        try Self.sync(folder: cut.map { String(support[..<$0]) } ?? ".")
    }

    /// Removes the note that the store's file does not exist yet.
    func finishMove() { unlink(movingPath) }

    private static func name(_ store: String) -> String {
        store.lastIndex(of: "/").map { String(store[store.index(after: $0)...]) } ?? store
    }
}
