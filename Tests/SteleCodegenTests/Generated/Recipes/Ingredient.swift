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
        get throws { try destination(forKey: "recipe") }
    }

    public func setRecipe(_ value: Recipe?) throws {
        try setDestination(value, forKey: "recipe")
    }
}
