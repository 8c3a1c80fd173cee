import SteleMigration
import SteleModel
import TestSupport
import Testing

/// What a plan says of values and links that inference does not carry over.
@Suite struct LossTests {
    private func details(_ old: String, _ new: String) throws -> [String] {
        let (source, destination) = (
            try model(old, name: "M 1"), try model(new, name: "M 2")
        )
        let mapping = try MappingModel.inferred(from: source, to: destination)
        return MigrationPlan.Step(
            source: KnownVersion(model: source, hashes: [:]),
            destination: KnownVersion(model: destination, hashes: [:]), mappingModel: mapping,
            kind: .inferred
        ).losses.map { String($0.prefix { $0 != ";" }) }
    }

    /// X and Y with the children that are given, and an entity that links to objects of X.
    private func family(
        x: String = "a: String", _ more: String? = nil, of parent: String,
        c: String = "c: String", abstract: Bool = false
    ) -> String {
        let toOne = #""relationships": [{"name": "x", "destination": "X", "inverse": "logs"}]"#
        let toMany =
            #""relationships": [{"name": "logs", "destination": "Log", "inverse": "x", "#
            + #""toMany": true}]"#
        let own = abstract ? #""abstract": true, "# : ""
        return "["
            + [
                entity("Root", "r: String", more: #""abstract": true"#),
                more.map { entity("X", x, $0, more: own + #""parent": "Root", "# + toMany) }
                    ?? entity("X", x, more: own + #""parent": "Root", "# + toMany),
                entity("Y", "b: String", more: #""parent": "Root""#),
                entity("C", c, more: #""parent": "\#(parent)""#),
                entity("Log", "at: Date", more: toOne),
            ].joined(separator: ", ") + "]"
    }

    @Test func aChangeOfParentNamesWhatItDrops() throws {
        #expect(
            try details(family(of: "X"), family(of: "Y")) == [
                "removes the links of Log.x to C", "removes C.a and its values",
                "removes C.logs and its values",
            ])
        #expect(try details(family(of: "X"), family(of: "X")) == [])
    }

    @Test func anAttributeThatMovesUpIsKept() throws {
        let up = family(x: "a: String", "c: String", of: "X", c: "d: String")
        #expect(try details(family(of: "X"), up) == [])
    }

    @Test func anAttributeThatMovesDownIsLostToTheParentsObjects() throws {
        let down = family(x: "z: String", of: "X", c: "a: String")
        #expect(
            try details(family(of: "X", c: "d: String"), down) == [
                "removes X.a and its values, which C keeps", "removes C.d and its values",
            ])
        // An abstract entity has no objects of its own.
        #expect(
            try details(
                family(of: "X", c: "d: String", abstract: true),
                family(x: "z: String", of: "X", c: "a: String", abstract: true))
                == ["removes C.d and its values"])
    }

    @Test func anAttributeOfAWholeHierarchyIsNamedOnce() throws {
        #expect(
            try details(family(of: "X"), family(x: "z: String", of: "X"))
                == ["removes X.a and its values"])
    }

    /// The objects of its subentities stay, and what they lose is named.
    @Test func anAbstractParentThatIsRemovedIsNoLoss() throws {
        let parent = #""parent": "Region""#
        let old = [
            entity("Region", "code: Integer 32", "note: String", more: #""abstract": true"#),
            entity("Country", more: parent), entity("Continent", more: parent),
        ].joined(separator: ", ")
        let same = [
            entity("Country", "code: Integer 32", "note: String"),
            entity("Continent", "code: Integer 32", "note: String"),
        ].joined(separator: ", ")
        #expect(try details("[\(old)]", "[\(same)]") == [])
        let less = [
            entity(
                "Country", #"code: Integer 32, "optional": false, "default": 7"#, "note: String"),
            entity("Continent", "code: Integer 32"),
        ].joined(separator: ", ")
        #expect(
            try details("[\(old)]", "[\(less)]") == [
                "removes Continent.note and its values",
                "removes null from Country.code: it becomes the default",
            ])
    }

    @Test func anExchangeOfNamesThatTheHashesDoNotHaveIsNoted() throws {
        let swapped = #"""
            [{"name": "Car", "attributes": [
              {"name": "a", "type": "String", "renamingIdentifier": "b"},
              {"name": "b", "type": "String", "renamingIdentifier": "a"}]}]
            """#
        let versions = try #require(
            KnownVersions(
                [KnownVersion(model: model(swapped, name: "M 2"), hashes: ["Car": [1]])],
                current: "M 2"))
        let lines = try MigrationPlan(storeHashes: ["Car": [1]], versions: versions).lines
        #expect(lines.count == 3)
        #expect(
            lines[1]
                == "Car.a has the renaming identifier of Car.b: if values have to move, give one of "
                + "them a version hash modifier, because the version hashes are the same")
    }

    @Test func anExchangeOfNamesOfEntitiesIsNoted() throws {
        let swapped = #"""
            [{"name": "P", "renamingIdentifier": "Q",
              "attributes": [{"name": "a", "type": "String"}]},
             {"name": "Q", "renamingIdentifier": "P",
              "attributes": [{"name": "a", "type": "String"}]}]
            """#
        let hashes: [String: [UInt8]] = ["P": [1], "Q": [2]]
        let versions = try #require(
            KnownVersions(
                [KnownVersion(model: model(swapped, name: "M 2"), hashes: hashes)],
                current: "M 2"))
        let lines = try MigrationPlan(storeHashes: hashes, versions: versions).lines
        #expect(
            lines.dropFirst() == [
                "P has the renaming identifier of Q: if objects have to move, give one of them a "
                    + "version hash modifier, because the version hashes are the same",
                "Q has the renaming identifier of P: if objects have to move, give one of them a "
                    + "version hash modifier, because the version hashes are the same",
            ])
    }

    /// A part of a composite attribute is renamed within it, by its own former name.
    @Test func aPlanSaysHowAPartOfACompositeIsRenamed() throws {
        func lines(_ attribute: String, _ part: String, renaming: String = "") throws -> [String] {
            func version(_ attribute: String, _ part: String, _ more: String = "") throws -> Model {
                let place =
                    #"[{"name": "Place", "attributes": [{"name": "\#(part)", "type": "Double"\#(more)}, "#
                    + #"{"name": "note", "type": "String"}]}]"#
                return try model(
                    "[\(entity("Dog", attribute + #": Composite, "composite": "Place""#))]",
                    composites: place)
            }
            let (old, new) = (try version("place", "lat"), try version(attribute, part, renaming))
            return MigrationPlan.Step(
                source: KnownVersion(model: old, hashes: [:]),
                destination: KnownVersion(model: new, hashes: [:]),
                mappingModel: try .inferred(from: old, to: new), kind: .inferred
            ).losses
        }
        #expect(
            try lines("place", "latitude") == [
                "removes Dog.place.lat and its values; if it is place.latitude now, give that the "
                    + "renaming identifier lat"
            ])
        #expect(
            try lines("place", "latitude", renaming: #", "renamingIdentifier": "lat""#) == [])
        #expect(
            try lines("spot", "lat").first
                == "removes Dog.place.lat and its values; if place is spot now, give that the "
                + "renaming identifier place")
    }
}
