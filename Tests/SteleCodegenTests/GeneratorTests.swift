// What the generator decides: classes, types, names.

import Foundation
import SteleCodegen
import SteleModel
import TestSupport
import Testing

@Suite struct GeneratorTests {
    @Test(arguments: [
        ("Integer 16", true, "Int16 {", "get { attribute(forKey: \"x\") ?? 0 }"),
        ("Integer 32", false, "Int32? {", "get { attribute(forKey: \"x\") }"),
        ("Integer 64", true, "Int64 {", "get { attribute(forKey: \"x\") ?? 0 }"),
        ("Float", true, "Float {", "get { attribute(forKey: \"x\") ?? 0 }"),
        ("Double", false, "Double? {", "get { attribute(forKey: \"x\") }"),
        ("Boolean", true, "Bool {", "get { attribute(forKey: \"x\") ?? false }"),
        ("Boolean", false, "Bool? {", "get { attribute(forKey: \"x\") }"),
        ("Decimal", true, "Decimal? {", "get { attribute(forKey: \"x\") }"),
        ("String", false, "String? {", "get { attribute(forKey: \"x\") }"),
        ("Date", true, "Date? {", "get { attribute(forKey: \"x\") }"),
        ("Binary", false, "Data? {", "get { attribute(forKey: \"x\") }"),
        ("UUID", false, "UUID? {", "get { attribute(forKey: \"x\") }"),
        ("URI", false, "URL? {", "get { attribute(forKey: \"x\") }"),
        ("Transformable", false, "JSONValue? {", "get throws { try transformable(forKey: \"x\") }"),
    ])
    func anAttributeHasTheTypeOfXcodesCode(
        type: String, scalar: Bool, head: String, getter: String
    ) throws {
        let code = try code(
            model(
                json: """
                    {"entities": [{"name": "A", "attributes": [
                      {"name": "x", "type": "\(type)", "scalar": \(scalar)}]}]}
                    """))
        #expect(
            lines(2, from: "var x", in: code) == ["public var x: \(head)", getter])
    }

    @Test(arguments: [
        ("[String]", "[String]"), ("[String: [Int?]]", "[String: [Int?]]"),
        ("Dictionary<String,Set<UUID>>", "Dictionary<String, Set<UUID>>"), ("Date", "Date"),
        ("NSColor", "JSONValue"), ("[String", "JSONValue"), ("[String]]", "JSONValue"),
        ("String; import Evil", "JSONValue"), ("", "JSONValue"), ("[NSColor]", "JSONValue"),
        (String(repeating: "[", count: 100_000), "JSONValue"),
    ])
    func aTransformableHasItsClassWhereItIsKnown(declared: String, type: String) throws {
        let code = try code(
            model(
                json: """
                    {"entities": [{"name": "A", "attributes": [
                      {"name": "x", "type": "Transformable", "class": "\(declared)"}]}]}
                    """))
        #expect(lines(1, from: "var x", in: code) == ["public var x: \(type)? {"])
        #expect(code.contains("func setX(_ value: \(type)?) throws {"))
    }

    @Test func namesThatAreTakenAreChanged() throws {
        let code = try code(HardModel.model())
        for part in [
            "public var `self`: Swift.String? {", "public var id: Swift.String? {",
            "public var id_: Set? {", "func setId_(_ value: Set?)", "public var hashValue_: ",
            "public var version_: ", "public var ___: ", "public var value: Swift.String?",
            "public var `in`: Swift.Set<Some_Type>", "public var In_: Swift.Set<Some_Type>",
            "func addToIn_(_ value: Some_Type)",
            "open nonisolated class String: Stele.ManagedObject {}",
            "public final nonisolated class Int32: Stele.ManagedObject {}",
            "public var of900: Stele.Date? {", "public var of200: Swift.Int32 {",
            "open nonisolated class `Protocol`: Stele.ManagedObject {}",
            "public final nonisolated class `Any`: `Protocol` {}",
            "public nonisolated enum Hard_1Model: Stele.TypedModel {",
            "public static let embedded = Stele.EmbeddedModel(", "name: \"Hard\\u{a}1\",",
            "public var later: Stele.Date? { attribute(forKey: \"later\") }",
            "public var `where`: Place { Place(self, keyPath: \"where\") }",
            "public var `case`: [`Protocol`] {",
            "func insertIntoFor(_ value: String, at index: Swift.Int)",
            "from the model Hard 1: its classes.",
        ] { #expect(code.contains(part), "\(part)") }
    }

    /// A view of a composite goes to what is in it by key path, so that is held against the store's
    /// model, too.
    @Test func whatIsInACompositeIsCheckedToo() throws {
        let code = try code(HardModel.model())
        for entry in [
            "\"where\": .attribute(.composite)", "\"where.key\": .attribute(.string)",
            "\"where.inner.day\": .attribute(.date)",
        ] { #expect(code.contains(entry), "\(entry)") }
    }

    @Test func classesAreWrittenAsTheModelSays() throws {
        let generator = try SwiftGenerator(HandWritten.model())
        #expect(
            generator.files().map(\.name) == [
                "Animal+Properties.swift", "Home.swift", "TestModel.swift",
            ])
        let code = generator.files().map(\.text).joined()
        #expect(!code.contains("class Animal") && code.contains("nonisolated extension Animal {"))
        #expect(code.contains("public var trace: ManagedObject? {"))
        #expect(code.contains("\"Cat\", Cat.self,") && !code.contains("Trace.self"))
        #expect(
            generator.notes().map(\.description) == [
                "Animal: its class Animal is written by hand; its properties are generated"
                    + " (its code generation is category)",
                "Cat: its class Cat and its properties are written by hand"
                    + " (its code generation is none)",
            ])
    }

    /// Models of Apple's frameworks have such entities.
    @Test func entitiesOfOneClassHaveClassesOfTheirOwnNames() throws {
        let generator = try SwiftGenerator(SharedClass.model())
        #expect(
            generator.files().map(\.name) == [
                "Added.swift", "B.swift", "C.swift", "Removed.swift", "Thing.swift", "Late.swift",
                "TestModel.swift",
            ])
        #expect(
            generator.notes().map(\.description) == [
                "Added: its class is Added, because ChangeSet is also the class of another entity",
                "B: its class is B, because Thing is also the class of another entity",
                "Removed: its class is Removed, because ChangeSet is also the class of another entity",
                "Late: its class is Late, because Thing is also the class of another entity",
            ])
        let text = generator.combined().text
        for line in [
            "class Late: Thing {}", "class B: ManagedObject {}", "var added: Added?",
        ] {
            #expect(text.contains(line), "\(line)")
        }
        // A subentity without properties has its parent's class.
        #expect(!text.contains("class Empty"))
    }

    /// The generator cannot name classes that people write.
    @Test(arguments: ["none", "category"])
    func twoEntitiesOfOneClassWrittenByHandAreRefused(_ generation: String) throws {
        let json = """
            {"entities": [
              {"name": "A", "class": "X.Thing", "codeGeneration": "\(generation)"},
              {"name": "B", "class": "Thing", "codeGeneration": "\(generation)"}]}
            """
        #expect {
            _ = try SwiftGenerator(model(json: json))
        } throws: { error in
            "\(error)".contains(
                "B: its class Thing is also the class of A (give it a class of its own, because both "
                    + "are written by hand)")
        }
        let one = json.replacingOccurrences(
            of: "\"B\", \"class\": \"Thing\", \"codeGeneration\": \"\(generation)\"",
            with: "\"B\", \"class\": \"Thing\"")
        let text = try SwiftGenerator(model(json: one)).combined().text
        #expect(text.contains("\"A\", Thing.self") && text.contains("\"B\", B.self"))
    }

    /// A property cannot have a name that every object has: the list of these is complete.
    @Test func everyMemberOfAnObjectIsKnown() throws {
        let folder = packageRoot.appendingPathComponent("Sources/SteleGraph")
        let all = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        var members: Set<String> = []
        while let url = all?.nextObject() as? URL {
            guard url.lastPathComponent.hasPrefix("ManagedObject."),
                url.pathExtension == "swift"
                    || url.lastPathComponent.hasPrefix("ManagedObject+")
            else { continue }
            let source = try String(contentsOf: url, encoding: .utf8)
            let word =
                /(?:public|open)(?: internal\(set\))?(?: final)? (?:var|let|func) (\w+)(?:\(\)|:| =)/
            for match in source.matches(of: word) { members.insert(String(match.1)) }
        }
        #expect(members.count >= 5)
        for name in members {
            let json = """
                {"entities": [{"name": "A", "attributes": [{"name": "\(name)", "type": "Date"}]}]}
                """
            #expect(try code(model(json: json)).contains("public var \(name)_: Date?"), "\(name)")
        }
    }
}
