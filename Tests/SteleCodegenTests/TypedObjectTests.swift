// Generated classes in use: what is set is saved, and found again.

import Foundation
import Stele
import SteleGraph
import SteleModel
import StelePersistence
import StelePredicates
import TestSupport
import Testing

@Suite struct TypedObjectTests {
    @Test(arguments: StoreKind.allCases)
    func attributesOfAllTypesAreSavedAndRead(_ kind: StoreKind) throws {
        let ground = try Ground(.Recipes, RecipesModel.self, kind)
        let context = ground.context()
        let pie = try context.insert(Recipe.self)
        #expect(pie.servings == 1 && pie.prepTime == 0 && pie.name == nil)
        #expect(try pie.tags == nil)
        let day = Date(timeIntervalSinceReferenceDate: 7e8 + 0.1)
        pie.name = "Plum pie"
        pie.servings = 8
        pie.createdAt = day
        pie.photo = Data([0, 255, 7])
        try pie.setTags(["sweet", "naïve \"quotes\""])
        let plums = try context.insert(Ingredient.self)
        plums.name = "plums"
        plums.quantity = Decimal(string: "0.750")
        try pie.addToIngredients(plums)
        try context.save()

        let again = ground.context()
        let read = try #require(try again.fetch(Recipe.self).first)
        #expect(read !== pie && read.objectID == pie.objectID)
        #expect(read.name == "Plum pie" && read.servings == 8 && read.createdAt == day)
        #expect(read.photo == Data([0, 255, 7]))
        #expect(try read.tags == ["sweet", "naïve \"quotes\""])
        #expect(try read.ingredients.first?.quantity == Decimal(string: "0.75"))
        read.name = nil
        try read.setTags(nil)
        #expect(try read.name == nil && read.tags == nil)
        #expect(throws: ValidationErrors.self) { try again.save() }
    }

    @Test(arguments: StoreKind.allCases)
    func whatIsStoredOtherwiseIsRefusedByName(_ kind: StoreKind) throws {
        let ground = try Ground(.Recipes, RecipesModel.self, kind)
        let recipe = try ground.context().insert(Recipe.self)
        let tags = try #require(recipe.entity.attribute(named: "tags"))
        for bytes in ["[1, 2]", "{", "\u{0}"] {
            recipe.setValue(.data(Array(bytes.utf8)), for: tags)
            #expect {
                _ = try recipe.tags
            } throws: { error in
                "\(error)" == "Recipe.tags: the stored value is not Array<String>"
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func bothSidesOfARelationshipAreKept(_ kind: StoreKind) throws {
        let ground = try Ground(.Recipes, RecipesModel.self, kind)
        let context = ground.context()
        let (ann, bo) = (try context.insert(Chef.self), try context.insert(Chef.self))
        (ann.name, bo.name) = ("Ann", "Bo")
        let recipes = try (1...3).map { number in
            let recipe = try context.insert(Recipe.self)
            recipe.name = "\(number)"
            return recipe
        }
        try ann.addToRecipes(Set(recipes))
        #expect(try recipes[0].chef === ann)
        recipes[0].chef = bo
        #expect(try ann.recipes == [recipes[1], recipes[2]] && bo.recipes == [recipes[0]])
        try ann.removeFromRecipes(recipes[1])
        #expect(try recipes[1].chef == nil)
        try context.save()

        let again = ground.context()
        let chefs = try again.fetch(Chef.self, sort: "name")
        #expect(chefs.map(\.name) == ["Ann", "Bo"])
        #expect(try chefs.map { try $0.recipes.map(\.name) } == [["3"], ["1"]])
        try chefs[0].setRecipes([])
        try chefs[1].removeFromRecipes(try chefs[1].recipes)
        #expect(try chefs.map { try $0.recipes.count } == [0, 0])
    }

    @Test(arguments: StoreKind.allCases)
    func orderedMembersStandWhereTheyArePut(_ kind: StoreKind) throws {
        let ground = try Ground(.Drawing, DrawingModel.self, kind)
        let context = ground.context()
        let canvas = try context.insert(Canvas.self)
        let shapes: [Shape] = try ["a", "b", "c", "d", "e"].map { name in
            let circle = try context.insert(Circle.self)
            circle.name = name
            return circle
        }
        func order() throws -> String { try canvas.shapes.compactMap(\.name).joined() }
        try canvas.setShapes([shapes[2], shapes[0]])
        #expect(try order() == "ca")
        try canvas.addToShapes(shapes[4])
        try canvas.insertIntoShapes(shapes[1], at: 1)
        #expect(try order() == "cbae")
        try canvas.replaceShapes(at: 0, with: shapes[3])
        #expect(try order() == "dbae")
        try canvas.replaceShapes(at: 2, with: shapes[3])
        #expect(try order() == "bde")
        try canvas.replaceShapes(at: 0, with: shapes[4])
        #expect(try order() == "ed")
        try canvas.insertIntoShapes([shapes[0], shapes[1]], at: 2)
        #expect(try order() == "edab")
        try canvas.removeFromShapes(at: 1)
        try canvas.removeFromShapes([shapes[0]])
        #expect(try order() == "eb")
        for index in [-1, 2, Int.max] {
            let error = TypedObjectError.noSuchIndex(
                relationship: "Canvas.shapes", index: index, count: 2)
            #expect(throws: error) { try canvas.removeFromShapes(at: index) }
            #expect(throws: error) { try canvas.replaceShapes(at: index, with: shapes[0]) }
            if index == 2 { continue }
            #expect(throws: error) { try canvas.insertIntoShapes(shapes[0], at: index) }
        }
        try context.save()
        let again = ground.context()
        #expect(try again.fetch(Canvas.self)[0].shapes.map(\.name) == ["e", "b"])
    }

    @Test(arguments: StoreKind.allCases)
    func aParentsFetchGivesObjectsOfSubclasses(_ kind: StoreKind) throws {
        let ground = try Ground(.Drawing, DrawingModel.self, kind)
        let context = ground.context()
        let (circle, rectangle) = (
            try context.insert(Circle.self), try context.insert(Rectangle.self)
        )
        (circle.color, rectangle.color) = ("gold", "blue")
        circle.radius = 2.5
        rectangle.width = 4
        let transform = try context.insert(Transform.self)
        transform.rotation = -4.5
        circle.transform = transform
        try context.save()
        let again = ground.context()
        let shapes = try again.fetch(Shape.self, sort: "color")
        #expect(shapes.map { "\(type(of: $0))" } == ["Rectangle", "Circle"])
        #expect((shapes[1] as? Circle)?.radius == 2.5)
        #expect(try shapes[1].transform?.rotation == -4.5)
        #expect(try again.fetch(Circle.self).map(\.color) == ["gold"])
        #expect(throws: ContextError.abstractEntity("Shape")) { try again.insert(Shape.self) }
    }

    @Test(arguments: StoreKind.allCases)
    func predicatesTakeArguments(_ kind: StoreKind) throws {
        let ground = try Ground(.Recipes, RecipesModel.self, kind)
        let context = ground.context()
        let chef = try context.insert(Chef.self)
        chef.name = "Ann"
        for (name, servings) in [("a", 2), ("b", 4), ("c", 6), ("d", 8)] {
            let recipe = try context.insert(Recipe.self)
            recipe.name = name
            recipe.servings = Int16(servings)
            recipe.createdAt = Date(timeIntervalSinceReferenceDate: Double(servings))
            if servings > 4 { recipe.chef = chef }
        }
        try context.save()
        func names(_ recipes: [Recipe]) -> [String?] { recipes.map(\.name) }
        #expect(
            names(try context.fetch(Recipe.self, where: "servings > %d", 3, sort: "-servings")) == [
                "d", "c", "b",
            ])
        #expect(
            names(try context.fetch(Recipe.self, where: "name IN %@", ["a", "d"], sort: "name"))
                == ["a", "d"])
        #expect(
            names(try context.fetch(Recipe.self, where: "chef == %@", chef, sort: "name")) == [
                "c", "d",
            ])
        #expect(
            names(
                try context.fetch(Recipe.self, where: "chef.name == %@ AND servings < %d", "Ann", 8)
            ) == ["c"])
        #expect(
            names(
                try context.fetch(
                    Recipe.self, where: "chef == %@", nil as String?, sort: "name", limit: 1)) == [
                    "a"
                ])
        #expect(
            names(
                try context.fetch(
                    Recipe.self, where: "createdAt <= %@", Date(timeIntervalSinceReferenceDate: 2)))
                == ["a"])
        #expect(
            names(
                try context.fetch(
                    Recipe.self, where: "%K == %d", FormatArgument.keyPath("servings"), 4)) == ["b"]
        )
        var request = try Recipe.fetchRequest(where: "servings >= %d", 4, sort: "name")
        request.fetchOffset = 1
        request.fetchLimit = 1
        #expect(names(try context.fetch(request)) == ["c"])
        #expect(try context.count(Recipe.fetchRequest()) == 4)
        #expect(throws: StelePredicates.PredicateError.self) {
            try context.fetch(Recipe.self, where: "servingz > 1")
        }
        #expect(throws: StelePredicates.PredicateError.self) {
            try context.fetch(Recipe.self, sort: "ingredients")
        }
        #expect(throws: StelePredicates.PredicateError.self) {
            _ = try Recipe.fetchRequest(where: "servings >")
        }
    }

    @Test func classesThatAreNotTheCoordinatorsAreRefused() throws {
        let store = InMemoryStore(model: try Sample.Recipes.model())
        let bare = ManagedObjectContext(PersistentStoreCoordinator(store: store))
        let unregistered = TypedObjectError.unregistered(objectClass: "Recipe", model: "Recipes")
        #expect(throws: unregistered) { try bare.insert(Recipe.self) }
        #expect(throws: unregistered) { try bare.fetch(Recipe.self) }
        #expect(throws: TypedObjectError.self) { try bare.fetch(ManagedObject.self) }

        let half = PersistentStoreCoordinator(store: store, classes: ["Recipe": Recipe.self])
        let context = ManagedObjectContext(half)
        let recipe = try context.insert(Recipe.self)
        let chef = try context.insert(try #require(store.model.entity(named: "Chef")))
        try recipe.setDestination(chef, forKey: "chef")
        // A property cannot throw, so the save does.
        #expect(recipe.chef == nil)
        let wrong = TypedObjectError.wrongClass(
            entity: "Chef", asked: "Chef", made: "ManagedObject")
        #expect(throws: wrong) { try context.save() }
        #expect(throws: wrong) { let _: Chef? = try recipe.destination(forKey: "chef") }
    }

    @Test func classesOfAnotherModelAreRefusedWithEachDifference() throws {
        #expect {
            try RecipesModel.coordinator(store: InMemoryStore(model: try Sample.Drawing.model()))
        } throws: { error in
            "\(error)".hasPrefix(
                "the classes were not generated from this Drawing: Chef is not an entity, ")
        }
        let changed = try model(
            json: """
                {"entities": [
                  {"name": "Chef", "attributes": [{"name": "name", "type": "Date"}],
                   "relationships": [{"name": "recipes", "destination": "Recipe", "inverse": "chef"}]},
                  {"name": "Recipe", "relationships": [
                    {"name": "chef", "destination": "Chef", "inverse": "recipes"}]}]}
                """)
        #expect {
            try RecipesModel.coordinator(store: InMemoryStore(model: changed))
        } throws: { error in
            guard case TypedObjectError.differs("Test", let found) = error else { return false }
            return found.starts(with: [
                "Chef.name is Date, not String",
                "Chef.recipes is a to-one to Recipe, not a to-many to Recipe",
                "Ingredient is not an entity", "Recipe.createdAt is missing",
            ])
        }
        let folder = try TemporaryFolder()
        let path = folder.path + "/recipes.sqlite"
        #expect {
            try PersistentContainer(
                RecipesModel.self, modelFile: ModelFile(changed.declaration),
                stores: [PersistentStoreDescription(path: path)])
        } throws: { error in
            error.localizedDescription.contains("Chef.name is Date, not String")
        }
        #expect(!FileManager.default.fileExists(atPath: path))
    }
}
