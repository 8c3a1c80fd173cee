import SteleModel

/// A part of a context that uses the loader.
protocol LoaderPart {
    var loader: ObjectLoader { get }
}

extension LoaderPart {
    var registry: ObjectRegistry { loader.registry }
    var changes: ChangeSet { loader.changes }
    var view: StoreView { loader.view }
    var model: Model { loader.model }
    var plans: [EntityPlan] { loader.plans }
}

/// A part of a context that uses relationship maintenance.
protocol RelationshipPart: LoaderPart {
    var relationships: RelationshipMaintenance { get }
}

extension RelationshipPart {
    var loader: ObjectLoader { relationships.loader }
    var toManys: ToManyRelationships { relationships.toManys }
    var rebasing: Rebasing { relationships.rebasing }
}
