import SteleGraph
import SteleMigration
import SteleModel
import StelePersistence
import StelePredicates
import TestSupport
import Testing

/// What relationships get, and which keys, versions and orders stay.
@Suite struct MigrationLinkTests {
    /// Objects with every kind of link, of different versions and with gaps between their keys.
    private func seeded(_ kinds: (StoreKind, StoreKind)) throws -> MigrationFixture {
        let fixture = try MigrationFixture(try makeLeague(), try makeLeague(), kinds)
        let old = fixture.old
        var people: [ManagedObject] = []
        let context = old.coordinator.newContext(retainsRegisteredObjects: true)
        defer { context.close() }
        func insert(_ name: String, _ count: Int) throws -> [ManagedObject] {
            try (1...count).map { number in
                let object = try context.insert(old.entity(name))
                object["name"] = .string("\(name) \(number)")
                return object
            }
        }
        let teams = try insert("Team", 2)
        people = try insert("Person", 4) + insert("Employee", 3)
        let tags = try insert("Tag", 3)
        let lists = try insert("Playlist", 2)
        let songs = try insert("Song", 5)
        let genres = try insert("Genre", 3)
        let boxes = try insert("Box", 1)
        let items = try insert("Item", 2)
        try context.save()
        try context.delete(people.remove(at: 1))
        for (index, person) in people.enumerated() {
            try person.setToOne(old.relationship("Person.team"), teams[index % 2])
            try person.setToOne(old.relationship("Person.mentor"), people[(index + 1) % 6])
            try person.setMembers(
                old.relationship("Person.tags"), [tags[index % 3], tags[(index + 1) % 3]])
            try person.setMembers(old.relationship("Person.friends"), [people[(index + 2) % 6]])
        }
        try people[0].setToOne(old.relationship("Person.spouse"), people[3])
        try teams[0].setToOne(old.relationship("Team.captain"), people[5])
        try lists[0].setMembers(
            old.relationship("Playlist.songs"), [songs[3], songs[0], songs[4]])
        try lists[0].setMembers(old.relationship("Playlist.genres"), [genres[2], genres[0]])
        try lists[1].setMembers(
            old.relationship("Playlist.genres"), [genres[0], genres[1], genres[2]])
        try genres[0].setMembers(old.relationship("Genre.playlists"), [lists[1], lists[0]])
        try boxes[0].setMembers(old.relationship("Box.items"), items)
        try context.save()
        return fixture
    }

    /// - Parameter step: what is added to the versions.
    private func expectEqual(_ fixture: MigrationFixture, versionsPlus step: Int64 = 0) throws {
        let (old, new) = (fixture.old, fixture.new)
        for entity in old.model.entities where entity.parent == nil {
            var before = try old.rows(entity.name)
            let after = try new.rows(entity.name)
            for index in before.indices { before[index].version += step }
            #expect(before == after)
        }
        for relationship in old.model.relationships where relationship.isToMany {
            let owner = old.model.entities[relationship.owner].name
            let path = "\(owner).\(relationship.name)"
            #expect(try old.members(path) == new.members(path), "\(path)")
        }
    }

    @Test(arguments: StoreKind.single, StoreKind.single)
    func aCopyHasTheSameKeysVersionsLinksAndOrders(_ from: StoreKind, _ to: StoreKind) throws {
        let fixture = try seeded((from, to))
        let model = try MappingModel.inferred(from: fixture.old.model, to: fixture.new.model)
        try fixture.migrate(model.entityMappings)
        try expectEqual(fixture)
        let created = try fixture.new.insert("Team")
        #expect(created[0].key == 3)
    }

    /// A version that a client has read before is of no object afterwards.
    @Test(arguments: StoreKind.single)
    func anObjectThatAMappingChangesHasTheNextVersion(_ kind: StoreKind) throws {
        let fixture = try seeded((.memory, kind))
        let model = try MappingModel.inferred(from: fixture.old.model, to: fixture.new.model)
        try fixture.migrate(
            model.entityMappings.map { mapping in
                var mapping = mapping
                mapping.mappingType = .transform
                return mapping
            })
        try expectEqual(fixture, versionsPlus: 1)
    }

    /// The key path `$source` leads to what another mapping made of the same object: an entity is
    /// split in two.
    @Test(arguments: StoreKind.single)
    func theSourceAloneLeadsToWhatIsMadeOfTheSameObject(_ kind: StoreKind) throws {
        let fixture = try MigrationFixture(
            makeModel([
                EntityMaker("Person").attribute("name", .string).attribute("city", .string)
            ]),
            makeModel([
                EntityMaker("Person").attribute("name", .string)
                    .toOne("address", "Address", inverse: "people"),
                EntityMaker("Address").attribute("city", .string)
                    .toMany("people", "Person", inverse: "address"),
            ]), (.memory, kind))
        try fixture.seed { context in
            for number in 1...3 {
                let object = try context.insert(fixture.old.entity("Person"))
                object["name"] = .string("P\(number)")
                object["city"] = .string("C\(number)")
            }
        }
        let path = try Expression(format: "$source")
        #expect(path == .variable("source"))
        try fixture.migrate([
            .make(
                "Person", "Person", attributes: [("name", .source("name"))],
                links: [("address", .destinations(mapping: "PersonToAddress", of: ""))]),
            .make("Person", "Address", attributes: [("city", .source("city"))]),
        ])
        let new = fixture.new
        #expect(try new.values("Person.name") == ["P1", "P2", "P3"].map(Value.string))
        #expect(try new.values("Address.city") == ["C1", "C2", "C3"].map(Value.string))
        #expect(
            try new.members("Address.people").sorted { $0.key < $1.key }.map(\.value)
                == [[1], [2], [3]])
    }

    @Test(arguments: StoreKind.single)
    func theOrderOfTheMappingsDoesNotMatter(_ kind: StoreKind) throws {
        let fixture = try seeded((.memory, kind))
        let model = try MappingModel.inferred(from: fixture.old.model, to: fixture.new.model)
        try fixture.migrate(model.entityMappings.reversed())
        try expectEqual(fixture)
    }

    @Test(arguments: StoreKind.single)
    func aDestinationWithObjectsGivesNewKeys(_ kind: StoreKind) throws {
        let fixture = try seeded((.memory, kind))
        for entity in ["Team", "Person", "Tag", "Playlist", "Song", "Genre", "Box", "Item"] {
            _ = try fixture.new.insert(entity, count: 2)
        }
        let model = try MappingModel.inferred(from: fixture.old.model, to: fixture.new.model)
        try fixture.migrate(model.entityMappings)
        #expect(try fixture.new.rows("Team").map(\.key) == [1, 2, 3, 4])
        #expect(try fixture.new.rows("Person").count == 8)
        let names = try named(fixture.old, "Playlist.genres")
        #expect(try named(fixture.new, "Playlist.genres") == names)
        let friends = try named(fixture.old, "Person.friends")
        #expect(try named(fixture.new, "Person.friends") == friends)
        #expect(
            try named(fixture.new, "Team.players")
                == named(fixture.old, "Team.players"))
    }

    /// The names of members by the names of owners, as sets where there is no order.
    private func named(_ side: MigrationSide, _ path: String) throws -> [Value: [Value]] {
        let relationship = try side.relationship(path)
        let destination = side.model.destination(of: relationship)
        let owner = side.model.entities[relationship.owner]
        func names(_ entity: Entity) throws -> [Int64: Value] {
            Dictionary(
                uniqueKeysWithValues: try side.rows(side.model.root(of: entity).name).map {
                    ($0.key, $0.value("name", in: side.model) ?? .null)
                })
        }
        let (owners, members) = (try names(owner), try names(destination))
        var found: [Value: [Value]] = [:]
        for (key, keys) in try side.members(path) {
            let its = keys.compactMap { members[$0] }
            if its.isEmpty { continue }
            found[try #require(owners[key])] =
                relationship.isOrdered ? its : its.sorted { "\($0)" < "\($1)" }
        }
        return found
    }

    @Test func derivedValuesAreComputed() throws {
        func model(_ name: String) throws -> Model {
            try makeModel(
                name: name,
                [
                    EntityMaker("Book").attribute("title", .string)
                        .attribute("by", .string) { $0.derivationExpression = "author.name" }
                        .toOne("author", "Person", inverse: "books"),
                    EntityMaker("Person").attribute("name", .string)
                        .attribute("count", .integer64) {
                            $0.derivationExpression = "books.@count"
                        }
                        .toMany("books", "Book", inverse: "author"),
                ])
        }
        let fixture = try MigrationFixture(try model("A"), try model("A"))
        try fixture.seed { context in
            let person = try context.insert(fixture.old.entity("Person"))
            person["name"] = .string("Ann")
            for _ in 1...3 {
                let book = try context.insert(fixture.old.entity("Book"))
                try book.setToOne(fixture.old.relationship("Book.author"), person)
            }
        }
        try fixture.migrate(
            MappingModel.inferred(from: fixture.old.model, to: fixture.new.model).entityMappings)
        #expect(try fixture.new.values("Person.count") == [.int(3)])
        #expect(
            try fixture.new.values("Book.by") == Array(repeating: .string("Ann"), count: 3))
        try expectEqual(fixture)
    }

    @Test(arguments: StoreKind.single)
    func linksByExpressionsSetBothSides(_ kind: StoreKind) throws {
        let old = try makeModel([
            EntityMaker("Mood").attribute("name", .string)
                .toOne("country", "Country", inverse: "moods"),
            EntityMaker("Country").attribute("name", .string)
                .toOne("continent", "Continent", inverse: "countries")
                .toMany("moods", "Mood", inverse: "country"),
            EntityMaker("Continent").attribute("name", .string)
                .toMany("countries", "Country", inverse: "continent"),
        ])
        let new = try makeModel([
            EntityMaker("Mood").attribute("name", .string)
                .toOne("continent", "Continent", inverse: "moods"),
            EntityMaker("Continent").attribute("name", .string)
                .toMany("moods", "Mood", inverse: "continent", ordered: true),
        ])
        for side in ["Mood", "Continent"] {
            let fixture = try MigrationFixture(old, new, (.sqlite, kind))
            try fixture.seed { context in
                for _ in 1...2 {
                    let continent = try context.insert(fixture.old.entity("Continent"))
                    for _ in 1...2 {
                        let country = try context.insert(fixture.old.entity("Country"))
                        try country.setToOne(
                            fixture.old.relationship("Country.continent"), continent)
                        let mood = try context.insert(fixture.old.entity("Mood"))
                        try mood.setToOne(fixture.old.relationship("Mood.country"), country)
                    }
                }
            }
            let link = PropertyMapping.Value.destinations(
                mapping: "ContinentToContinent", of: "country.continent")
            let links = PropertyMapping.Value.destinations(
                mapping: "MoodToMood", of: "countries.@distinctUnionOfSets.moods")
            try fixture.migrate([
                .make("Mood", "Mood", links: side == "Mood" ? [("continent", link)] : []),
                .make(
                    "Continent", "Continent", links: side == "Mood" ? [] : [("moods", links)]),
            ])
            let members = try fixture.new.members("Continent.moods")
            #expect(members.values.map { $0.count } == [2, 2])
            #expect(try !fixture.new.values("Mood.continent").contains(.null))
            let direct = try fixture.new.members("Continent.moods").flatMap(\.value).sorted()
            #expect(direct == [1, 2, 3, 4])
        }
    }

    @Test func oneFamilyOfTwoGetsNewKeys() throws {
        let old = try makeModel([
            EntityMaker("Cat").attribute("name", .string),
            EntityMaker("Dog").attribute("name", .string),
        ])
        let new = try makeModel([EntityMaker("Pet").attribute("name", .string)])
        let fixture = try MigrationFixture(old, new)
        _ = try fixture.old.insert("Cat", count: 2)
        _ = try fixture.old.insert("Dog", count: 2)
        try fixture.migrate([
            .make("Cat", "Pet", attributes: [("name", .source("name"))]),
            .make("Dog", "Pet", attributes: [("name", .source("name"))]),
        ])
        #expect(
            try fixture.new.values("Pet.name")
                == ["Cat 1", "Cat 2", "Dog 1", "Dog 2"].map { .string($0) })
    }
}
