// Written by stele model swift from the model Recipes: RecipeType.
// It is generated from the model. Put code of your own into another file.

public import Stele

public final nonisolated class RecipeType: ManagedObject {}

nonisolated extension RecipeType {
    public var name: String? {
        get { attribute(forKey: "name") }
        set { setAttribute(newValue, forKey: "name") }
    }

    public var recipes: Set<Recipe> {
        get throws { try members(forKey: "recipes") }
    }

    public func setRecipes(_ values: Set<Recipe>) throws {
        try setMembers(values, forKey: "recipes")
    }

    public func addToRecipes(_ value: Recipe) throws {
        try addMembers([value], forKey: "recipes")
    }

    public func addToRecipes(_ values: Set<Recipe>) throws {
        try addMembers(values, forKey: "recipes")
    }

    public func removeFromRecipes(_ value: Recipe) throws {
        try removeMembers([value], forKey: "recipes")
    }

    public func removeFromRecipes(_ values: Set<Recipe>) throws {
        try removeMembers(values, forKey: "recipes")
    }
}

nonisolated extension ObjectKeys where Object == RecipeType {
    public var name: AttributeKey<String> { self[attribute: "name"] }
    public var recipes: ToManyKeys<Recipe> { self[toMany: "recipes"] }
}
