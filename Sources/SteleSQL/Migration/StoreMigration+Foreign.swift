import SteleModel
import StelePersistence

/// What other programs have added to the schema of the source.
extension StoreMigration {
    /// Checks that nothing of another program has a name that the destination needs.
    /// - Throws: `.incompatible` (134190).
    func checkNames() throws(StoreError) {
        if foreign.isEmpty { return }
        let made = Set(
            (tables.map(\.table.name) + joins.map(\.table.name)
                + map.destination.indexes.map(\.name)).map { $0.uppercased() })
        for part in foreign.parts + foreign.otherIndexes where part.kind != .trigger {
            let isTaken =
                part.kind == .column
                ? property(of: part.name, in: part.table) != nil
                : made.contains(part.name.uppercased())
            guard isTaken else { continue }
            throw .incompatible(
                code: 134190,
                "the store has \(part), which another program has made, and "
                    + "\(map.destination.model.name) needs the name: rename or drop it while no "
                    + "program has the store open")
        }
        for column in foreign.columns {
            guard let property = property(of: column.name, in: column.table) else { continue }
            let values = try column.part.filledRow(work.connection).map {
                " with values (first: \($0))"
            }
            throw .incompatible(
                code: 134190,
                "the table \(column.table) has a column \(column.name)\(values ?? ""), which "
                    + "\(property) of \(map.destination.model.name) would not get: another program has "
                    + "added it, so rename or drop it while no program has the store open")
        }
    }

    /// Checks that no virtual table names a table or a column that is removed or renamed: SQLite does
    /// not rename in its statement, and what fills it would fail at each change.
    /// - Throws: `.incompatible` (134190).
    func checkVirtualTables() throws(StoreError) {
        let virtual = foreign.parts.filter { !$0.words.isEmpty }
        if virtual.isEmpty { return }
        let kept = tables.filter { $0.old?.name == $0.table.name }
        let keptJoins = joins.filter { $0.old?.name == $0.table.name }.map(\.table.name)
        let gone = Set(
            map.source.storedTables.map(\.name) + map.source.joinTables.map(\.name)
        ).subtracting(kept.map(\.table.name)).subtracting(keptJoins)
        for part in virtual {
            let columns = kept.filter { part.words.contains($0.table.name.uppercased()) }
                .flatMap { table in
                    table.dropped + table.carried.filter { $0.key != $0.value }.keys.sorted()
                }
            let missed = (gone.sorted() + columns).first { part.words.contains($0.uppercased()) }
            guard let missed else { continue }
            throw .incompatible(
                code: 134190,
                "the store has \(part), which another program has made over \(missed), and "
                    + "\(map.destination.model.name) removes or renames that: drop it while no program "
                    + "has the store open, and make it again after the migration")
        }
    }

    /// The property, as `Entity.name`, of a column that an altered table gets; nil for none.
    private func property(of column: String, in table: String) -> String? {
        let altered = tables.first {
            $0.way == .altered && $0.old?.name.uppercased() == table.uppercased()
        }
        return altered?.table.columns.first { $0.name.uppercased() == column.uppercased() }?
            .role.property(in: map.destination.model)
    }

    /// What of other programs the migration loses because it copies a table or drops it, as words.
    /// - Parameter version: the name of the source's version.
    /// - Throws: errors of SQLite.
    package func foreignLosses(_ version: String) throws(StoreError) -> [String] {
        var losses: [String] = []
        for column in foreign.columns {
            let isDropped = isDropped(column.table)
            let lost =
                isDropped
                ? ["TRUE"]
                : tables.filter { $0.way == .copied && $0.old?.name == column.table }
                    .map(\.condition)
            if lost.isEmpty { continue }
            let count = try work.count(
                "SELECT COUNT(*) FROM \(sqlName(column.table)) WHERE \(sqlName(column.name)) "
                    + "IS NOT NULL AND (\(lost.joined(separator: " OR ")))")
            if count == 0 { continue }
            losses.append(
                "the values of the column \(column.table).\(column.name), which no property of "
                    + "\(version) has" + (isDropped ? "" : ", of rows that move"))
        }
        for part in foreign.parts where part.dependsOnTable && isDropped(part.table) {
            losses.append("\(part), which another program has made")
        }
        for (table, target) in foreign.references where isDropped(target) {
            losses.append("the table \(target), to which a foreign key of \(table) leads")
        }
        return losses
    }

    /// Checks that views and triggers of other programs are not over tables that were dropped, of which
    /// SQLite looks at none until a table gets another name.
    /// - Throws: `.refused` with the view or the trigger.
    func checkViews() throws(StoreError) {
        guard !dropped.isEmpty, foreign.hasStatements else { return }
        try work.run("CREATE TABLE STELE_CHECKED (a)")
        try work.run("ALTER TABLE STELE_CHECKED RENAME TO STELE_CHECKED2")
        try work.run("DROP TABLE STELE_CHECKED2")
    }

    private func isDropped(_ table: String) -> Bool {
        dropped.contains { $0.uppercased() == table.uppercased() }
    }

    /// An error of the migration with what may have caused it.
    func explained(_ error: StoreError) -> StoreError {
        let text: String
        switch error {
        case .refused(let sentence): text = sentence
        case .constraint: text = "a unique index of the store's file refuses it"
        default: return error
        }
        let rules = foreign.rules
        if rules.isEmpty { return error }
        return .refused(
            "\(text). Other programs have added \(rules.joined(separator: ", ")): drop what refuses it "
                + "while no program has the store open, and make it again after the migration")
    }
}
