import SteleModel
import StelePersistence

/// The Decimal attributes with values of more than 15 digits, which SQL's own comparison would get
/// wrong. The save that stores the first such value adds the attribute to the store's metadata,
/// where it stays.
struct LongDecimals {
    /// The attributes as `Entity.attribute`, with the declaring entity.
    private(set) var attributes: Set<String>
    /// The Decimal attributes of each entity.
    private let decimals: [[Attribute]]
    private let owners: [String]
    /// Whether the database compares all Decimals itself.
    private let isExact: Bool
    /// The attributes to add.
    private var new: Set<String> = []

    init(_ schema: SQLSchema, _ connection: any SQLConnection) throws(StoreError) {
        owners = schema.model.entities.map(\.name)
        isExact = schema.dialect.hasExactDecimals
        decimals = schema.model.entities.map { entity in
            entity.slots.compactMap { property in
                if case .attribute(let it) = property, it.type == .decimal { it } else { nil }
            }
        }
        attributes = Set(try Self.metadata(connection).longDecimals ?? [])
    }

    static func metadata(
        _ connection: any SQLConnection
    ) throws(StoreError) -> StoreMetadata {
        guard let stored = try StoreMetadata.read(connection) else {
            throw .failed("the store has no metadata")
        }
        return stored.metadata
    }

    /// Notes the attributes for which a change has a first long value.
    mutating func note(_ change: ObjectChange) {
        if isExact || change.kind == .delete || decimals[change.entity].isEmpty { return }
        for attribute in decimals[change.entity] {
            guard case .decimal(let value) = change.values[attribute.slot] else { continue }
            let name = "\(owners[attribute.owner]).\(attribute.name)"
            if !attributes.contains(name), DecimalColumn(value).isLong { new.insert(name) }
        }
    }

    /// Adds the noted attributes to the metadata.
    mutating func write(_ connection: any SQLConnection) throws(StoreError) {
        if new.isEmpty { return }
        attributes.formUnion(new)
        new = []
        var metadata = try Self.metadata(connection)
        metadata.longDecimals = attributes.sorted()
        try metadata.write(to: connection)
    }
}

extension FetchTranslator {
    /// A translator for a store's file in its present state.
    package init(stored schema: SQLSchema, on connection: any SQLConnection) throws(StoreError) {
        self.init(
            schema: schema, longDecimals: try LongDecimals(schema, connection).attributes)
    }
}
