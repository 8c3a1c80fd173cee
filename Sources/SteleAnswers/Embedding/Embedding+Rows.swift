// What is embedded in the rows of a list.

import SteleGraph
import SteleModel
import StelePersistence
import SteleRequests

extension Embedding {
    /// Fetches what is embedded in the rows of a list.
    package static func embedded(
        in rows: FetchedRows, _ shape: Shape, _ context: ManagedObjectContext, limits: Limits
    ) throws -> Embedded {
        var embedding = Embedding(context, limits: limits)
        return switch rows {
        case .values(let rows): try embedding.embedded(in: rows, shape)
        case .objects(let snapshots): try embedding.below(snapshots, shape.inclusion)
        }
    }

    /// Fetches what the columns of relationships need besides the rows.
    private mutating func embedded(in rows: [[Value]], _ shape: Shape) throws -> Embedded {
        guard case .columns(let columns, let inclusion) = shape else { return .none }
        var embedded = Embedded()
        for column in columns {
            let level: Embedded.Level
            let keys: [Int64]
            switch column.source {
            case .toMany(let relationship):
                if let known = embedded.level(relationship.index) {
                    // Another column of the same relationship: read once, written again.
                    try spend(known)
                    continue
                }
                keys = rows.compactMap { RowKey.id(of: $0) }
                if let branch = inclusion.branch(relationship.index) {
                    level = try members(relationship, branch.below, owners: keys)
                } else {
                    level = try self.keys(relationship, owners: keys)
                }
            case .many(let path):
                let first = path.relationships[0]
                let below = Inclusion(path.relationships.dropFirst(), context.model)
                if let place = path.place {
                    keys = rows.compactMap { RowKey.key(in: $0, at: place) }
                    level = try destinations(first, below, keys: keys.distinct())
                } else {
                    keys = rows.compactMap { RowKey.id(of: $0) }
                    level = try members(first, below, owners: keys)
                }
                try check(level, keys)
                embedded.manys[path.number] = level
                continue
            case .fetched(let property):
                guard let branch = inclusion.branch(property.index) else { continue }
                keys = rows.compactMap { RowKey.id(of: $0) }
                level = try fetched(property, branch.below, owners: keys)
            case .toOne(let place, let relationship):
                guard let branch = inclusion.branch(relationship.index) else { continue }
                keys = rows.compactMap { RowKey.key(in: $0, at: place) }
                level = try destinations(relationship, branch.below, keys: keys.distinct())
            case .transient(let attribute):
                if embedded.level(Embedded.rowObjects) != nil { continue }
                keys = rows.compactMap { RowKey.id(of: $0) }
                level = try objects(of: context.model.entities[attribute.owner].root, keys)
            case .value, .composite, .entityName: continue
            }
            try check(level, keys)
            embedded.levels.append(level)
        }
        return embedded
    }
}
