/// `stele store metadata`: what a store says of itself.

import ArgumentParser
import SteleJSON
import SteleModel
import StelePersistence
import SteleSQLite

/// Changes the metadata of a store, and prints it.
struct StoreMetadataCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "metadata", abstract: "Print the metadata of a store as JSON, or change it.",
        discussion: """
            A value is JSON, or else a text; {"$date":"2026-05-01T09:00:00Z"} is a date and \
            {"$data":"base64"} is data. Keys that begin with NS, _NS or Stele are read-only.

              stele store metadata --store league.sqlite --set release=3 --set 'owner=Ann Lee'
              stele store metadata --store league.sqlite --remove owner

            An SQLite store and one in a database may be open in a running service meanwhile, and \
            need no model. A store of another type is read by its model; an older version of it in \
            the package suffices.
            """)

    @OptionGroup var existing: ExistingStore

    @Option(
        parsing: .singleValue,
        help: ArgumentHelp("A key and its new value.", valueName: "key=value"))
    var set: [String] = []

    @Option(
        parsing: .singleValue, help: ArgumentHelp("A key to remove.", valueName: "key"))
    var remove: [String] = []

    func run() throws {
        try Failure.reporting {
            try Transformers.registerFromEnvironment()
            let new = try set.map(Self.read)
            let values = try values(new)
            let shown = values.sorted { $0.key < $1.key }.map { ($0.key, $0.value.json) }
            write(JSONValue.object(shown).pretty + "\n", to: 1)
        }
    }

    private typealias Values = [String: PropertyList]

    /// Changes the metadata, and returns it.
    private func values(_ new: [(String, PropertyList)]) throws -> Values {
        if let database = existing.database {
            do {
                if hasChanges {
                    try database.changeMetadata { try edit(&$0, new, of: database.name) }
                }
                return try database.metadata()
            } catch let error as StoreError { throw database.located(error) }
        }
        let (opening, package) = try existing.find()
        let change = { (values: inout Values) in try edit(&values, new, of: opening.path) }
        do {
            if opening.isSQLite {
                if hasChanges { try SQLiteStore.changeMetadata(path: opening.path, change) }
                return try SQLiteStore.metadata(path: opening.path)
            }
            return try ExistingStore.open(opening, package) { store, _ in
                if hasChanges { try store.changeMetadata(change) }
                return try store.metadata
            }
        } catch let error as StoreError {
            throw opening.located(error)
        }
    }

    private var hasChanges: Bool { !set.isEmpty || !remove.isEmpty }

    /// Sets and removes keys.
    private func edit(
        _ values: inout Values, _ new: [(String, PropertyList)], of store: String
    ) throws {
        for key in remove where values.removeValue(forKey: key) == nil {
            let hint = Nearest.name(to: key, among: values.keys.sorted())
            throw Failure(
                "\(store): the metadata has no key \(key)"
                    + (hint.map { "; did you mean \($0)?" } ?? ""))
        }
        for (key, value) in new { values[key] = value }
    }

    /// Reads `key=value`.
    private static func read(_ text: String) throws -> (String, PropertyList) {
        guard let sign = text.firstIndex(of: "="), sign > text.startIndex else {
            throw ValidationError("--set takes key=value, not \(text)")
        }
        let key = String(text[..<sign])
        let value = String(text[text.index(after: sign)...])
        guard let document = try? JSONDocument(value) else { return (key, .string(value)) }
        if document.root.isNull {
            throw ValidationError("null is not a value: --remove \(key) removes the key")
        }
        return (key, try PropertyList(document.root, at: key))
    }
}
