// The model of some of the entities alone.

import SteleModel
import Testing

@Suite struct ModelPartTests {
    private func model() throws -> Model {
        let json = """
            {"entities": [
                {"name": "Animal", "attributes": [{"name": "name", "type": "String"}]},
                {"name": "Dog", "parent": "Animal"},
                {"name": "Note", "relationships": [{"name": "of", "destination": "Animal"}],
                 "fetchedProperties": [{"name": "plans", "fetchRequest":
                    {"entity": "Plan", "predicate": "TRUEPREDICATE"}}]},
                {"name": "Plan"}],
             "fetchRequests": [{"name": "dogs", "entity": "Dog"},
                {"name": "plans", "entity": "Plan"}],
             "configurations": [{"name": "Pets", "entities": ["Dog"]},
                {"name": "Notes", "entities": ["Note", "Animal"]}]}
            """
        return try Model(ManagedObjectModel(json: Array(json.utf8), name: "M"))
    }

    /// A configuration brings the family of each of its entities.
    @Test func aPartHasItsEntitiesAlone() throws {
        let whole = try model()
        let pets = try #require(try whole.part(of: "Pets"))
        #expect(pets.entities.map(\.name) == ["Animal", "Dog"])
        #expect(pets.storedEntities.count == 2)
        #expect(pets.declaration.fetchRequestTemplates.map(\.name) == ["dogs"])
        #expect(pets.declaration.configurations.map(\.entityNames) == [["Dog"], ["Animal"]])
        #expect(pets.whole === whole)
        #expect(pets.restricted(to: "Pets")?.whole === whole)
        #expect(pets.omittedFetchedProperties == [])
        let notes = try #require(try whole.part(of: "Notes"))
        #expect(notes.entities.map(\.name) == ["Animal", "Dog", "Note"])
        #expect(notes.entity(named: "Note")?.property(named: "plans") == nil)
        #expect(notes.omittedFetchedProperties == ["Note.plans"])
        #expect(try whole.part(of: "Default") === whole)
        #expect(try whole.part(of: "Nothing") == nil)
        #expect(whole.whole === whole)
    }

    @Test(arguments: [
        (["Animal"], "Animal: the store does not have the entity Dog"),
        (["Dog"], "Dog: the store does not have the entity Animal"),
        (["Note"], "Note.of: the relationship leads to Animal"),
        (["Plan", "Cat"], "Cat: the store has this entity, and the model M does not"),
    ])
    func whatIsOutsideIsAnError(_ names: [String], _ text: String) throws {
        let whole = try model()
        do {
            _ = try whole.part(ofEntities: Set(names))
            Issue.record("\(names) are a part")
        } catch {
            #expect(error.description.hasPrefix(text), "\(error)")
        }
    }
}
