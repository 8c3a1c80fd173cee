/// Which Decimal attributes hold values that plain SQL would compare wrongly.

import SteleModel
import StelePersistence

/// The attributes with decimals of more than 15 digits, named in the store's metadata with the
/// save that brings the first such value; they stay named.
struct LongDecimals {
    /// `Entity.attribute`, with the entity that declares it.
    private(set) var attributes: Set<String>
    /// The Decimal attributes of each entity.
    private let decimals: [[Attribute]]
    private let owners: [String]
    /// Those that are to be named.
    private var new: Set<String> = []

    private static let reading = SQLText("SELECT Z_PLIST FROM Z_METADATA WHERE Z_VERSION = 1")
    private static let writing = SQLText("UPDATE Z_METADATA SET Z_PLIST = ?1 WHERE Z_VERSION = 1")

    init(_ schema: SQLSchema, _ connection: any SQLConnection) throws(StoreError) {
        owners = schema.model.entities.map(\.name)
        decimals = schema.model.entities.map { entity in
            entity.slots.compactMap { property in
                if case .attribute(let it) = property, it.type == .decimal { it } else { nil }
            }
        }
        attributes = Set(try Self.metadata(connection).longDecimals ?? [])
    }

    private static func metadata(
        _ connection: any SQLConnection
    ) throws(StoreError) -> StoreMetadata {
        guard case .data(let list)? = try connection.rows(reading, [], [.data]).first?.first else {
            throw .failed("the store has lost its metadata")
        }
        return try StoreMetadata(propertyList: list)
    }

    /// Notes the attributes of which a change brings a first long value.
    mutating func note(_ change: ObjectChange) {
        if change.kind == .delete || decimals[change.entity].isEmpty { return }
        for attribute in decimals[change.entity] {
            guard case .decimal(let value) = change.values[attribute.slot] else { continue }
            let name = "\(owners[attribute.owner]).\(attribute.name)"
            if !attributes.contains(name), DecimalColumn(value).isLong { new.insert(name) }
        }
    }

    /// Names those that were noted.
    mutating func write(_ connection: any SQLConnection) throws(StoreError) {
        if new.isEmpty { return }
        attributes.formUnion(new)
        new = []
        var metadata = try Self.metadata(connection)
        metadata.longDecimals = attributes.sorted()
        try connection.execute(Self.writing, [.data(try metadata.propertyList())])
    }
}
