import SteleGraph
import SteleMigration
import SteleModel
import StelePersistence
import StelePredicates
import SteleSystem
import TestSupport
import Testing

/// What policies do, in which order, and what their errors leave.
@Suite struct MigrationPolicyTests {
    /// Notes its calls in the manager's user info.
    final class Noting: EntityMigrationPolicy {
        static func note(_ what: String, _ mapping: EntityMapping, _ manager: MigrationManager) {
            let calls = manager.userInfo["calls"] as? [String] ?? []
            manager.userInfo["calls"] = calls + ["\(what) \(mapping.name)"]
        }

        override func begin(_ mapping: EntityMapping, with manager: MigrationManager) throws {
            Self.note("begin", mapping, manager)
        }

        override func createDestinationInstances(
            forSource source: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
        ) throws {
            Self.note("create", mapping, manager)
            try super.createDestinationInstances(
                forSource: source, in: mapping, manager: manager)
        }

        override func endInstanceCreation(
            forMapping mapping: EntityMapping, manager: MigrationManager
        ) throws { Self.note("endInstances", mapping, manager) }

        override func createRelationships(
            forDestination destination: ManagedObject, in mapping: EntityMapping,
            manager: MigrationManager
        ) throws {
            Self.note("relate", mapping, manager)
            try super.createRelationships(
                forDestination: destination, in: mapping, manager: manager)
        }

        override func endRelationshipCreation(
            forMapping mapping: EntityMapping, manager: MigrationManager
        ) throws { Self.note("endRelationships", mapping, manager) }

        override func performCustomValidation(
            forMapping mapping: EntityMapping, manager: MigrationManager
        ) throws { Self.note("validate", mapping, manager) }

        override func end(_ mapping: EntityMapping, manager: MigrationManager) throws {
            Self.note("end", mapping, manager)
        }
    }

    private func twoEntities() throws -> Model {
        try makeModel([
            EntityMaker("A").attribute("name", .string).toOne("b", "B", inverse: "many"),
            EntityMaker("B").attribute("name", .string).toMany("many", "A", inverse: "b"),
        ])
    }

    @Test(arguments: StoreKind.single)
    func stepsGoOverAllMappingsInOrder(_ kind: StoreKind) throws {
        let model = try twoEntities()
        let fixture = try MigrationFixture(model, model, (kind, kind))
        try fixture.seed { context in
            let b = try context.insert(fixture.old.entity("B"))
            for _ in 1...2 {
                let a = try context.insert(fixture.old.entity("A"))
                try a.setToOne(fixture.old.relationship("A.b"), b)
            }
        }
        let manager = fixture.manager(
            [
                .make("B", "B", policy: "N", links: [("many", .source("many"))]),
                .make("A", "A", policy: "N", links: [("b", .source("b"))]),
            ], policies: ["N": Noting.self])
        var phases: [MigrationProgress.Phase] = []
        manager.didAdvance = { if phases.last != $0.phase { phases.append($0.phase) } }
        try manager.migrate()
        #expect(
            manager.userInfo["calls"] as? [String] == [
                "begin BToB", "create BToB", "endInstances BToB",
                "begin AToA", "create AToA", "create AToA", "endInstances AToA",
                "relate BToB", "endRelationships BToB",
                "relate AToA", "relate AToA", "endRelationships AToA",
                "validate BToB", "end BToB", "validate AToA", "end AToA",
            ])
        #expect(phases == MigrationProgress.Phase.allCases)
        #expect(manager.migrationProgress == 0)
        #expect(try fixture.new.members("B.many") == [1: [1, 2]])
    }

    /// Makes the continents of countries, as the book's policy does.
    final class FindOrCreate: EntityMigrationPolicy {
        override func createDestinationInstances(
            forSource source: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
        ) throws {
            try super.createDestinationInstances(
                forSource: source, in: mapping, manager: manager)
            let code = source["code"]
            if code.isNull { return }
            let made = try manager.destinationInstances(
                forEntityMappingNamed: mapping.name, sourceInstances: [source])
            let country = try #require(made.first)
            let context = try manager.destinationContext
            let entity = try context.model.named("Continent")
            var request = FetchRequest(entity: entity)
            request.predicate = try Predicate(format: "code == %@", arguments: [.value(code)])
            let continent = try context.fetch(request).first ?? context.insert(entity)
            continent["code"] = code
            let relationship = try #require(country.entity.relationship(named: "continent"))
            try country.setToOne(relationship, continent)
            let sources = try manager.sourceInstances(
                forEntityMappingNamed: mapping.name, destinationInstances: [country])
            #expect(sources.map(\.objectID) == [source.objectID])
        }
    }

    private func countries() throws -> (Model, Model) {
        let old = try makeModel([
            EntityMaker("Country").attribute("name", .string).attribute("code", .integer16)
        ])
        let new = try makeModel([
            EntityMaker("Country").attribute("name", .string)
                .toOne("continent", "Continent", inverse: "countries"),
            EntityMaker("Continent").attribute("code", .integer16)
                .toMany("countries", "Country", inverse: "continent"),
        ])
        return (old, new)
    }

    @Test(arguments: StoreKind.single)
    func aPolicyFindsOrCreatesObjects(_ kind: StoreKind) throws {
        let (old, new) = try countries()
        let fixture = try MigrationFixture(old, new, (kind, kind))
        try fixture.seed { context in
            for number in 0..<700 {
                let country = try context.insert(fixture.old.entity("Country"))
                country["name"] = .string("Country \(number)")
                if number > 0 { country["code"] = .int(Int64(number % 5)) }
            }
        }
        try fixture.migrate(
            [
                .make(
                    "Country", "Country", policy: "Migrations.Country",
                    attributes: [("name", .source("name"))])
            ], policies: ["Migrations.Country": FindOrCreate.self])
        #expect(try fixture.new.rows("Country").map(\.key) == Array(1...700))
        #expect(try fixture.new.rows("Continent").count == 5)
        #expect(
            try fixture.new.members("Continent.countries").values.map { $0.count }.sorted()
                == [139, 140, 140, 140, 140])
    }

    struct Stop: Error {}

    final class Throwing: EntityMigrationPolicy {
        override func createDestinationInstances(
            forSource source: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
        ) throws {
            let count = (manager.userInfo["count"] as? Int ?? 0) + 1
            manager.userInfo["count"] = count
            if source.objectID.key == 5_000 { throw Stop() }
            try super.createDestinationInstances(
                forSource: source, in: mapping, manager: manager)
        }
    }

    @Test(arguments: StoreKind.single)
    func anErrorOfAPolicyLeavesTheDestinationAsItWas(_ kind: StoreKind) throws {
        let model = try twoEntities()
        let fixture = try MigrationFixture(model, model, (kind, kind))
        _ = try fixture.old.insert("A", count: 6_000)
        _ = try fixture.new.insert("B", count: 3)
        let before = try fixture.new.rows("B")
        let manager = fixture.manager(
            [.make("B", "B"), .make("A", "A", policy: "P")], policies: ["P": Throwing.self])
        #expect(throws: Stop.self) { try manager.migrate() }
        #expect(manager.userInfo["count"] as? Int == 5_000)
        #expect(try fixture.new.rows("A").isEmpty)
        #expect(try fixture.new.rows("B") == before)
        #expect(try fixture.new.insert("A").map(\.key) == [1])
        #expect(throws: MigrationError.self) { try manager.destinationContext }
    }

    @Test func anUnknownPolicySaysHowToRegisterIt() throws {
        let model = try twoEntities()
        let error = try MigrationFixture(model, model).failure([
            .make("A", "A", policy: "Mine.Policy")
        ])
        #expect(error.code == .entityMigrationPolicy)
        #expect(error.message.contains("Mine.Policy"))
        #expect(error.hint?.contains("policies: [\"Mine.Policy\"") == true)
    }

    /// Has a function for value expressions.
    final class Calling: EntityMigrationPolicy {
        override func perform(
            _ selector: String, with arguments: [MigrationValue]
        ) throws -> MigrationValue {
            guard selector == "twice:" else {
                return try super.perform(selector, with: arguments)
            }
            guard case .string(let text) = arguments[0].value else { return .value(.null) }
            return .value(.string(text + text))
        }
    }

    @Test func valueExpressionsCallThePolicyAndTheManager() throws {
        let model = try twoEntities()
        let fixture = try MigrationFixture(model, model)
        try fixture.seed { context in
            let b = try context.insert(fixture.old.entity("B"))
            b["name"] = .string("b")
            let a = try context.insert(fixture.old.entity("A"))
            a["name"] = .string("x")
            try a.setToOne(fixture.old.relationship("A.b"), b)
        }
        let source = Expression.keyPath(.variable("source"), ["name"])
        let call = Expression.function("twice:", [.variable("entityPolicy"), source])
        let objects = Expression.function(
            "destinationInstancesForEntityMappingNamed:sourceInstances:",
            [
                .variable("manager"), .constant(.string("BToB")),
                .keyPath(.variable("source"), ["b"]),
            ])
        for policy in [nil, "P"] {
            let fixture = try MigrationFixture(model, model)
            try fixture.seed { context in
                let b = try context.insert(fixture.old.entity("B"))
                let a = try context.insert(fixture.old.entity("A"))
                a["name"] = .string("x")
                try a.setToOne(fixture.old.relationship("A.b"), b)
            }
            try fixture.migrate(
                [
                    .make(
                        "A", "A", policy: policy,
                        attributes: policy == nil ? [] : [("name", .expression(call))],
                        links: [("b", .expression(objects))]), .make("B", "B"),
                ], policies: ["P": Calling.self])
            #expect(try fixture.new.values("A.name") == [policy == nil ? .null : .string("xx")])
            #expect(try fixture.new.values("A.b") == [.key(1)])
        }
        let unknown = Expression.function("thrice:", [.variable("entityPolicy"), source])
        let error = try fixture.failure(
            [.make("A", "A", policy: "P", attributes: [("name", .expression(unknown))])],
            policies: ["P": Calling.self])
        #expect(error.code == .entityMigrationPolicy)
        #expect(error.message.contains("thrice:"))
    }

    @Test func aMigrationCanBeCancelled() throws {
        let model = try twoEntities()
        let fixture = try MigrationFixture(model, model)
        _ = try fixture.old.insert("A", count: 500)
        let manager = fixture.manager([.make("A", "A"), .make("B", "B")])
        var seen: [Double] = []
        manager.didAdvance = { progress in
            seen.append(progress.fraction)
            if progress.done > 0 { manager.cancelMigration(with: Stop()) }
        }
        #expect(throws: Stop.self) { try manager.migrate() }
        #expect(try fixture.new.rows("A").isEmpty)
        #expect(seen.last ?? 0 > 0)
        manager.didAdvance = nil
        try manager.migrate()
        #expect(try fixture.new.rows("A").count == 500)
    }
}
