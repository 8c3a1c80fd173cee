import SteleModel
import StelePersistence
import SteleSQL

/// Whether a store follows the tables that its model names.
extension TableLinks: CustomStringConvertible {
    /// The table with the description of what the store follows.
    static let followed = "stele_followed"

    /// The tables and columns, one table a line.
    var description: String {
        let tables = tables.map { table in
            let key = table.key.map { "\($0.name) \($0.type)" }.joined(separator: ", ")
            let columns = table.columns.map { "\($0.stored)=\($0.source.name) \($0.source.type)" }
            let references = table.references.map { "\($0.stored)=\(text(of: $0.key))" }
            let all = (columns + references).sorted().joined(separator: ", ")
            return "\(table.stored) \(table.source.name) (\(key)) \(all)"
        }
        let joins = joins.map {
            "\($0.stored.name) \($0.source) \(text(of: $0.owner)) \(text(of: $0.member))"
        }
        return (tables + joins).sorted().joined(separator: "\n")
    }

    private func text(of key: ForeignKey) -> String {
        let columns = key.columns.map { "\($0.name) \($0.type)" }.joined(separator: ",")
        let table = tables[key.destination].source.name
        return "\(columns)→\(table)(\(key.referenced.joined(separator: ",")))"
    }

    /// Checks that the store follows these tables, and that their triggers are there.
    /// - Throws: `StoreError.incompatible` (134080).
    func check(_ connection: Connection) throws(StoreError) {
        let isFollowing = try connection.integer(
            SQLText(connection.dialect.tableCount(Self.followed)))
        if isEmpty, isFollowing == 0 { return }
        var made: String?
        if isFollowing == 1 {
            let rows = try connection.queryOnce("SELECT ztext FROM \(Self.followed)")
            if rows.count == 1, case .string(let text) = rows.value(0, 0, .text) { made = text }
        }
        let again = "serve it with the model and tables that it was made with, or make it again"
        guard made == description else {
            let had = Set((made ?? "").split(separator: "\n"))
            let has = Set(description.split(separator: "\n"))
            let first = has.symmetricDifference(had).sorted().first ?? ""
            throw Self.misfit(
                "the store in \(connection.place) follows other tables or columns than those of the "
                    + "model, such as in \(first): \(again) in an empty schema")
        }
        for source in sourceNames {
            let id = "\(source.quoted.quotedText)::regclass"
            let count = try connection.integer(
                SQLText("SELECT \(FollowedSources.triggers(of: id))"))
            guard count == 2 else {
                throw Self.misfit(
                    "the table \(source) has not the triggers by which the store in "
                        + "\(connection.place) follows it, because it was made again, or they are "
                        + "disabled: make the store again in an empty schema")
            }
        }
    }
}
