/// The stores of a command as options of the command line.

import ArgumentParser
import SteleModel
import SteleSQLite

/// The options of `import` and `export` that name the store, or several.
struct StoreFlags: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The store's file, or the URL of a database; CONFIGURATION=FILE for a store of one "
                + "configuration, once for each of several.",
            valueName: "path"))
    var store: [String]

    @Option(help: SettingFlags.help("store-type", "type"))
    var storeType: [String] = []

    @Option(help: SettingFlags.help("history", "place"))
    var history: String?

    /// Decides on the places and types of the stores.
    /// - Parameter use: what the command does with the stores.
    /// - Throws: `Failure`, as `StoresOpening`.
    func opening(_ package: ModelPackage, for use: StoreUse) throws -> StoresOpening {
        try StoresOpening(
            store.joined(separator: ","),
            type: storeType.isEmpty ? nil : storeType.joined(separator: ","), package,
            history: try history.map(HistoryPlace.init(setting:)) ?? .auto,
            use: use)
    }
}
