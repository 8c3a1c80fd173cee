// Written by stele model swift from the model Recipes: Recipe.
// It is generated from the model. Put code of your own into another file.

public import Stele

public final nonisolated class Recipe: ManagedObject {}

nonisolated extension Recipe {
    public var createdAt: Date? {
        get { attribute(forKey: "createdAt") }
        set { setAttribute(newValue, forKey: "createdAt") }
    }

    public var instructions: String? {
        get { attribute(forKey: "instructions") }
        set { setAttribute(newValue, forKey: "instructions") }
    }

    public var name: String? {
        get { attribute(forKey: "name") }
        set { setAttribute(newValue, forKey: "name") }
    }

    public var overview: String? {
        get { attribute(forKey: "overview") }
        set { setAttribute(newValue, forKey: "overview") }
    }

    public var photo: Data? {
        get { attribute(forKey: "photo") }
        set { setAttribute(newValue, forKey: "photo") }
    }

    public var prepTime: Int16 {
        get { attribute(forKey: "prepTime") ?? 0 }
        set { setAttribute(newValue, forKey: "prepTime") }
    }

    public var servings: Int16 {
        get { attribute(forKey: "servings") ?? 0 }
        set { setAttribute(newValue, forKey: "servings") }
    }

    public var tags: [String]? {
        get throws { try transformable(forKey: "tags") }
    }

    public func setTags(_ value: [String]?) throws {
        try setTransformable(value, forKey: "tags")
    }

    public var chef: Chef? {
        get { object(forKey: "chef") }
        set { setObject(newValue, forKey: "chef") }
    }

    @available(*, deprecated, message: "set the property, or setDestination(_:forKey:)")
    public func setChef(_ value: Chef?) throws {
        try setDestination(value, forKey: "chef")
    }

    public var ingredients: [Ingredient] {
        get throws { try members(forKey: "ingredients") }
    }

    public func setIngredients(_ values: [Ingredient]) throws {
        try setMembers(values, forKey: "ingredients")
    }

    public func addToIngredients(_ value: Ingredient) throws {
        try addMembers([value], forKey: "ingredients")
    }

    public func addToIngredients(_ values: [Ingredient]) throws {
        try addMembers(values, forKey: "ingredients")
    }

    public func removeFromIngredients(_ value: Ingredient) throws {
        try removeMembers([value], forKey: "ingredients")
    }

    public func removeFromIngredients(_ values: [Ingredient]) throws {
        try removeMembers(values, forKey: "ingredients")
    }

    public func insertIntoIngredients(_ value: Ingredient, at index: Int) throws {
        try insertMembers([value], forKey: "ingredients", at: index)
    }

    public func insertIntoIngredients(_ values: [Ingredient], at index: Int) throws {
        try insertMembers(values, forKey: "ingredients", at: index)
    }

    public func removeFromIngredients(at index: Int) throws {
        try removeMember(forKey: "ingredients", at: index)
    }

    public func replaceIngredients(at index: Int, with value: Ingredient) throws {
        try replaceMember(forKey: "ingredients", at: index, with: value)
    }

    public var type: RecipeType? {
        get { object(forKey: "type") }
        set { setObject(newValue, forKey: "type") }
    }

    @available(*, deprecated, message: "set the property, or setDestination(_:forKey:)")
    public func setType(_ value: RecipeType?) throws {
        try setDestination(value, forKey: "type")
    }
}

nonisolated extension ObjectKeys where Object == Recipe {
    public var createdAt: AttributeKey<Date> { self[attribute: "createdAt"] }
    public var instructions: AttributeKey<String> { self[attribute: "instructions"] }
    public var name: AttributeKey<String> { self[attribute: "name"] }
    public var overview: AttributeKey<String> { self[attribute: "overview"] }
    public var photo: AttributeKey<Data> { self[attribute: "photo"] }
    public var prepTime: AttributeKey<Int16> { self[attribute: "prepTime"] }
    public var servings: AttributeKey<Int16> { self[attribute: "servings"] }
    public var chef: ObjectKeys<Chef> { self[toOne: "chef"] }
    public var ingredients: ToManyKeys<Ingredient> { self[toMany: "ingredients"] }
    public var type: ObjectKeys<RecipeType> { self[toOne: "type"] }
}
