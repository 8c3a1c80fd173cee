import SteleMigration
import SteleModel
import TestSupport
import Testing

/// Finding the version of a store, and the way from it to the current one.
@Suite struct PlanTests {
    /// Versions M 1, M 2 and so on of an entity Person with these attributes; the last one is
    /// current. `a` is a String, `a#` a Float, and `b<a` a String with the renaming identifier `a`.
    static func versions(_ attributes: [String]..., current: Int? = nil) throws -> KnownVersions {
        try versions(attributes, current: current)
    }

    static func versions(_ attributes: [[String]], current: Int? = nil) throws -> KnownVersions {
        let all = try attributes.enumerated().map { index, specs in
            try version("M \(index + 1)", specs)
        }
        return try #require(KnownVersions(all, current: "M \(current ?? all.count)"))
    }

    static func version(_ name: String, _ specs: [String]) throws -> KnownVersion {
        var person = EntityDescription(name: "Person")
        var hash: [UInt8] = []
        for spec in specs {
            let words = spec.split(separator: "<").map(String.init)
            let isFloat = spec.hasSuffix("#")
            var attribute = AttributeDescription(
                name: isFloat ? String(spec.dropLast()) : words[0],
                type: isFloat ? .float : .string)
            attribute.isOptional = true
            attribute.renamingIdentifier = words.count > 1 ? words[1] : nil
            person.properties.append(.attribute(attribute))
            hash += "\(attribute.name) \(attribute.type.name) ".utf8
        }
        var declared = ManagedObjectModel(name: name)
        declared.entities = [person]
        return try KnownVersion(
            model: Model(declared), hashes: ["Person": hash])
    }

    private func plan(
        _ versions: KnownVersions, from index: Int, _ mappings: [KnownMapping] = []
    ) throws -> MigrationPlan {
        try MigrationPlan(
            storeHashes: versions.versions[index - 1].hashes, versions: versions,
            mappings: mappings)
    }

    private func titles(_ plan: MigrationPlan) -> [String] { plan.steps.map(\.title) }

    /// A mapping model between versions by name.
    private func mapping(_ source: String, _ destination: String) -> KnownMapping {
        let person = EntityMapping(
            name: "PersonToPerson", mappingType: .custom, source: "Person", destination: "Person")
        return KnownMapping(
            name: "\(source)to\(destination)", MappingModel([person]),
            source: "M.xcdatamodeld/M \(source).xcdatamodel",
            destination: "M.xcdatamodeld/M \(destination).xcdatamodel")
    }

    @Test func aStoreOfTheCurrentVersionNeedsNothing() throws {
        let plan = try plan(Self.versions(["a"], ["a", "b"]), from: 2)
        #expect(plan.isEmpty)
        #expect(
            plan.lines == ["the store is of the current version M 2; nothing is migrated"])
    }

    @Test func aDirectStepIsInferred() throws {
        let plan = try plan(Self.versions(["a", "x"], ["a", "b"], ["c<a", "b"]), from: 1)
        #expect(
            plan.lines == [
                "the store was made with M 1, and the current version is M 3: 1 step",
                "  1. M 1 to M 3, inferred",
                "     - Person.a becomes Person.c",
                "     - adds Person.b",
                "     - removes Person.x and its values; if it is b now, give that the renaming "
                    + "identifier x",
            ])
    }

    @Test func aDirectMappingModelIsPreferred() throws {
        let versions = try Self.versions(["a"], ["a", "b"])
        let plan = try plan(versions, from: 1, [mapping("1", "2")])
        #expect(titles(plan) == ["M 1 to M 2, by the mapping model 1to2"])
        // The mapping has no value for it.
        #expect(
            plan.steps[0].details == [
                "Person.a gets its default", "adds Person.b", "removes Person.a and its values",
            ])
    }

    /// Inference would remove what a mapping with a misspelt name was written to keep.
    @Test(arguments: [("0", "2"), ("1", "3")])
    func aMappingModelOfAnUnknownVersionIsAnError(_ source: String, _ destination: String) throws {
        let versions = try Self.versions(["a"], ["a", "b"])
        let error = #expect(throws: MigrationError.self) {
            try plan(versions, from: 1, [mapping(source, destination)])
        }
        let unknown = source == "0" ? "0" : "3"
        #expect(error?.code == .missingMappingModel)
        #expect(
            error?.description.contains(
                "leads from M \(source) to M \(destination), the model has no version M "
                    + "\(unknown) (did you mean M 1?), and it fits the step from M 1 to M 2")
                == true,
            "\(error as Any)")
        // One of other models is a note, also where it has the name of a version.
        let zed = EntityMapping(
            name: "Zed", mappingType: .custom, source: "Zed", destination: "Zed")
        let foreign = KnownMapping(
            name: "zed", MappingModel([zed]), source: "M \(source == "0" ? "1" : "9")",
            destination: "M \(source == "0" ? "9" : "2")")
        #expect(try plan(versions, from: 1, [foreign]).lines[1].contains("zed is for other"))
    }

    /// A mapping that reads `a` and sets `b`, with other names than those of its versions.
    @Test(arguments: [
        ("7", "8", "has no version M 7 or M 8, and it fits the step from M 1 to M 2"),
        ("1", "1", "m leads from M 1 to M 1, and it fits the step from M 1 to M 2"),
        ("2", "1", "m leads from M 2 to M 1, and it fits the step from M 1 to M 2"),
        (nil, "8", "m leads to M 8, the model has no version M 8"),
        ("3", "2", "m leads from M 3 to M 2, and it fits the step from M 1 to M 2"),
    ])
    func aMappingModelWithWrongNamesIsAnError(
        _ source: String?, _ destination: String, _ message: String
    ) throws {
        let versions = try Self.versions(["a"], ["b"], ["c", "b"])
        func named(_ text: String) throws -> KnownMapping {
            var file = try MappingFile(Array(text.utf8), path: "m")
            file.sourceVersion = source.map { "M \($0)" }
            file.destinationVersion = "M \(destination)"
            return KnownMapping(file)
        }
        func entity(_ attributes: String) -> String {
            """
            {"mappings": [{"source": "Person", "destination": "Person",
            "attributes": {\(attributes)}}]}
            """
        }
        let error = try #require(throws: MigrationError.self) {
            try plan(versions, from: 1, [named(entity(#""b": "$source.a""#))])
        }
        #expect(error.code == .missingMappingModel)
        #expect(error.description.contains(message), "\(error)")
        // What does not fit is of another model, and a line of the plan.
        let lines = try plan(versions, from: 1, [named(entity(#""b": "$source.z""#))]).lines
        #expect(lines[1].contains("is not used"), "\(lines)")
    }

    /// One of a version that is gone is not meant for the way back to a later one.
    @Test func aMappingModelOfAFormerVersionDoesNotStopTheWayBack() throws {
        let versions = try Self.versions(["a"], ["a", "b"], current: 1)
        let plan = try plan(versions, from: 2, [mapping("0", "1")])
        #expect(titles(plan) == ["M 2 to M 1, inferred"])
    }

    /// The current version may have the hashes that are computed of an older one now.
    @Test func aStoreWithFormerHashesIsMigratedToAnEqualVersion() throws {
        var known = try Self.versions(["a"], ["a"]).versions
        known[0].formerHashes = ["Person": [9]]
        let versions = try #require(KnownVersions(known, current: "M 2"))
        let plan = try MigrationPlan(storeHashes: ["Person": [9]], versions: versions)
        #expect(titles(plan) == ["M 1 to M 2, inferred"])
        let own = try #require(KnownVersions(known, current: "M 1"))
        #expect(try MigrationPlan(storeHashes: ["Person": [9]], versions: own).isEmpty)
    }

    /// A mapping whose way begins where nothing can be inferred to is not passed over.
    @Test func inferenceDoesNotSkipAMappingModelBehindAGap() throws {
        let versions = try Self.versions(["a", "n"], ["a#", "n"], ["m"])
        let error = try #require(throws: MigrationError.self) {
            try plan(versions, from: 1, [mapping("2", "3")])
        }
        #expect(error.code == .missingMappingModel)
        #expect(
            error.reasons == [
                "from M 1 to M 3: inference would pass over the mapping model 2to3",
                "from M 1 to M 2: Person.a is of type Float and was String",
            ])
        #expect(titles(try plan(versions, from: 1)) == ["M 1 to M 3, inferred"])
    }

    @Test func aMappingModelBesideTheWayIsTold() throws {
        let versions = try Self.versions(["x"], ["a"], ["a", "b"])
        let plan = try plan(versions, from: 2, [mapping("1", "3")])
        #expect(titles(plan) == ["M 2 to M 3, inferred"])
        #expect(plan.lines[1] == "1to3 leads from M 1 to M 3, and is not used")
    }

    /// A model has mapping models for its other steps.
    @Test func aMappingModelOfANeighbouringStepIsNotTold() throws {
        let versions = try Self.versions(["x"], ["a"], ["a", "b"])
        #expect(try plan(versions, from: 2, [mapping("1", "2")]).unusedMappings == [])
        let back = try plan(versions, from: 2, [mapping("3", "2")])
        #expect(back.unusedMappings == ["3to2 leads from M 3 to M 2, and is not used"])
    }

    /// A link that a mapping carries over, from either end, is neither added nor removed.
    @Test func aMappingModelsPropertiesAreListed() throws {
        let text = """
            {"mappings": [
              {"source": "Order", "destination": "Order",
               "attributes": {"total": "$source.price * 2", "kind": null, "copy": "$source.state"},
               "relationships": {"clients": "$source.customer"}},
              {"source": "Customer", "destination": "Customer", "policy": "P"}]}
            """
        let file = try MappingFile(Array(text.utf8), path: "m.mapping.json")
        let old = try makeModel(
            name: "Shop 1",
            [
                EntityMaker("Order").attribute("price", .double).attribute("kind", .string)
                    .attribute("note", .string).attribute("state", .string)
                    .toOne("customer", "Customer", inverse: "orders"),
                EntityMaker("Customer").attribute("name", .string)
                    .toMany("orders", "Order", inverse: "customer"),
            ])
        let new = try makeModel(
            name: "Shop 2",
            [
                EntityMaker("Order").attribute("total", .double).attribute("kind", .string)
                    .attribute("state", .string).attribute("copy", .string)
                    .toMany("clients", "Customer", inverse: "orders"),
                EntityMaker("Customer").attribute("name", .string)
                    .toMany("orders", "Order", inverse: "clients"),
            ])
        let all = [
            KnownVersion(model: old, hashes: ["Order": [1]]),
            KnownVersion(model: new, hashes: ["Order": [2]]),
        ]
        let plan = try MigrationPlan(
            storeHashes: ["Order": [1]], versions: #require(KnownVersions(all, current: "Shop 2")),
            mappings: [KnownMapping(file)])
        #expect(
            plan.steps[0].details == [
                "computes Order.total", "Order.kind gets its default", "computes Order.copy",
                "Order.customer becomes Order.clients",
                "removes Order.price and its values, after they are used in an expression",
                "removes Order.kind and its values",
                "removes Order.note and its values",
                "the policy P makes the objects of Customer",
            ])
    }

    @Test func twoMappingModelsForAStepAreAnErrorThatNamesBoth() throws {
        let versions = try Self.versions(["a"], ["a", "b"])
        let person = EntityMapping(
            name: "PersonToPerson", mappingType: .custom, source: "Person", destination: "Person")
        let other = KnownMapping(name: "any.mapping.json", MappingModel([person]))
        let error = #expect(throws: MigrationError.self) {
            try plan(versions, from: 1, [mapping("1", "2"), other])
        }
        #expect(error?.code == .missingMappingModel)
        #expect(error?.message == "several mapping models lead from M 1 to M 2")
        #expect(error?.reasons == ["1to2", "any.mapping.json"])
    }

    @Test func aChainIsTheShortestOne() throws {
        // A type changes from M 2 to M 3, which only a mapping model does.
        let versions = try Self.versions(
            ["a"], ["a", "b"], ["a#"], ["a#", "c"], ["a#", "c", "d"])
        let plan = try plan(versions, from: 1, [mapping("2", "3")])
        #expect(
            titles(plan) == [
                "M 1 to M 2, inferred", "M 2 to M 3, by the mapping model 2to3",
                "M 3 to M 5, inferred",
            ])
    }

    @Test func inferenceDoesNotSkipAMappingModel() throws {
        let versions = try Self.versions(["name"], ["first", "last"], ["first", "last", "age"])
        #expect(
            titles(try plan(versions, from: 1, [mapping("1", "2")])) == [
                "M 1 to M 2, by the mapping model 1to2", "M 2 to M 3, inferred",
            ])
        #expect(titles(try plan(versions, from: 1)) == ["M 1 to M 3, inferred"])
    }

    @Test func inferenceDoesNotSkipARename() throws {
        let versions = try Self.versions(["color"], ["paint<color"], ["primary<paint"])
        #expect(
            titles(try plan(versions, from: 1)) == [
                "M 1 to M 2, inferred", "M 2 to M 3, inferred",
            ])
        // The canonical identifier needs no step between.
        let canonical = try Self.versions(["color"], ["paint<color"], ["primary<color"])
        #expect(titles(try plan(canonical, from: 1)) == ["M 1 to M 3, inferred"])
    }

    @Test func aPlanLeadsBackIfAnOlderVersionIsCurrent() throws {
        let versions = try Self.versions(["a"], ["a", "b"], current: 1)
        #expect(titles(try plan(versions, from: 2)) == ["M 2 to M 1, inferred"])
    }

    @Test func oneVersionBetweenNamesEveryReason() throws {
        let versions = try Self.versions(["a", "b"], ["a#", "b#"])
        let error = try #require(throws: MigrationError.self) { try plan(versions, from: 1) }
        #expect(error.code.rawValue == 134190)
        #expect(error.reasons.count == 2)
    }

    @Test func aMappingModelThatDoesNotFitIsAnError() throws {
        let broken = KnownMapping(
            name: "Broken", MappingModel([]), source: "M 1", destination: "M 2"
        ) { _, _ throws(ModelErrors) in
            throw ModelErrors([ModelError("Person.b", "there is no such property")])
        }
        let versions = try Self.versions(["a"], ["a", "b"], ["a", "b", "c"])
        let error = try #require(throws: MigrationError.self) {
            try plan(versions, from: 1, [broken])
        }
        #expect(
            error.description == "the mapping model Broken does not fit M 1 and M 2: "
                + "Person.b: there is no such property")
    }

    @Test func noWayNamesEveryReason() throws {
        let versions = try Self.versions(["a"], ["a", "b"], ["a#"])
        let error = try #require(throws: MigrationError.self) { try plan(versions, from: 1) }
        #expect(error.code.rawValue == 134140)
        #expect(
            error.reasons == [
                "from M 1 to M 3: Person.a is of type Float and was String",
                "from M 2 to M 3: Person.a is of type Float and was String",
            ])
    }

    @Test func ofVersionsWithTheSameHashesTheNearestToTheCurrentOneWins() throws {
        let versions = try Self.versions(["a"], ["a"], ["a", "b"])
        let plan = try plan(versions, from: 1)
        #expect(titles(plan) == ["M 2 to M 3, inferred"])
        #expect(plan.lines[1] == "M 2 has the same version hashes as M 1; their data is the same")
    }

    @Test func aWayBackIsTold() throws {
        let known = try Self.versions(["a"], ["a", "b"]).versions
        let versions = try #require(KnownVersions(known, current: "M 1"))
        let plan = try plan(versions, from: 2)
        #expect(plan.isBackward && !plan.isEmpty)
        #expect(
            plan.lines[1]
                == "this leads back to an older version: what only M 2 has is removed")
        #expect(try !self.plan(Self.versions(["a"], ["a", "b"]), from: 1).isBackward)
    }

    @Test func aStoreOfNoKnownVersionSaysWhatDiffers() throws {
        let versions = try Self.versions(["a"], ["a", "b"])
        var hashes = versions.current.hashes
        hashes["Person"] = [1]
        hashes["Team"] = [2]
        let error = try #require(throws: MigrationError.self) {
            try MigrationPlan(storeHashes: hashes, versions: versions)
        }
        #expect(error.code.rawValue == 134130)
        #expect(
            error.description == """
                the store was not made with any known version (M 1, M 2): it is of a newer one, or \
                of one that has been removed or changed since (add the version that the store was \
                made with to the model, beside the current one, or use another store):
                  - the entity Person of the store differs from that of M 2
                  - the store has an entity Team, and M 2 does not
                """)
    }

    @Test func manyDifferencesAreCutShort() throws {
        let versions = try Self.versions(["a"])
        let hashes = Dictionary(uniqueKeysWithValues: (1...30).map { ("E\($0)", [UInt8(0)]) })
        let error = try #require(throws: MigrationError.self) {
            try versions.version(withHashes: hashes)
        }
        #expect(error.reasons.count == 11)
        #expect(error.reasons.last == "21 more entities differ")
    }

    @Test func hashesOfAMappingModelDecideBeforeItsNames() throws {
        let versions = try Self.versions(["a"], ["a#"])
        let (old, new) = (versions.versions[0], versions.versions[1])
        var person = EntityMapping(
            name: "P", mappingType: .custom, source: "Person", destination: "Person")
        person.sourceEntityVersionHash = old.hashes["Person"]
        person.destinationEntityVersionHash = new.hashes["Person"]
        let renamed = KnownMapping(name: "X", MappingModel([person]), source: "Z", destination: "Y")
        #expect(renamed.leads(from: old, to: new))
        #expect(!renamed.leads(from: new, to: old))
        // Hashes of Apple are not those of the versions.
        person.sourceEntityVersionHash = [9]
        let named = KnownMapping(
            name: "X", MappingModel([person]), source: "M.xcdatamodeld/M 1.xcdatamodel",
            destination: "M 2.mom")
        #expect(named.leads(from: old, to: new))
        #expect(!named.leads(from: new, to: old))
        #expect(!KnownMapping(name: "X", MappingModel([person])).leads(from: old, to: new))
        let foreign = EntityMapping(
            name: "T", mappingType: .custom, source: "Team", destination: "Person")
        #expect(!KnownMapping(name: "X", MappingModel([foreign])).leads(from: old, to: new))
    }
}
