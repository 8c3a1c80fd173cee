// Changes of entities and relationships: rows, links, numbers and orders.

import SteleGraph
import SteleMigration
import SteleModel
import StelePersistence
import SteleSQLite
import TestSupport
import Testing

@Suite struct StructureMigrationTests {
    private let team = EntityMaker("Team").attribute("name", .string)
        .toMany("players", "Player", inverse: "team")
    private let player = EntityMaker("Player").attribute("name", .string)
        .toOne("team", "Team", inverse: "players")

    /// Two teams with two players each, and a player without a team.
    private func league(_ it: any GraphFixture) throws {
        let teams = try it.insert("Team", count: 2)
        let players = try it.insert("Player", count: 5)
        try it.change { context in
            for (index, id) in players.prefix(4).enumerated() {
                try context.get(id).set("team", try context.get(teams[index / 2]))
            }
        }
    }

    @Test func entitiesAndRelationshipsAreRenamed() throws {
        let it = try migrated(
            [team, player],
            to: [
                EntityMaker("Club").attribute("name", .string)
                    .toMany("members", "Zombie", inverse: "club").renamed(from: "Team")
                    .renamed("members", from: "players"),
                EntityMaker("Zombie").attribute("name", .string)
                    .toOne("club", "Club", inverse: "members").renamed(from: "Player")
                    .renamed("club", from: "team"),
            ], league)
        #expect(
            try it.lines(
                "SELECT Z_PK || ZNAME || Z_ENT || ifnull(ZCLUB, '') FROM ZZOMBIE ORDER BY 1")
                == ["1Player 121", "2Player 221", "3Player 322", "4Player 422", "5Player 52"])
        #expect(try it.storedMembers("Club.members", of: 2) == [3, 4])
        #expect(try it.insert("Zombie")[0].key == 6)
    }

    @Test func tablesSwapNames() throws {
        let it = try migrated(
            [EntityMaker("A").attribute("x", .string), EntityMaker("B").attribute("y", .string)],
            to: [
                EntityMaker("A").attribute("y", .string).renamed(from: "B"),
                EntityMaker("B").attribute("x", .string).renamed(from: "A"),
            ]
        ) { it in
            try it.change { try $0.insert(try it.entity("A"))["x"] = .string("of A") }
        }
        #expect(try it.lines("SELECT ZX || Z_ENT FROM ZB") == ["of A2"])
        #expect(try it.lines("SELECT COUNT(*) FROM ZA") == ["0"])
    }

    @Test func newEntitiesMoveTheNumbersOfOthers() throws {
        let shape = EntityMaker("Shape").attribute("name", .string).toMany(
            "tags", "Tag", inverse: "shapes")
        let circle = EntityMaker("Circle", parent: "Shape")
        let tag = EntityMaker("Tag").attribute("name", .string)
            .toMany("shapes", "Shape", inverse: "tags", ordered: true)
        let box = EntityMaker("Box").toOne("shape", "Shape").toMany("parts", "Tag")
        let it = try migrated(
            [shape, circle, tag, box],
            to: [
                EntityMaker("Aardvark").attribute("name", .string), shape, circle, tag, box,
                EntityMaker("Angle", parent: "Shape"),
            ]
        ) { it in
            let circle = try it.insert("Circle")[0]
            let shape = try it.insert("Shape")[0]
            let tags = try it.insert("Tag", count: 2)
            try it.change { context in
                let box = try context.insert(try it.entity("Box"))
                try box.set("shape", try context.get(circle))
                try box.add("parts", try context.get(tags[1]))
                try context.get(tags[0]).replace(
                    "shapes", [try context.get(shape), try context.get(circle)])
            }
        }
        #expect(
            try it.lines("SELECT Z_PK || ' ' || Z_ENT FROM ZSHAPE ORDER BY 1") == ["1 5", "2 3"])
        #expect(try it.lines("SELECT ZSHAPE || ' ' || Z3_SHAPE FROM ZBOX") == ["1 5"])
        #expect(try it.storedMembers("Tag.shapes", of: 1) == [2, 1])
        #expect(try it.storedMembers("Box.parts", of: 1) == [2])
        #expect(try it.history().flatMap(\.changes).first?.entity == it.entity("Circle").index)
    }

    @Test func aRemovedEntitysObjectsGoAndLinksToThemAreCut() throws {
        let shape = EntityMaker("Shape").attribute("name", .string)
        let circle = EntityMaker("Circle", parent: "Shape").attribute("radius", .double)
        let box = EntityMaker("Box").toOne("shape", "Shape").toMany(
            "shapes", "Shape", inverse: "boxes")
        let member = shape.toMany("boxes", "Box", inverse: "shapes")
        let it = try migrated(
            [member, circle, box, EntityMaker("Alone").attribute("name", .string)],
            to: [member, box, EntityMaker("Square", parent: "Shape")]
        ) { it in
            let circle = try it.insert("Circle")[0]
            let shape = try it.insert("Shape")[0]
            _ = try it.insert("Alone", count: 2)
            try it.change { context in
                for id in [circle, shape] {
                    let box = try context.insert(try it.entity("Box"))
                    try box.set("shape", try context.get(id))
                    try box.replace("shapes", [try context.get(circle), try context.get(shape)])
                }
            }
        }
        #expect(try it.lines("SELECT Z_PK FROM ZSHAPE") == ["2"])
        #expect(
            try it.lines(
                "SELECT ifnull(ZSHAPE, '-') || ifnull(Z2_SHAPE, '-') FROM ZBOX ORDER BY Z_PK")
                == ["--", "22"])
        #expect(try it.storedMembers("Box.shapes", of: 1) == [2])
        #expect(try it.storedMembers("Box.shapes", of: 2) == [2])
        // A key is not given out again.
        #expect(try it.insert("Shape")[0].key == 3)
    }

    @Test func aToOneBecomesAToMany() throws {
        let single = EntityMaker("A").attribute("name", .string).toOne("b", "B", inverse: "a")
        let it = try migrated(
            [single, EntityMaker("B").attribute("name", .string).toOne("a", "A", inverse: "b")],
            to: [
                EntityMaker("A").attribute("name", .string)
                    .toMany("bs", "B", inverse: "a", ordered: true).renamed("bs", from: "b"),
                EntityMaker("B").attribute("name", .string).toOne("a", "A", inverse: "bs"),
            ], pair)
        #expect(try it.storedMembers("A.bs", of: 1) == [2])
        #expect(try it.lines("SELECT Z_FOK_A FROM ZB WHERE ZA IS NOT NULL") == ["2048"])
        let other = try migrated(
            [single, EntityMaker("B").attribute("name", .string).toOne("a", "A", inverse: "b")],
            to: [
                EntityMaker("A").attribute("name", .string)
                    .toMany("bs", "B", inverse: "as").renamed("bs", from: "b"),
                EntityMaker("B").attribute("name", .string)
                    .toMany("as", "A", inverse: "bs").renamed("as", from: "a"),
            ], pair)
        #expect(try other.storedMembers("A.bs", of: 1) == [2])
        #expect(try other.storedMembers("B.as", of: 2) == [1])
        let alone = try migrated(
            [
                EntityMaker("A").attribute("name", .string).toOne("b", "B"),
                EntityMaker("B").attribute("name", .string),
            ],
            to: [
                EntityMaker("A").attribute("name", .string).toMany("b", "B"),
                EntityMaker("B").attribute("name", .string),
            ], pair)
        #expect(try alone.storedMembers("A.b", of: 1) == [2])
    }

    @Test func linksThatWouldBeLostEndTheMigration() throws {
        let from = [
            EntityMaker("A").attribute("name", .string).toOne("b", "B"),
            EntityMaker("B").attribute("name", .string),
        ]
        func shared(_ it: any GraphFixture) throws {
            let owners = try it.insert("A", count: 2)
            let member = try it.insert("B")[0]
            try it.change { context in
                for owner in owners { try context.get(owner).set("b", try context.get(member)) }
            }
        }
        // The members' rows would have one owner, or the new inverse one of two.
        for to in [
            [EntityMaker("A").attribute("name", .string).toMany("b", "B"), from[1]],
            [
                EntityMaker("A").attribute("name", .string).toOne("b", "B", inverse: "a"),
                EntityMaker("B").attribute("name", .string).toOne("a", "A", inverse: "b"),
            ],
        ] {
            let error = #expect(throws: StoreError.self) { try migrated(from, to: to, shared) }
            guard case .incompatible(134110, let text)? = error else {
                Issue.record("\(error as Any)")
                continue
            }
            #expect(text.contains("1 object has several"))
        }
        // A to-many as the inverse keeps all.
        let all = try migrated(
            from,
            to: [
                EntityMaker("A").attribute("name", .string).toOne("b", "B", inverse: "as"),
                EntityMaker("B").attribute("name", .string).toMany("as", "A", inverse: "b"),
            ], shared)
        #expect(try all.storedMembers("B.as", of: 1) == [1, 2])
    }

    private func pair(_ it: any GraphFixture) throws {
        let owner = try it.insert("A", count: 2)[0]
        let members = try it.insert("B", count: 2)
        try it.change { try $0.get(owner).set("b", try $0.get(members[1])) }
    }

    @Test func aOneToManyBecomesOrderedOrManyToManyAndBack() throws {
        let ordered = EntityMaker("Team").attribute("name", .string)
            .toMany("players", "Player", inverse: "team", ordered: true)
        let it = try migrated([team, player], to: [ordered, player], league)
        #expect(
            try it.lines("SELECT ifnull(Z_FOK_TEAM, '-') FROM ZPLAYER ORDER BY Z_PK")
                == ["2048", "3072", "2048", "3072", "-"])
        let back = try migrated([ordered, player], to: [team, player], league)
        #expect(try back.storedMembers("Team.players", of: 1) == [1, 2])
        let many = try migrated(
            [team, player],
            to: [
                EntityMaker("Team").attribute("name", .string)
                    .toMany("players", "Player", inverse: "teams", ordered: true),
                EntityMaker("Player").attribute("name", .string)
                    .toMany("teams", "Team", inverse: "players").renamed("teams", from: "team"),
            ], league)
        #expect(try many.storedMembers("Team.players", of: 2) == [3, 4])
        #expect(try many.storedMembers("Player.teams", of: 3) == [2])
    }

    @Test func anInverseIsAddedAndRemoved() throws {
        let owner = EntityMaker("Team").attribute("name", .string).toMany("players", "Player")
        let member = EntityMaker("Player").attribute("name", .string)
        func fill(_ it: any GraphFixture) throws {
            let teams = try it.insert("Team", count: 2)
            let players = try it.insert("Player", count: 3)
            try it.change { context in
                try context.get(teams[1]).replace(
                    "players", [try context.get(players[0]), try context.get(players[2])])
            }
        }
        let added = try migrated([owner, member], to: [team, player], fill)
        #expect(
            try added.lines("SELECT ifnull(ZTEAM, '-') FROM ZPLAYER ORDER BY Z_PK") == [
                "2", "-", "2",
            ])
        let removed = try migrated([team, player], to: [owner, member], fill)
        #expect(try removed.storedMembers("Team.players", of: 2) == [1, 3])
    }

    @Test func aParentIsAddedAndPropertiesMoveUpAndDown() throws {
        let flat = [
            EntityMaker("Employee").attribute("name", .string).attribute("salary", .double)
                .toOne("boss", "Employee", inverse: "staff").toMany(
                    "staff", "Employee", inverse: "boss")
        ]
        let deep = [
            EntityMaker("Person", isAbstract: true).attribute("name", .string),
            EntityMaker("Employee", parent: "Person").attribute("salary", .double)
                .toOne("boss", "Employee", inverse: "staff").toMany(
                    "staff", "Employee", inverse: "boss"),
            EntityMaker("Manager", parent: "Employee"),
        ]
        func fill(_ it: any GraphFixture) throws {
            let ids = try it.insert("Employee", count: 2)
            try it.change { context in
                try context.get(ids[1]).set("boss", try context.get(ids[0]))
                try context.get(ids[1])["salary"] = .double(2.5)
            }
        }
        let it = try migrated(flat, to: deep, fill)
        #expect(
            try it.lines(
                "SELECT Z_ENT || ZNAME || ifnull(ZBOSS, '-') || ifnull(Z2_BOSS, '-') FROM ZPERSON "
                    + "ORDER BY Z_PK") == ["2Employee 1--", "2Employee 212"])
        let back = try migrated(deep, to: flat, fill)
        #expect(
            try back.lines(
                "SELECT Z_ENT || ZNAME || ifnull(ZSALARY, '-') FROM ZEMPLOYEE ORDER BY Z_PK")
                == ["1Employee 1-", "1Employee 22.5"])
        let moved = try migrated(
            [
                EntityMaker("Base").attribute("x", .string),
                EntityMaker("Left", parent: "Base").attribute("name", .string),
                EntityMaker("Right", parent: "Base").attribute("name", .string),
            ],
            to: [
                EntityMaker("Base").attribute("name", .string),
                EntityMaker("Left", parent: "Base").attribute("x", .string),
                EntityMaker("Right", parent: "Base"),
            ]
        ) { it in
            for name in ["Base", "Left", "Right"] {
                let id = try it.insert(name)[0]
                try it.change { try $0.get(id)["x"] = .string("x of \(name)") }
            }
        }
        #expect(
            try moved.lines(
                "SELECT ifnull(ZNAME, '-') || ', ' || ifnull(ZX, '-') FROM ZBASE ORDER BY Z_PK")
                == ["-, -", "Left 1, x of Left", "Right 1, -"])
    }

    @Test func anEntityLeavesItsHierarchy() throws {
        let before = [
            EntityMaker("Base").attribute("name", .string).toOne("other", "Base"),
            EntityMaker("Left", parent: "Base").attribute("only", .integer64),
            EntityMaker("User").toOne("left", "Left").toOne("base", "Base"),
        ]
        let it = try migrated(
            before,
            to: [
                EntityMaker("Base").attribute("name", .string).toOne("other", "Base"),
                EntityMaker("Left").attribute("name", .string).attribute("only", .integer64),
                EntityMaker("User").toOne("left", "Left").toOne("base", "Base"),
            ]
        ) { it in
            let base = try it.insert("Base")[0]
            let left = try it.insert("Left")[0]
            try it.change { context in
                try context.get(left)["only"] = .int(4)
                try context.get(base).set("other", try context.get(left))
                for target in [base, left] {
                    let user = try context.insert(try it.entity("User"))
                    try user.set("left", target == left ? try context.get(left) : nil)
                    try user.set("base", try context.get(target))
                }
            }
        }
        #expect(
            try it.lines("SELECT Z_PK || ZNAME || ZONLY || Z_ENT || Z_OPT FROM ZLEFT") == [
                "2Left 1422"
            ])
        #expect(
            try it.lines("SELECT Z_PK || ZNAME || ifnull(ZOTHER, '-') FROM ZBASE") == ["1Base 1-"])
        #expect(
            try it.lines("SELECT ifnull(ZLEFT, '-') || ifnull(ZBASE, '-') FROM ZUSER ORDER BY 1")
                == ["-1", "2-"])
        #expect(try it.insert("Left")[0].key == 3)
    }

    @Test func aReflexiveRelationshipIsCarried() throws {
        let country = EntityMaker("Country").attribute("name", .string)
            .toMany("neighbours", "Country", inverse: "neighbours")
        let it = try migrated(
            [country],
            to: [
                EntityMaker("Area").attribute("name", .string),
                EntityMaker("Country").attribute("name", .string)
                    .toMany("friends", "Country", inverse: "friends")
                    .renamed("friends", from: "neighbours"),
            ]
        ) { it in
            let ids = try it.insert("Country", count: 2)
            try it.change { try $0.get(ids[0]).add("neighbours", try $0.get(ids[1])) }
        }
        #expect(try it.storedMembers("Country.friends", of: 2) == [1])
    }

    @Test func aStoreOfTheDestinationStaysAndOneOfAnotherModelIsRefused() throws {
        let folder = try TemporaryFolder()
        let models = try [
            [team, player], [team, player.attribute("age", .integer16)],
            [team, player.attribute("height", .double)],
        ].map { try makeModel($0) }
        try filled(models[1], in: folder, league)
        let contents = try contentLines(folder.store)
        #expect(
            try !SQLiteStore.migrate(
                path: folder.store, from: models[0], to: models[1],
                by: try .inferred(from: models[0], to: models[1])))
        #expect {
            try SQLiteStore.migrate(
                path: folder.store, from: models[0], to: models[2],
                by: try .inferred(from: models[0], to: models[2]))
        } throws: { error in
            if case StoreError.incompatible(134100, _)? = error as? StoreError {
                true
            } else {
                false
            }
        }
        #expect(try contentLines(folder.store) == contents)
        let it = try GraphStore(models[1], in: folder)
        #expect {
            try SQLiteStore.migrate(
                path: folder.store, from: models[1], to: models[2],
                by: try .inferred(from: models[1], to: models[2]))
        } throws: { error in
            if case StoreError.busy? = error as? StoreError { true } else { false }
        }
        withExtendedLifetime(it) {}
    }
}
