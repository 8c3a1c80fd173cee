// What GET gives can be sent back by PUT and PATCH: it changes nothing.

import SteleJSON
import SteleModel
import SteleTransformers
import TestSupport
import Testing

@testable import SteleAnswers
@testable import SteleFeed
@testable import SteleRequests
@testable import SteleService

@Suite struct RoundTripTests {
    static let samples = [
        "BasicApplication", "Catalog", "Counter", "League", "LeagueManager", "Movies", "OrgChart",
        "Recipes", "Shapes", "Stash", "Tasks", "World",
    ]

    @Test(arguments: samples, [false, true])
    func whatASampleGivesItTakes(_ sample: String, _ isFull: Bool) throws {
        _ = AttributeModels.keys
        ValueTransformers.setValueTransformer(
            try AESGCMTransformer(key: String(repeating: "3", count: 64)),
            forName: "AESGCMTransformer")
        try Self.check(try sampleModel(sample), isFull: isFull)
    }

    @Test(arguments: [false, true])
    func whatEveryKindOfAttributeGivesItTakes(_ isFull: Bool) throws {
        try Self.check(try TestModels.zoo(), isFull: isFull)
        try Self.check(try AttributeModels.people(), isFull: isFull)
        try Self.check(try Self.transients(), isFull: isFull)
    }

    @Test func aReadOnlyKeyThatSaysSomethingElseIsRefused() throws {
        let people = try ServiceFixture.people()
        _ = people.post("/Person", #"{"name":"Ann","friends":[{"name":"Bo"}]}"#)
        for (key, same, other) in [
            ("plain", #""ann""#, #""Ann""#), ("friendCount", "1", "2"),
            ("friendCount", #""1""#, "null"), ("draft", #""new""#, #""old""#),
        ] {
            for method in ["PUT", "PATCH"] {
                let kept = people.ask(method, "/Person/1", "{\"name\":\"Ann\",\"\(key)\":\(same)}")
                #expect(kept.status == 200, "\(method) \(key): \(kept.text)")
                let refused = people.ask(method, "/Person/1", "{\"\(key)\":\(other)}")
                #expect(refused.status == 422 && refused.code == "value.read-only", "\(key)")
                #expect(refused.detail.contains(key))
            }
        }
        // What it is derived from may change beside it.
        let renamed = people.patch("/Person/1", #"{"name":"Cy","plain":"ann"}"#)
        #expect(renamed.status == 200, "\(renamed.text)")
        #expect(try renamed.json["plain"] == "cy")
        // A new object has had no value yet.
        #expect(people.post("/Person", #"{"name":"Di","plain":"di"}"#).code == "value.read-only")
        let zoo = try ServiceFixture.zoo()
        _ = zoo.post("/Page", "{}")
        #expect(zoo.ask("PUT", "/Page/1", #"{"drafts":[]}"#).code == "value.read-only")
    }

    @Test func aTransientPartOfACompositeIsSentBack() throws {
        let model = try ServiceFixture(Self.transients())
        _ = model.post("/Thing", #"{"place":{"city":"Rome"}}"#)
        let part = #"{"place":{"city":"York","note":null}}"#
        #expect(model.patch("/Thing/1", part).status == 200)
        let other = model.patch("/Thing/1", #"{"place":{"note":"x"}}"#)
        #expect(other.status == 422 && other.code == "value.read-only", "\(other.text)")
    }

    /// Composites with a transient part, and transient attributes of each kind.
    static func transients() throws -> Model {
        let place = CompositeDescription(
            "Place",
            [
                .init(optional: "city", .string),
                .init(optional: "note", .string) { $0.isTransient = true },
            ])
        let thing = EntityMaker("Thing")
            .attribute("name", .string)
            .attribute("place", .composite) { $0.compositeName = "Place" }
            .attribute("away", .composite) {
                $0.compositeName = "Place"
                $0.isTransient = true
            }
            .attribute("seenAt", .date) {
                $0.isTransient = true
                $0.defaultValue = .date(0.5)
            }
            .attribute("length", .integer32) { $0.derivationExpression = "things.@count" }
            .toMany("things", "Thing", inverse: "owners")
            .toMany("owners", "Thing", inverse: "things")
        return try makeModel(name: "Transients", [thing], composites: [place])
    }

    /// Makes an object of each entity, and sends back what is given of it.
    static func check(_ model: Model, isFull: Bool) throws {
        for entity in model.entities where !entity.isAbstract {
            let fixture = try ServiceFixture(model)
            let path = Routes.path(ofEntity: entity.name, "")
            var sample = SampleBody(model: model, isFull: isFull)
            let made = fixture.post(path, sample.object(entity))
            try #require(made.status == 201, "\(entity.name): \(made.text)")
            let address = try #require(made["Location"])
            let token = fixture.coordinator.currentToken
            for query in ["", "?numbers=string"] {
                let given = fixture.get(address + query)
                #expect(given.status == 200)
                for method in ["PUT", "PATCH"] {
                    let taken = fixture.ask(method, address, given.text)
                    #expect(taken.status == 200, "\(method) \(entity.name): \(taken.text)")
                    #expect(
                        fixture.coordinator.currentToken == token,
                        "\(method) \(entity.name): \(given.text) became \(taken.text)")
                }
            }
        }
    }
}

/// Makes bodies for new objects: values that the model's rules take.
struct SampleBody {
    let model: Model
    /// Whether what may be left out is there.
    let isFull: Bool
    /// For values that must be unique.
    private var count = 0

    init(model: Model, isFull: Bool) {
        self.model = model
        self.isFull = isFull
    }

    mutating func object(_ entity: Entity, depth: Int = 0) -> String {
        count += 1
        var members = ["\"_entity\":\"\(entity.name)\""]
        for property in entity.properties {
            switch property {
            case .attribute(let it) where !it.isDerived && !it.isTransient:
                if isFull || !it.isOptional && it.declaration.defaultValue == .null {
                    members.append("\"\(it.name)\":\(value(it))")
                }
            case .relationship(let it) where !it.isToMany:
                guard depth < 1, isFull || !it.isOptional else { continue }
                let kind = model.family(of: model.destination(of: it)).first { !$0.isAbstract }
                guard let kind else { continue }
                members.append("\"\(it.name)\":\(object(kind, depth: depth + 1))")
            case .relationship(let it) where !it.isOptional:
                let count = max(1, it.declaration.minimumCount)
                let objects = (0..<count).map { _ in
                    object(model.destination(of: it), depth: depth + 1)
                }
                members.append("\"\(it.name)\":[\(objects.joined(separator: ","))]")
            default: break
            }
        }
        return "{\(members.joined(separator: ","))}"
    }

    private func value(_ attribute: Attribute) -> String {
        let declared = attribute.declaration
        if attribute.isComposite {
            let parts = attribute.elements.filter { !$0.isTransient }
            return "{" + parts.map { "\"\($0.key)\":\(value($0))" }.joined(separator: ",") + "}"
        }
        switch attribute.type {
        case .integer16, .integer32: return String(Int(number(declared, 1_801)))
        case .integer64:
            return declared.maximum == .null
                ? "\(Int64.max)" : String(Int(number(declared, 1_801)))
        case .double: return String(number(declared, 2.718281828459045))
        case .float: return String(number(declared, 0.1))
        case .decimal: return String(number(declared, 12.25))
        case .boolean: return "true"
        case .date: return #""2024-05-01T09:00:00.1234567Z""#
        case .binary: return #""AAEC/w==""#
        case .uuid: return "\"\(UUID().uuidString)\""
        case .uri: return #""https://example.org/%C3%A4?q=1""#
        case .transformable: return #"{"a":[1,2.5,"x"]}"#
        default:
            var most = 8
            if case .int(let maximum) = declared.maximum { most = min(most, Int(maximum)) }
            return "\"" + String(repeating: ["A", "B", "C"][count % 3], count: most) + "\""
        }
    }

    private func number(_ declared: AttributeDescription, _ wanted: Double) -> Double {
        func double(_ value: Value) -> Double? {
            switch value {
            case .int(let it): Double(it)
            case .double(let it): it
            case .decimal(let it): Double("\(it)")
            default: nil
            }
        }
        return min(
            max(wanted, double(declared.minimum) ?? wanted), double(declared.maximum) ?? wanted)
    }
}
