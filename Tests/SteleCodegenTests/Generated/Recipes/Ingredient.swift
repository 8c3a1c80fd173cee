// Written by stele model swift from the model Recipes: Ingredient.
// It is generated from the model. Put code of your own into another file.

public import Stele

public final nonisolated class Ingredient: ManagedObject {}

nonisolated extension Ingredient {
    public var name: String? {
        get { attribute(forKey: "name") }
        set { setAttribute(newValue, forKey: "name") }
    }

    public var quantity: Decimal? {
        get { attribute(forKey: "quantity") }
        set { setAttribute(newValue, forKey: "quantity") }
    }

    public var unit: String? {
        get { attribute(forKey: "unit") }
        set { setAttribute(newValue, forKey: "unit") }
    }

    public var recipe: Recipe? {
        get { object(forKey: "recipe") }
        set { setObject(newValue, forKey: "recipe") }
    }

    @available(*, deprecated, message: "set the property, or setDestination(_:forKey:)")
    public func setRecipe(_ value: Recipe?) throws {
        try setDestination(value, forKey: "recipe")
    }
}

nonisolated extension ObjectKeys where Object == Ingredient {
    public var name: AttributeKey<String> { self[attribute: "name"] }
    public var quantity: AttributeKey<Decimal> { self[attribute: "quantity"] }
    public var unit: AttributeKey<String> { self[attribute: "unit"] }
    public var recipe: ObjectKeys<Recipe> { self[toOne: "recipe"] }
}
