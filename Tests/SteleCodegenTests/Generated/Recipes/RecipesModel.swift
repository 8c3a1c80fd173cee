// Written by stele model swift from the model Recipes: its classes.
// It is generated from the model. Put code of your own into another file.

import SteleGraph
import SteleModel

public enum RecipesModel: TypedModel {
    public static let entities: [TypedEntity] = [
        TypedEntity(
            "Chef", Chef.self,
            [
                "name": .attribute(.string),
                "recipes": .toMany("Recipe"),
            ]),
        TypedEntity(
            "Ingredient", Ingredient.self,
            [
                "name": .attribute(.string),
                "quantity": .attribute(.decimal),
                "unit": .attribute(.string),
                "recipe": .toOne("Recipe"),
            ]),
        TypedEntity(
            "Recipe", Recipe.self,
            [
                "createdAt": .attribute(.date),
                "instructions": .attribute(.string),
                "name": .attribute(.string),
                "overview": .attribute(.string),
                "photo": .attribute(.binary),
                "prepTime": .attribute(.integer16),
                "servings": .attribute(.integer16),
                "tags": .attribute(.transformable),
                "chef": .toOne("Chef"),
                "ingredients": .ordered("Ingredient"),
                "type": .toOne("RecipeType"),
            ]),
        TypedEntity(
            "RecipeType", RecipeType.self,
            [
                "name": .attribute(.string),
                "recipes": .toMany("Recipe"),
            ]),
    ]
}
