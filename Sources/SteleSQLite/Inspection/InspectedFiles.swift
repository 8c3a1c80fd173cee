import Glibc
import StelePersistence
import SteleSQL

/// The files of a store that is inspected. Each is read as it is at one moment, and none changes.
struct InspectedFiles {
    let path: String
    let connection: Connection
    let identifier: String
    let metadata: StoreMetadata
    /// The tables; the error where Z_PRIMARYKEY cannot be read.
    let layout: Result<StoreLayout, StoreError>
    /// Whether the history is in a file of its own, which is attached.
    private(set) var isHistoryBeside = false
    /// What does not agree between the store and the history beside it.
    private(set) var differences: [String] = []
    /// What is not read, and why.
    private(set) var unchecked: [String] = []
    private var files: [StoreLook.StillFile]
    private let lastChange: [Int]

    private static let attempts = 5

    /// Opens a store's file, and that of its history.
    /// - Throws: `StoreError`: `.incompatible` for a file that is not a store or whose metadata
    ///   cannot be read.
    static func open(_ path: String) throws(StoreError) -> InspectedFiles {
        var attempt = 1
        while true {
            let opened = try InspectedFiles(path)
            // Another program may save between the two copies.
            if opened.differences.isEmpty || attempt == attempts || !opened.isCopied {
                return opened
            }
            attempt += 1
        }
    }

    private init(_ path: String) throws(StoreError) {
        self.path = path
        lastChange = StoreLook.lastChange(path)
        let file = try StoreLook.still(path)
        files = [file]
        do throws(StoreError) {
            connection = try Connection(uri: file.uri, of: path)
            try connection.run("PRAGMA cache_size = -16384")
            (identifier, metadata) = try StoreFile.look(connection, path)
            do throws(StoreError) { layout = .success(try StoreLayout(connection)) } catch {
                guard case .incompatible = error else { throw error }
                layout = .failure(error)
            }
        } catch {
            throw file.copy.map { error.replacing($0.file, with: path) } ?? error
        }
        do throws(StoreError) { try openHistory() } catch {
            differences.append("the history beside the store cannot be read: \(error.sentence)")
        }
    }

    private var isCopied: Bool { files.contains { $0.copy != nil } }

    /// The URIs of the files that are read: the store's, and that of the history beside it.
    var uris: [String] { files.prefix(isHistoryBeside ? 2 : 1).map(\.uri) }

    /// The path of the file of the history.
    var historyPath: String { StoreLook.resolved(path) + StoreFile.historyEnding }

    private mutating func openHistory() throws(StoreError) {
        guard case .success(let layout) = layout, !layout.hasHistory,
            layout.hasHadAttachedHistory
        else { return }
        guard StoreLook.hasContents(historyPath) else {
            unchecked.append(
                "the history: it is in \(historyPath), which is not there; it begins anew with the "
                    + "next save")
            return
        }
        try StoreFile.checkHistoryFile(of: path, identifier)
        let history = try StoreLook.still(historyPath)
        files.append(history)
        try connection.attachHistory(history.uri)
        isHistoryBeside = true
        let numbers = try AttachedHistory(connection).numbers()
        if numbers.store == numbers.history { return }
        differences.append(
            "\(AttachedHistory.saves): the last save of the store is \(numbers.store), and that of "
                + "the history in \(historyPath) is \(numbers.history): the next opening cuts or "
                + "empties the history")
    }

    /// A text with the paths of the files in place of those of their private copies.
    func named(_ text: String) -> String {
        zip(files, [path, historyPath]).reduce(text) { text, pair in
            pair.0.copy.map { text.replacing($0.file, with: pair.1) } ?? text
        }
    }

    /// Removes the private copies.
    /// - Throws: `.busy` where the store's own file was read and has changed meanwhile.
    func close() throws(StoreError) {
        for file in files { file.copy?.remove() }
        guard files[0].copy == nil, StoreLook.lastChange(path) != lastChange else { return }
        throw .busy(
            "\(path) was written by another program while it was read: inspect it again")
    }
}
