// What is embedded in the rows of a list.

import SteleGraph
import SteleModel
import StelePersistence
import SteleRequests

extension Embedding {
    /// What is embedded in a list's rows.
    package static func embedded(
        in rows: FetchedRows, _ shape: Shape, _ context: ManagedObjectContext, limits: Limits
    ) throws -> Embedded {
        var embedding = Embedding(context, limits: limits)
        return try embedding.embedded(in: rows, shape)
    }

    /// What is embedded in rows of a shape.
    private mutating func embedded(in rows: FetchedRows, _ shape: Shape) throws -> Embedded {
        switch rows {
        case .values(let rows): try embedded(in: rows, shape)
        case .objects(let snapshots): try below(snapshots, shape.inclusion)
        }
    }

    /// What the columns of relationships need beside the rows.
    private mutating func embedded(in rows: [[Value]], _ shape: Shape) throws -> Embedded {
        guard case .columns(let columns, let inclusion) = shape else { return .none }
        var embedded = Embedded()
        for column in columns {
            switch column.source {
            case .toMany(let relationship):
                let owners = rows.compactMap { RowKey.id(of: $0) }
                if let known = embedded.level(relationship.index) {
                    // Another column of the same: read once, written again.
                    try spend(known)
                } else if let branch = inclusion.branch(relationship.index) {
                    let level = try members(
                        relationship, branch.below, owners: owners)
                    try check(level, owners)
                    embedded.levels.append(level)
                } else {
                    embedded.levels.append(try keys(relationship, owners: owners))
                }
            case .fetched(let property):
                guard let branch = inclusion.branch(property.index) else { continue }
                let owners = rows.compactMap { RowKey.id(of: $0) }
                let level = try fetched(property, branch.below, owners: owners)
                try check(level, owners)
                embedded.levels.append(level)
            case .toOne(let place, let relationship):
                guard let branch = inclusion.branch(relationship.index) else { continue }
                let keys = rows.compactMap { row in RowKey.key(in: row, at: place) }
                let level = try destinations(
                    relationship, branch.below, keys: Array(Set(keys)))
                try check(level, keys)
                embedded.levels.append(level)
            case .value, .composite, .entityName: continue
            }
        }
        return embedded
    }
}
