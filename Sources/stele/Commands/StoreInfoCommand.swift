/// `stele store info`, or `stele store`: what a store is.

import ArgumentParser
import SteleJSON
import SteleModel
import StelePersistence
import StelePredicates
import SteleSQLite

/// Prints the type, the UUID and the version of a store, its objects and its history.
struct StoreInfoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info", abstract: "Print what a store is and has.",
        discussion: """
            With a model it also prints the version that the store was made with, the number of \
            objects of each entity, and the saves in the history. The store is only read.

              stele store info League.xcdatamodeld --store league.sqlite
            """)

    @OptionGroup var existing: ExistingStore

    func run() throws {
        try Failure.reporting {
            try Transformers.registerFromEnvironment()
            var (opening, package) = try existing.find()
            opening.isReadOnly = true
            do {
                if package == nil, opening.isSQLite {
                    let metadata = try SQLiteStore.metadata(path: opening.path)
                    let names = metadata["NSStoreModelVersionHashes"]?.entries?.map(\.key) ?? []
                    let uuid = metadata["NSStoreUUID"]?.string ?? ""
                    return Self.print([
                        ("type", opening.type), ("UUID", uuid),
                        ("entities", names.sorted().joined(separator: ", ")),
                    ])
                }
                try ExistingStore.open(opening, package) { store, version in
                    let isCurrent = version.name == package?.model.name
                    Self.print(
                        [
                            ("type", store.type), ("UUID", store.identifier),
                            ("version", version.name + (isCurrent ? " (current)" : "")),
                        ] + (try Self.contents(of: store)))
                }
            } catch let error as StoreError {
                throw opening.located(error)
            }
        }
    }

    /// The number of objects of each entity, without those of its subentities, and the history.
    private static func contents(of store: any PersistentStore) throws -> [(String, String)] {
        let reader = try store.reader()
        defer { reader.close() }
        var lines: [(String, String)] = []
        for entity in store.model.storedEntities where !entity.isAbstract {
            var all = FetchRequest(entity: entity)
            all.includesSubentities = false
            lines.append((entity.name, String(try reader.count(all))))
        }
        guard let first = try reader.oldestTransaction() else {
            return lines + [("history", "no saves")]
        }
        let since = try reader.history(after: first - 1, limit: 1, values: false).first?.timestamp
        let date = since.flatMap { ISO8601.text(secondsSinceReferenceDate: $0) }
        return lines + [
            (
                "history",
                "saves \(first) to \(try reader.token)" + (date.map { ", since \($0)" } ?? "")
            )
        ]
    }

    /// Prints lines in two columns.
    private static func print(_ lines: [(String, String)]) {
        let width = lines.map(\.0.count).max() ?? 0
        for (name, value) in lines {
            let space = String(repeating: " ", count: width - name.count + 2)
            write(name + space + value + "\n", to: 1)
        }
    }
}
