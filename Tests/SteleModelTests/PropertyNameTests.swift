// Properties are found by their names, and by nothing else.

import SteleModel
import Testing

@Suite struct PropertyNameTests {
    /// Of each length, some with nothing but their ends in common, and some that are not ASCII.
    private static let names =
        (1...40).flatMap { length -> [String] in
            let middle = String(repeating: "m", count: length - 1)
            return ["a" + middle, "b" + middle, "a" + middle.dropLast() + "z"]
        } + ["größe", "名前", "e\u{301}tage"]

    @Test func eachIsFoundByItsName() throws {
        let names = Array(Set(Self.names))
        var entity = EntityDescription(name: "Thing")
        entity.properties = names.map {
            .attribute(AttributeDescription(name: $0, type: .string))
        }
        var declared = ManagedObjectModel(name: "Names")
        declared.entities = [entity]
        let model = try Model(declared)
        let thing = try #require(model.entity(named: "Thing"))
        for name in names {
            #expect(thing.property(named: name)?.name == name)
            #expect(thing.property(named: name + "x") == nil || names.contains(name + "x"))
            #expect(thing.property(named: "x" + name) == nil)
        }
        #expect(thing.property(named: "") == nil)
        // The same letters, composed otherwise.
        #expect(thing.property(named: "\u{E9}tage") != nil)
    }
}
