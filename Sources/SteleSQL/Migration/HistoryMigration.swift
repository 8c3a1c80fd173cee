import SteleModel
import StelePersistence

/// Migrates the history: the numbers of entities, and the names of properties in before-images. All
/// transactions stay, so that tokens do; only changes of removed entities are deleted.
///
/// Nothing is read where no entity and no property changes its number or name.
struct HistoryMigration {
    private let map: MigrationMap
    private let work: MigrationWork

    init(_ map: MigrationMap, _ work: MigrationWork) {
        self.map = map
        self.work = work
    }

    /// The number of before-images that are read at once.
    private static let step = 1_000

    func run() throws(StoreError) {
        let entities = map.source.model.entities
        let isEven = entities.allSatisfy { entity in
            map.successor(of: entity).map {
                map.destination.number(of: $0.index) == map.source.number(of: entity.index)
            } ?? false
        }
        let isInPlace = entities.allSatisfy { entity in
            map.successor(of: entity).map { $0.root == entity.root } ?? entity.isAbstract
        }
        for entity in entities {
            guard let successor = map.successor(of: entity) else { continue }
            let names = names(of: entity, successor)
            if names.contains(where: { $0.key != $0.value }) {
                try rename(names, of: map.source.number(of: entity.index))
            }
        }
        if !isEven { try renumber() }
        if !isInPlace { try moveImages() }
    }

    /// Returns the names of an entity's properties afterwards. One that is no longer there, or is
    /// another kind of property, gets a name that no property has.
    private func names(of old: Entity, _ new: Entity) -> [String: String] {
        var names: [String: String] = [:]
        for property in old.slots {
            let mark = property.isDerived ? BeforeImage.silentMark : BeforeImage.removedMark
            names[property.name] = mark + property.name
        }
        for it in old.toManys { names[it.name] = BeforeImage.silentMark + it.name }
        for property in new.slots {
            switch property {
            case .attribute(let it):
                guard let found = map.source(of: it, in: new), found.isDerived == it.isDerived,
                    !found.isExternal || it.isExternal
                else { continue }
                names[found.name] = it.name
            case .relationship(let it):
                guard let found = map.source(of: it, in: new), !found.isToMany else { continue }
                names[found.name] = it.name
            case .fetchedProperty, .transientRelationship: continue
            }
        }
        for it in new.toManys {
            guard let found = map.source(of: it, in: new), found.isToMany else { continue }
            names[found.name] = it.name
        }
        return names
    }

    /// Renames the properties in the before-images of an entity.
    private func rename(_ names: [String: String], of number: Int) throws(StoreError) {
        let read = SQLText(
            "SELECT b.Z_PK, b.ZVALUES FROM \(HistoryTables.beforeImages) b "
                + "JOIN ACHANGE c ON c.Z_PK = b.Z_PK "
                + "WHERE b.Z_PK > ?1 AND c.ZENTITY = \(number) ORDER BY b.Z_PK LIMIT \(Self.step)")
        let write = SQLText(
            "UPDATE \(HistoryTables.beforeImages) SET ZVALUES = ?2 WHERE Z_PK = ?1")
        var last = Int64.min
        while true {
            let rows = try work.connection.rows(read, [.int(last)], [.integer, .text])
            if rows.isEmpty { return }
            for row in rows {
                guard case .int(let key) = row[0] else { continue }
                last = key
                guard case .string(let text) = row[1],
                    let renamed = BeforeImage.renaming(text, names)
                else { continue }
                try work.connection.execute(write, [.int(key), .string(renamed)])
            }
        }
    }

    /// Gives the changes their entities' numbers, and deletes those of removed entities.
    private func renumber() throws(StoreError) {
        let kept = map.source.model.entities.compactMap { entity in
            map.successor(of: entity).map {
                (map.source.number(of: entity.index), map.destination.number(of: $0.index))
            }
        }
        let gone =
            "SELECT Z_PK FROM ACHANGE WHERE ZENTITY NOT IN \(MigrationMap.list(kept.map { $0.0 }))"
        try work.run("DELETE FROM \(HistoryTables.beforeImages) WHERE Z_PK IN (\(gone))")
        try work.run("DELETE FROM ACHANGE WHERE Z_PK IN (\(gone))")
        let moved = kept.filter { $0 != $1 }
        if moved.isEmpty { return }
        try work.run(
            "UPDATE ACHANGE SET ZENTITY = CASE ZENTITY "
                + moved.map { "WHEN \($0) THEN \($1)" }.joined(separator: " ")
                + " END WHERE ZENTITY IN \(MigrationMap.list(moved.map { $0.0 }))")
    }

    /// Gives the before-images the numbers of their families, and finds their places again.
    private func moveImages() throws(StoreError) {
        let model = map.destination.model
        let cases = model.entities.map {
            "WHEN \(map.destination.number(of: $0.index)) "
                + "THEN \(map.destination.number(of: $0.root))"
        }
        if !cases.isEmpty {
            try work.run(
                "UPDATE \(HistoryTables.beforeImages) SET ZFAMILY = "
                    + "(SELECT CASE c.ZENTITY \(cases.joined(separator: " ")) END FROM ACHANGE c "
                    + "WHERE c.Z_PK = \(HistoryTables.beforeImages).Z_PK)")
        }
        try ImagePlaces.rebuild(work.connection)
    }
}
