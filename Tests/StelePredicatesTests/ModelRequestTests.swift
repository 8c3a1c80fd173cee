// The predicates that a model holds: what cannot be evaluated is found when the model is read.

import Foundation
import SteleModel
import SteleModelFiles
import StelePredicates
import TestSupport
import Testing

struct ModelRequestTests {
    /// The mistakes of a league with one more fetched property of Person, or one more template.
    private func mistakes(
        property: String? = nil, template: String? = nil, of entity: String = "Person"
    ) throws -> [ModelError] {
        var declared = League.model.declaration
        if let property {
            var request = FetchRequestTemplate(name: "r", entityName: entity)
            request.predicateFormat = property
            let made = FetchedPropertyDescription(name: "found", request: request)
            for place in declared.entities.indices where declared.entities[place].name == "Person" {
                declared.entities[place].properties.append(.fetchedProperty(made))
            }
        }
        if let template {
            var request = FetchRequestTemplate(name: "asked", entityName: entity)
            request.predicateFormat = template
            declared.fetchRequestTemplates.append(request)
        }
        do throws(ModelErrors) { try Model(declared).checkRequests() } catch {
            return error.errors
        }
        return []
    }

    @Test(
        "a fetched property that nothing can evaluate is a mistake with its name",
        arguments: [
            ("agee > 3", "Person has no property agee", "did you mean age?"),
            ("age >", "the text ends where a value is expected", nil),
            ("age > 'x'", "age is a number", "text is written in quotes"),
            ("born < 'soon'", "is compared with a date and is not one", "2026-01-31"),
            ("age > $LEAST", "$LEAST has no value", "$FETCH_SOURCE"),
            ("name == $FETCH_SOURCE.nam", "Person has no property nam", "did you mean name?"),
            ("age == $FETCH_SOURCE.name", "they are never equal", "quotes"),
            ("name MATCHES '('", "is not a valid regular expression", "in quotes"),
            ("count() > 3", "count needs a collection here", "having"),
        ] as [(String, String, String?)])
    func refusedProperties(_ text: String, _ says: String, _ hint: String?) throws {
        let found = try mistakes(property: text)
        #expect(found.map(\.place) == ["Person.found"], "\(text): \(found)")
        let mistake = try #require(found.first)
        #expect(mistake.message.hasPrefix("its predicate \(text) cannot be evaluated: "))
        #expect(mistake.message.contains(says), "\(mistake)")
        #expect(hint.map { mistake.hint?.contains($0) == true } ?? true, "\(mistake)")
    }

    @Test(
        "a template that nothing can evaluate is a mistake with its name",
        arguments: [
            ("agee > $LEAST", "Person has no property agee"), ("age > $LEAST AND", "the text ends"),
            ("age > $LEAST AND name == 3", "they are never equal"),
            ("SUBQUERY(friends, $f, $f.agee > $LEAST).@count > 0", "has no property agee"),
            ("name == $NAME AND name MATCHES '('", "is not a valid regular expression"),
        ])
    func refusedTemplates(_ text: String, _ says: String) throws {
        let found = try mistakes(template: text)
        #expect(found.map(\.place) == ["fetch request asked"], "\(text): \(found)")
        #expect(found.first?.message.contains(says) == true, "\(found)")
    }

    @Test(
        "a variable of a template may be of any type",
        arguments: [
            "name == $NAME", "name ==[c] $NAME", "age > $LEAST * 2", "born < $DAY",
            "born BETWEEN $SPAN", "age BETWEEN {$LOW, $HIGH}", "name IN $NAMES",
            "$NAMES CONTAINS name", "ANY friends.name == $NAME", "ANY $NAMES == name",
            "team == $TEAM", "SELF == $PERSON", "SELF IN $PEOPLE", "team.name == $TEAM.name",
            "name MATCHES $PATTERN", "name BEGINSWITH[cd] lowercase($START)",
            "SUBQUERY(friends, $f, $f.age > $LEAST AND $f.name == name).@count > 0",
            "SUBQUERY($TEAM.players, $p, $p == SELF).@count > 0", "$NAMES[0] == name",
            "$A == $B", "active == YES AND (name == $NAME OR $NAME == nil)",
        ])
    func acceptedTemplates(_ text: String) throws {
        #expect(try mistakes(template: text).isEmpty)
    }

    @Test(
        "what Core Data evaluates is left for who asks",
        arguments: [
            "TRUEPREDICATE", "true == true", "name == $FETCH_SOURCE.name", "SELF != $FETCH_SOURCE",
            "name == $FETCHED_PROPERTY.userInfo.key", "name == $FETCHED_PROPERTY.entity.name",
            "objectID == $FETCH_SOURCE", "entity.name == 'Person'", "salary > 3",
            "ANYKEY == 'x'", "FUNCTION(name, 'frobnicate') == 'x'",
        ])
    func acceptedProperties(_ text: String) throws {
        #expect(try mistakes(property: text).isEmpty)
    }

    @Test("the requests of the models in Config can be evaluated")
    func ownModels() throws { #expect(try check("Config/Models", in: packageRoot) == 16) }

    @Test(
        "the requests of the shared models can be evaluated",
        .enabled(if: sharedFolder != nil, "the shared models are not here"))
    func sharedModels() throws {
        let folder = try #require(sharedFolder)
        #expect(try check("data/coredata", in: folder) > 9)
        #expect(try check("data/samples", in: folder) > 0)
    }

    /// Checks the requests of all models below a folder, and counts the models.
    private func check(_ path: String, in folder: URL) throws -> Int {
        let files = FileManager.default.enumerator(
            at: folder.appending(path: path), includingPropertiesForKeys: nil)
        var count = 0
        while let file = files?.nextObject() as? URL {
            guard ["xcdatamodel", "json"].contains(file.pathExtension),
                !file.lastPathComponent.hasSuffix(".mapping.json")
            else { continue }
            #expect(throws: Never.self, "\(file.path)") {
                try ModelFile.read(file.path).model().checkRequests()
            }
            count += 1
        }
        return count
    }

    @Test func allMistakesAreToldTogether() throws {
        #expect(try mistakes(property: "a == 1", template: "b == 1").count == 2)
        #expect(try mistakes(property: "", template: "").isEmpty)
    }
}
