/// The meaning of the keys of bodies, made once for a model.

import SteleModel

/// The meaning of a key of an object in a body.
package enum BodyKey: Sendable {
    case id, entity, version
    /// `_store`, the configuration of the store of a new object.
    case store
    case attribute(Attribute)
    case toOne(Relationship)
    case toMany(Relationship)
    /// A derived or transient property or a fetched property, which cannot be written.
    case readOnly(String)
}

/// The keys of an entity.
package struct BodyForm: Sendable {
    /// The keys that every entity has.
    static let identity = ["_id", "_entity", "_version"]

    package let keys: KeyTable<BodyKey>
    /// The keys of the entity's own properties.
    package let writable: [BodyKey]
    let hasDerived: Bool

    init(_ entity: Entity) {
        let own: [(name: String, entry: BodyKey)] = entity.properties.map { property in
            switch property {
            case .attribute(let it):
                (it.name, it.isDerived || it.isTransient ? .readOnly(it.name) : .attribute(it))
            case .relationship(let it): (it.name, it.isToMany ? .toMany(it) : .toOne(it))
            case .fetchedProperty(let it): (it.name, .readOnly(it.name))
            case .transientRelationship(let it): (it.name, .readOnly(it.name))
            }
        }
        hasDerived = entity.properties.contains { property in
            if case .attribute(let it) = property { it.isDerived } else { false }
        }
        writable = own.map(\.entry)
        var all: [(name: String, entry: BodyKey)] = [
            ("_id", .id), ("_entity", .entity), ("_version", .version),
        ]
        // A model's own property of that name comes first.
        if entity.property(named: "_store") == nil { all.append(("_store", .store)) }
        keys = KeyTable(all + own)
    }
}

/// The forms of all entities, by `Entity.index`.
package struct BodyForms: Sendable {
    private let forms: [BodyForm]

    package init(_ model: Model) { forms = model.entities.map(BodyForm.init) }

    /// Whether a row of the entity can change without its version, as derived attributes do.
    package func hasDerived(_ entity: Int) -> Bool { forms[entity].hasDerived }

    package subscript(entity: Entity) -> BodyForm { forms[entity.index] }
}
