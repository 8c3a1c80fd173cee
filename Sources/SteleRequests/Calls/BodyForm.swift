/// What the keys of a body mean for one entity: made once a model, asked for every key.

import SteleModel

/// One key of an object in a body.
package enum BodyKey: Sendable {
    case id, entity, version
    case attribute(Attribute)
    case toOne(Relationship)
    case toMany(Relationship)
    /// A derived or transient attribute or a fetched property: read, never written.
    case readOnly(String)
}

/// An entity's keys.
package struct BodyForm: Sendable {
    /// The keys of every entity.
    package static let identity = ["_id", "_entity", "_version"]

    package let keys: KeyTable<BodyKey>
    /// What may be written, for PUT.
    package let writable: [BodyKey]
    package let hasDerived: Bool

    package init(_ entity: Entity) {
        let own: [(name: String, entry: BodyKey)] = entity.properties.map { property in
            switch property {
            case .attribute(let it):
                (
                    it.name,
                    it.isDerived || it.isTransient ? .readOnly(it.name) : .attribute(it)
                )
            case .relationship(let it): (it.name, it.isToMany ? .toMany(it) : .toOne(it))
            case .fetchedProperty(let it): (it.name, .readOnly(it.name))
            }
        }
        hasDerived = entity.properties.contains { property in
            if case .attribute(let it) = property { it.isDerived } else { false }
        }
        writable = own.map(\.entry)
        keys = KeyTable([("_id", .id), ("_entity", .entity), ("_version", .version)] + own)
    }
}

/// The forms of all entities, by `Entity.index`.
package struct BodyForms: Sendable {
    package let model: Model
    private let forms: [BodyForm]

    package init(_ model: Model) {
        self.model = model
        forms = model.entities.map(BodyForm.init)
    }

    /// Whether a row of the entity changes without its version: a derived attribute does that.
    package func hasDerived(_ entity: Int) -> Bool { forms[entity].hasDerived }

    package subscript(entity: Entity) -> BodyForm { forms[entity.index] }
}
