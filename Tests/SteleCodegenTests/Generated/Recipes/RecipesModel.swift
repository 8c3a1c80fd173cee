// Written by stele model swift from the model Recipes: its classes.
// It is generated from the model. Put code of your own into another file.

public import Stele

public nonisolated enum RecipesModel: TypedModel {
    public static let embedded = EmbeddedModel(
        name: "Recipes",
        currentVersion: "Recipes",
        versions: [
            #"""
            {
              "name": "Recipes",
              "toolAttributes": {
                "lastSavedToolsVersion": "22758",
                "systemVersion": "23E224",
                "minimumToolsVersion": "Automatic",
                "sourceLanguage": "Swift"
              },
              "entities": [
                {
                  "name": "Chef",
                  "class": "Chef",
                  "attributes": [
                    {
                      "name": "name",
                      "type": "String",
                      "optional": false,
                      "minimum": 1
                    }
                  ],
                  "relationships": [
                    {
                      "name": "recipes",
                      "destination": "Recipe",
                      "inverse": "chef",
                      "toMany": true,
                      "optional": true,
                      "deleteRule": "Nullify"
                    }
                  ],
                  "syncable": true,
                  "codeGeneration": "class"
                },
                {
                  "name": "Ingredient",
                  "class": "Ingredient",
                  "attributes": [
                    {
                      "name": "name",
                      "type": "String",
                      "optional": false,
                      "minimum": 1
                    },
                    {
                      "name": "quantity",
                      "type": "Decimal",
                      "optional": true,
                      "minimum": 0
                    },
                    {
                      "name": "unit",
                      "type": "String",
                      "optional": true
                    }
                  ],
                  "relationships": [
                    {
                      "name": "recipe",
                      "destination": "Recipe",
                      "inverse": "ingredients",
                      "toMany": false,
                      "optional": true,
                      "deleteRule": "Nullify"
                    }
                  ],
                  "syncable": true,
                  "codeGeneration": "class"
                },
                {
                  "name": "Recipe",
                  "class": "Recipe",
                  "attributes": [
                    {
                      "name": "createdAt",
                      "type": "Date",
                      "optional": true,
                      "scalar": false
                    },
                    {
                      "name": "instructions",
                      "type": "String",
                      "optional": true
                    },
                    {
                      "name": "name",
                      "type": "String",
                      "optional": false,
                      "minimum": 1
                    },
                    {
                      "name": "overview",
                      "type": "String",
                      "optional": true
                    },
                    {
                      "name": "photo",
                      "type": "Binary",
                      "optional": true
                    },
                    {
                      "name": "prepTime",
                      "type": "Integer 16",
                      "optional": true,
                      "default": 0,
                      "minimum": 0,
                      "scalar": true,
                      "userInfo": {
                        "unit": "minute"
                      }
                    },
                    {
                      "name": "servings",
                      "type": "Integer 16",
                      "optional": true,
                      "default": 1,
                      "minimum": 1,
                      "maximum": 100,
                      "scalar": true
                    },
                    {
                      "name": "tags",
                      "type": "Transformable",
                      "optional": true,
                      "class": "[String]"
                    }
                  ],
                  "relationships": [
                    {
                      "name": "chef",
                      "destination": "Chef",
                      "inverse": "recipes",
                      "toMany": false,
                      "optional": true,
                      "deleteRule": "Nullify"
                    },
                    {
                      "name": "ingredients",
                      "destination": "Ingredient",
                      "inverse": "recipe",
                      "toMany": true,
                      "ordered": true,
                      "optional": true,
                      "maximumCount": 100,
                      "deleteRule": "Cascade"
                    },
                    {
                      "name": "type",
                      "destination": "RecipeType",
                      "inverse": "recipes",
                      "toMany": false,
                      "optional": true,
                      "deleteRule": "Nullify"
                    }
                  ],
                  "indexes": [
                    {
                      "name": "byName",
                      "elements": [
                        "name"
                      ]
                    }
                  ],
                  "syncable": true,
                  "codeGeneration": "class"
                },
                {
                  "name": "RecipeType",
                  "class": "RecipeType",
                  "attributes": [
                    {
                      "name": "name",
                      "type": "String",
                      "optional": false,
                      "minimum": 1
                    }
                  ],
                  "relationships": [
                    {
                      "name": "recipes",
                      "destination": "Recipe",
                      "inverse": "type",
                      "toMany": true,
                      "optional": true,
                      "deleteRule": "Deny"
                    }
                  ],
                  "uniquenessConstraints": [
                    [
                      "name"
                    ]
                  ],
                  "syncable": true,
                  "codeGeneration": "class"
                }
              ]
            }
            """#
        ])

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
