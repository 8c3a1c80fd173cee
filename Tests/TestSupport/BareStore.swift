/// A store as another program leaves it that keeps no history.

import Foundation
import SteleModel
import StelePersistence
import SteleSQLite

/// Makes the file of a store of a model, without the tables of a history and without what only
/// Stele writes.
package func makeBareStore(_ model: Model, at path: String) throws {
    try SQLiteStore.open(path: path, model: model).close()
    let file = try RawDatabase(path)
    for table in try file.texts("SELECT name FROM sqlite_master WHERE type = 'table'")
    where table.hasPrefix("STELE_") || table.hasPrefix("A") { try file.run("DROP TABLE \(table)") }
    try file.run("DELETE FROM Z_PRIMARYKEY WHERE Z_ENT > 16000")
    let list = try PropertyListSerialization.propertyList(
        from: Data(try file.bytes("SELECT Z_PLIST FROM Z_METADATA")), format: nil)
    let kept = (list as? [String: Any] ?? [:]).filter { !$0.key.hasPrefix("Stele") }
    let bytes = try PropertyListSerialization.data(
        fromPropertyList: kept, format: .binary, options: 0)
    let digits = bytes.map { String(format: "%02x", $0) }.joined()
    try file.run("UPDATE Z_METADATA SET Z_PLIST = X'\(digits)'")
    try file.run("PRAGMA wal_checkpoint(TRUNCATE)")
}
