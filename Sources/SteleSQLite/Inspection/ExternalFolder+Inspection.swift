import Glibc
import SteleModel
import StelePersistence
import SteleSQL

/// The files of large values, and the rows that name them.
extension ExternalFolder {
    /// Compares the files with what the columns and the before-images name.
    /// - Parameters:
    ///   - tables: the columns that may name files, by table.
    ///   - hasImages: whether there are before-images.
    /// - Returns: what does not agree.
    func differences(
        _ connection: Connection, _ tables: [(table: String, columns: [String])], hasImages: Bool
    ) throws(StoreError) -> [String] {
        var differences: [String] = []
        let all = sizes()
        // A program may be about to commit the row of a recent file.
        var orphans = Set(sizes(before: time(nil) - Limits.orphanSeconds).keys)
        for (table, columns) in tables {
            var missing = columns.map { _ in (count: 0, first: "") }
            let statement = try connection.statement(Self.references(table, columns), [])
            defer { statement.reset() }
            while try statement.step() {
                for place in columns.indices {
                    guard case .external(let data) = statement.value(Int32(place), .external)
                    else { continue }
                    orphans.remove(data.identifier)
                    if all[data.identifier] != nil { continue }
                    if missing[place].count == 0 {
                        missing[place].first = data.identifier.uuidString
                    }
                    missing[place].count += 1
                }
            }
            for (column, (count, first)) in zip(columns, missing) where count > 0 {
                differences.append(
                    "\(table).\(column): in \(count) \(count == 1 ? "row" : "rows") the value is "
                        + "in a file that is not in \(path) (first: \(first)): it cannot be read")
            }
        }
        if orphans.isEmpty { return differences }
        if hasImages {
            let images = SQLText(
                "SELECT ZVALUES FROM \(HistoryTables.beforeImages) "
                    + "WHERE instr(ZVALUES, '\"external\":') > 0")
            let statement = try connection.statement(images, [])
            defer { statement.reset() }
            while try statement.step() {
                guard case .string(let text) = statement.value(0, .text) else { continue }
                for name in BeforeImage.externalNames(in: text) { orphans.remove(name) }
            }
        }
        if let first = orphans.min(by: { $0.uuidString < $1.uuidString }) {
            differences.append(
                "\(path): \(orphans.count) \(orphans.count == 1 ? "file is" : "files are") named "
                    + "by no row and no before-image (first: \(first.uuidString)): nothing reads "
                    + "them")
        }
        return differences
    }
}
