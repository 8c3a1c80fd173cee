// Derived attributes are right after every save, whoever's change it was, on every store.

import SteleModel
import StelePersistence
import StelePredicates
import TestSupport
import Testing

@testable import SteleGraph

@Suite struct DerivedAttributeTests {
    static func derived(_ expression: String) -> (inout AttributeDescription) -> Void {
        { $0.derivationExpression = expression }
    }

    /// Shops with items of categories, and tags beside them.
    static func model() throws -> Model {
        try makeModel([
            EntityMaker("Shop").attribute("name", .string)
                .attribute("itemCount", .integer32, derived("items.@count"))
                .attribute("total", .decimal, derived("items.price.@sum"))
                .attribute("weight", .double, derived("items.weight.@sum"))
                .attribute("changedAt", .date, derived("now()"))
                .toMany("items", "Item", inverse: "shop", rule: .cascade),
            EntityMaker("Category").attribute("name", .string)
                .toMany("items", "Item", inverse: "category")
                .toOne("parent", "Category", inverse: "children")
                .toMany("children", "Category", inverse: "parent"),
            EntityMaker("Item").attribute("name", .string)
                .attribute("price", .decimal)
                .attribute("weight", .double)
                .attribute("plainName", .string, derived("canonical:(name)"))
                .attribute("loudName", .string, derived("uppercase:(name)"))
                .attribute("quietName", .string, derived("lowercase(name)"))
                .attribute("categoryName", .string, derived("category.name"))
                .attribute("parentName", .string, derived("category.parent.name"))
                .attribute("tagCount", .integer16, derived("tags.@count"))
                .attribute("tagSize", .integer64, derived("tags.size.@sum"))
                .toOne("shop", "Shop", inverse: "items")
                .toOne("category", "Category", inverse: "items")
                .toMany("tags", "Tag", inverse: "items"),
            EntityMaker("SpecialItem", parent: "Item").attribute("note", .string),
            EntityMaker("Tag").attribute("name", .string)
                .attribute("size", .integer64)
                .toMany("items", "Item", inverse: "tags"),
        ])
    }

    static func decimal(_ text: String) -> Value {
        DecimalText.parse(Array(text.utf8)).map(Value.decimal) ?? .null
    }

    private func stored(_ fixture: Fixture, _ object: ManagedObject) throws -> [String: Value] {
        let reader = try fixture.store.reader()
        defer { reader.close() }
        let row = try #require(try reader.snapshot(object.objectID))
        let entity = fixture.model.entities[row.entity]
        var values: [String: Value] = [:]
        for (slot, property) in entity.slots.enumerated() {
            values[property.name] = row.values[slot]
        }
        return values
    }

    @Test(arguments: StoreKind.allCases)
    func countsAndSumsFollowTheMembers(_ kind: StoreKind) throws {
        let fixture = try Fixture(Self.model(), kind)
        let context = fixture.context()
        let shop = try context.insert(try fixture.entity("Shop"))
        let other = try context.insert(try fixture.entity("Shop"))
        let items = try ["0.10", "0.20", "7"].map { price in
            let item = try context.insert(try fixture.entity("SpecialItem"))
            item["price"] = Self.decimal(price)
            item["weight"] = .double(1.5)
            try item.set("shop", shop)
            return item
        }
        try context.save()
        // The saver's own objects know it at once.
        #expect(shop["itemCount"] == .int(3))
        #expect(try stored(fixture, shop)["total"] == Self.decimal("7.3"))
        #expect(try stored(fixture, shop)["weight"] == .double(4.5))
        #expect(try stored(fixture, other)["itemCount"] == .int(0))
        #expect(try stored(fixture, other)["total"] == Self.decimal("0"))

        items[2]["price"] = Self.decimal("12345678901234567890.25")
        try items[0].set("shop", other)
        try context.save()
        #expect(try stored(fixture, shop)["itemCount"] == .int(2))
        #expect(try stored(fixture, shop)["total"] == Self.decimal("12345678901234567890.45"))
        #expect(try stored(fixture, other)["total"] == Self.decimal("0.1"))
        // Nobody has changed the shops themselves.
        #expect(try fixture.version("Shop", shop.objectID.key) == 1)

        try context.delete(items[1])
        try context.save()
        #expect(try stored(fixture, shop)["itemCount"] == .int(1))
        try shop.replace("items", [])
        try context.save()
        #expect(try stored(fixture, shop)["itemCount"] == .int(0))
        #expect(try stored(fixture, shop)["total"] == Self.decimal("0"))
    }

    @Test(arguments: StoreKind.allCases)
    func manyToManyCountsFollowBothSides(_ kind: StoreKind) throws {
        let fixture = try Fixture(Self.model(), kind)
        let context = fixture.context()
        let item = try context.insert(try fixture.entity("Item"))
        let tags = try (1...3).map { size in
            let tag = try context.insert(try fixture.entity("Tag"))
            tag["size"] = .int(Int64(size))
            return tag
        }
        try item.replace("tags", Array(tags[..<2]))
        try context.save()
        #expect(try stored(fixture, item)["tagCount"] == .int(2))
        #expect(try stored(fixture, item)["tagSize"] == .int(3))
        try tags[2].add("items", item)
        tags[0]["size"] = .int(10)
        try context.save()
        #expect(try stored(fixture, item)["tagCount"] == .int(3))
        #expect(try stored(fixture, item)["tagSize"] == .int(15))
        try context.delete(tags[1])
        try context.save()
        #expect(try stored(fixture, item)["tagCount"] == .int(2))
        #expect(try stored(fixture, item)["tagSize"] == .int(13))
    }

    @Test(arguments: StoreKind.allCases)
    func textsAndPathsFollowTheirSources(_ kind: StoreKind) throws {
        let fixture = try Fixture(Self.model(), kind)
        let context = fixture.context()
        let top = try context.insert(try fixture.entity("Category"))
        top["name"] = .string("Top")
        let category = try context.insert(try fixture.entity("Category"))
        category["name"] = .string("Früchte")
        try category.set("parent", top)
        let item = try context.insert(try fixture.entity("Item"))
        item["name"] = .string("Äpfel STRASSE")
        try item.set("category", category)
        try context.save()
        #expect(item["plainName"] == .string("apfel strasse"))
        #expect(item["loudName"] == .string("ÄPFEL STRASSE"))
        #expect(item["quietName"] == .string("äpfel strasse"))
        #expect(item["categoryName"] == .string("Früchte"))
        #expect(item["parentName"] == .string("Top"))

        // Somebody else's context, and an object that it never loads.
        let second = fixture.context()
        try second.get(category.objectID)["name"] = .string("Obst")
        try second.get(top.objectID)["name"] = .string("Root")
        try second.save()
        #expect(try stored(fixture, item)["categoryName"] == .string("Obst"))
        #expect(try stored(fixture, item)["parentName"] == .string("Root"))
        #expect(try fixture.version("Item", item.objectID.key) == 1)
        // The row cache has it, too.
        let third = fixture.context()
        #expect(
            try third.snapshot(item.objectID)?.values == fixture.context().get(item.objectID).values
        )

        try second.get(category.objectID).set("parent", nil)
        try second.save()
        #expect(try stored(fixture, item)["parentName"] == .null)
        try second.delete(second.get(category.objectID))
        try second.save()
        #expect(try stored(fixture, item)["categoryName"] == .null)
    }

    @Test(arguments: StoreKind.allCases)
    func nowIsTheTimeOfTheObjectsOwnSaves(_ kind: StoreKind) throws {
        let fixture = try Fixture(Self.model(), kind)
        let context = fixture.context()
        let shop = try context.insert(try fixture.entity("Shop"))
        try context.save()
        let made = try fixture.lastSave()
        #expect(shop["changedAt"] == .date(made.timestamp))
        let item = try context.insert(try fixture.entity("Item"))
        try item.set("shop", shop)
        try context.save()
        // Its members changed, not itself.
        #expect(try stored(fixture, shop)["changedAt"] == .date(made.timestamp))
        shop["name"] = .string("Corner")
        try context.save()
        #expect(try stored(fixture, shop)["changedAt"] == .date(try fixture.lastSave().timestamp))
    }

    @Test(arguments: StoreKind.allCases)
    func aSaveFromAnOldViewKeepsWhatOthersDerived(_ kind: StoreKind) throws {
        let fixture = try Fixture(Self.model(), kind)
        let context = fixture.context()
        let shop = try context.insert(try fixture.entity("Shop"))
        try context.save()
        let slow = fixture.context()
        let held = try slow.get(shop.objectID)
        let item = try context.insert(try fixture.entity("Item"))
        try item.set("shop", shop)
        try context.save()
        held["name"] = .string("Late")
        held["itemCount"] = .int(99)
        try slow.save()
        #expect(held["itemCount"] == .int(1))
        #expect(try stored(fixture, shop)["itemCount"] == .int(1))
        #expect(
            try fixture.context().snapshot(shop.objectID)?.values == slow.get(shop.objectID).values)
    }

    @Test(arguments: StoreKind.allCases)
    func theHistoryTellsDerivedChangesAndOldStates(_ kind: StoreKind) throws {
        let fixture = try Fixture(Self.model(), kind)
        let context = fixture.context()
        let shop = try context.insert(try fixture.entity("Shop"))
        try context.save()
        let item = try context.insert(try fixture.entity("Item"))
        item["price"] = Self.decimal("2")
        try item.set("shop", shop)
        try context.save()
        item["price"] = Self.decimal("3")
        try context.save()
        try context.delete(shop)
        try context.save()
        let reader = try fixture.store.reader()
        defer { reader.close() }
        let saves = try reader.history(after: 0, limit: 10, values: true)
        let slot = try #require(try fixture.entity("Shop").attribute(named: "total")?.slot)
        let totals = saves.map { save in
            save.changes.first { $0.entity == shop.entity.index }?.snapshot?.values[slot]
        }
        #expect(totals == [0, 2, 3, 3].map { Self.decimal("\($0)") })
        let third = try #require(saves[2].changes.first { $0.entity == shop.entity.index })
        #expect(third.kind == .update && third.version == 1)
        #expect(third.before?.contains(.slot(slot, Self.decimal("2"))) == true)
    }

    @Test(
        arguments: StoreKind.allCases,
        [
            (AttributeType.integer16, Value.int(32_767)), (.integer64, .int(.max)),
            (.float, .double(Double(Float.greatestFiniteMagnitude))),
            (.double, .double(.greatestFiniteMagnitude)),
            (.decimal, decimal("99999999999999999999999999999999999999e127")),
        ])
    func aSumBeyondItsTypeIsRefusedWhole(
        _ kind: StoreKind, _ largest: (type: AttributeType, value: Value)
    ) throws {
        let model = try makeModel([
            EntityMaker("Box").attribute("sum", largest.type, Self.derived("parts.size.@sum"))
                .toMany("parts", "Part", inverse: "box"),
            EntityMaker("Part").attribute("size", largest.type)
                .toOne("box", "Box", inverse: "parts"),
        ])
        let fixture = try Fixture(model, kind)
        let context = fixture.context()
        let box = try context.insert(try fixture.entity("Box"))
        func addPart() throws {
            let part = try context.insert(try fixture.entity("Part"))
            part["size"] = largest.value
            try part.set("box", box)
        }
        try addPart()
        try context.save()
        #expect(try stored(fixture, box)["sum"] == largest.value)
        try addPart()
        let error = #expect(throws: StoreError.self) { try context.save() }
        guard case .refused(let sentence)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        let range = "the range of \(largest.type.name)"
        #expect(sentence.contains("Box 1: the derived value of sum is out of \(range)"))
        #expect(try stored(fixture, box)["sum"] == largest.value)
        let reader = try fixture.store.reader()
        defer { reader.close() }
        #expect(try reader.count(FetchRequest(entity: try fixture.entity("Part"))) == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func aNewObjectIsCheckedBeforeItIsDerived(_ kind: StoreKind) throws {
        let model = try makeModel([
            EntityMaker("Note").attribute("text", .string)
                .attribute("plain", .string) {
                    $0.isOptional = false
                    $0.derivationExpression = "canonical:(text)"
                }
        ])
        #expect(model.notes().contains { $0.place == "Note.plain" })
        let fixture = try Fixture(model, kind)
        let context = fixture.context()
        _ = try context.insert(try fixture.entity("Note"))
        let errors = #expect(throws: ValidationErrors.self) { try context.save() }
        #expect(errors?.errors.map(\.code) == [1570])
    }

    @Test(arguments: StoreKind.allCases)
    func derivedValuesAreLookedForAndSortedBy(_ kind: StoreKind) throws {
        let fixture = try Fixture(Self.model(), kind)
        let context = fixture.context()
        for count in [2, 0, 1] {
            let shop = try context.insert(try fixture.entity("Shop"))
            for _ in 0..<count {
                try context.insert(try fixture.entity("Item")).set("shop", shop)
            }
        }
        try context.save()
        let shop = try fixture.entity("Shop")
        var request = FetchRequest(entity: shop)
        request.predicate = try PredicateCheck(model: fixture.model, entity: shop)
            .check(Predicate(format: "itemCount > 0"))
        request.sortDescriptors = [SortDescriptor(.key("itemCount"))]
        #expect(try context.snapshots(request).map(\.key) == [3, 1])
    }

    /// Random changes; after each save every derived value is what its expression says.
    @Test(arguments: StoreKind.allCases)
    func whateverChangesTheyAreRight(_ kind: StoreKind) throws {
        var numbers = SeededNumbers(seed: drawSeed("derived attributes, \(kind)"))
        let fixture = try Fixture(Self.model(), kind)
        let names = ["Shop", "Category", "Item", "SpecialItem", "Tag"]
        var known: [String: [ObjectID]] = [:]
        for _ in 0..<60 {
            let context = fixture.context()
            func any(_ name: String) throws -> ManagedObject? {
                guard let id = known[name, default: []].randomElement(using: &numbers) else {
                    return nil
                }
                return try context.existingObject(with: id)
            }
            for _ in 0..<Int.random(in: 1...5, using: &numbers) {
                let name = names.randomElement(using: &numbers) ?? "Item"
                switch Int.random(in: 0..<8, using: &numbers) {
                case 0...2:
                    let made = try context.insert(try fixture.entity(name))
                    made["name"] = .string("Ä\(numbers.next() % 9)")
                    if name.hasSuffix("Item") {
                        try made.set("shop", any("Shop"))
                        try made.set("category", any("Category"))
                    }
                case 3:
                    if let item = try any("Item"), !item.isDeleted {
                        item["price"] = .decimal(Decimal(Int64(numbers.next() % 1_000)))
                        try item.set("shop", any("Shop").flatMap { $0.isDeleted ? nil : $0 })
                    }
                case 4:
                    if let item = try any("Item"), !item.isDeleted, let tag = try any("Tag"),
                        !tag.isDeleted
                    {
                        try tag.add("items", item)
                    }
                case 5:
                    if let category = try any("Category"), !category.isDeleted {
                        category["name"] = .string("K\(numbers.next() % 9)")
                        let parent = try any("Category").flatMap { $0.isDeleted ? nil : $0 }
                        try category.set("parent", parent)
                    }
                case 6:
                    if let tag = try any("Tag"), !tag.isDeleted {
                        tag["size"] = .int(Int64(numbers.next() % 50))
                    }
                default:
                    if let object = try any(name) { try context.delete(object) }
                }
            }
            try context.save()
            for name in ["Shop", "Category", "Item", "Tag"] {
                known[name] = try context.snapshots(
                    FetchRequest(entity: try fixture.entity(name))
                ).map { ObjectID(root: fixture.model.entities[$0.entity].root, key: $0.key) }
            }
            try check(fixture)
        }
    }

    private func check(_ fixture: Fixture) throws {
        let reader = try fixture.store.reader()
        defer { reader.close() }
        let pairs: [(String, String, String)] = [
            ("Shop", "itemCount", "items.@count"), ("Shop", "total", "items.price.@sum"),
            ("Item", "categoryName", "category.name"),
            ("Item", "parentName", "category.parent.name"), ("Item", "tagCount", "tags.@count"),
            ("Item", "tagSize", "tags.size.@sum"),
        ]
        for (name, key, source) in pairs {
            let entity = try fixture.entity(name)
            let check = PredicateCheck(model: fixture.model, entity: entity)
            var request = FetchRequest(entity: entity)
            request.predicate = try check.check(Predicate(format: "\(key) != \(source)"))
            #expect(try reader.count(request) == 0, "\(name).\(key)")
        }
    }
}
