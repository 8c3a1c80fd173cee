// What Core Data's names do, on a store with several objects.

import Foundation
import Stele
import TestSupport
import Testing

@Suite struct CoreDataNamesTests {
    private let model: Model
    private let container: PersistentContainer

    init() throws {
        let json = """
            {"entities": [
              {"name": "Movie", "attributes": [{"name": "title", "type": "String"}],
               "relationships": [
                {"name": "director", "destination": "Director", "inverse": "movies"}]},
              {"name": "Director", "attributes": [{"name": "name", "type": "String"}],
               "relationships": [
                {"name": "movies", "destination": "Movie", "inverse": "director",
                 "toMany": true}]}]}
            """
        model = try Model(ManagedObjectModel(json: Array(json.utf8), name: "Movies"))
        container = try PersistentContainer(model: model, at: ":memory:")
    }

    /// Two movies of a director.
    private func fill() throws -> ManagedObjectContext {
        let context = container.newBackgroundContext()
        let director = try context.insert(#require(model.entity(named: "Director")))
        try director.setValue(.string("Agnès Varda"), forKey: "name")
        for title in ["Cléo from 5 to 7", "Vagabond"] {
            let movie = try context.insert(#require(model.entity(named: "Movie")))
            try movie.setValue(.string(title), forKey: "title")
            try movie.setDestination(director, forKey: "director")
        }
        try context.save()
        return context
    }

    private func movie(_ context: ManagedObjectContext) throws -> ManagedObject {
        var request = FetchRequest(entity: try #require(model.entity(named: "Movie")))
        request.sortDescriptors = [SortDescriptor(key: "title", ascending: false)]
        return try #require(try context.fetch(request).first)
    }

    @Test func aFaultIsKnownWithoutReadingIt() throws {
        _ = try fill()
        let context = container.newBackgroundContext()
        let movie = try movie(context)
        #expect(try movie.hasFault(forRelationshipNamed: "director"))
        let director: ManagedObject = try #require(try movie.destination(forKey: "director"))
        #expect(try director.value(forKey: "name") == .string("Agnès Varda"))
        #expect(try !movie.hasFault(forRelationshipNamed: "director"))

        #expect(try director.hasFault(forRelationshipNamed: "movies"))
        let movies: [ManagedObject] = try director.members(forKey: "movies")
        #expect(try movies.count == 2 && !director.hasFault(forRelationshipNamed: "movies"))
        let new = try context.insert(director.entity)
        #expect(try !new.hasFault(forRelationshipNamed: "movies"))
        #expect(throws: ContextError.noSuchRelationship(entity: "Movie", relationship: "title")) {
            try movie.hasFault(forRelationshipNamed: "title")
        }
    }

    @Test func aPrimitiveValueIsNotAChange() throws {
        let context = try fill()
        let movie = try movie(context)
        try movie.setPrimitiveValue(.string("Kung-Fu Master!"), forKey: "title")
        #expect(try movie.primitiveValue(forKey: "title") == .string("Kung-Fu Master!"))
        #expect(!movie.hasChanges || movie.changedSlots.isEmpty)
        try context.refresh(movie, mergeChanges: false)
        #expect(try movie.primitiveValue(forKey: "title") == .null && movie.isFault)
        #expect(try movie.value(forKey: "title") == .string("Vagabond"))
        #expect(throws: ContextError.self) {
            try movie.setPrimitiveValue(.key(1), forKey: "director")
        }
        #expect(throws: ContextError.noSuchProperty(entity: "Movie", property: "x")) {
            try movie.primitiveValue(forKey: "x")
        }
    }

    @Test func aURILeadsBackToItsObject() throws {
        let context = try fill()
        let movie = try movie(context)
        let uri = try movie.uriRepresentation()
        #expect(uri.absoluteString.hasPrefix("x-coredata://"))
        #expect(uri.absoluteString.hasSuffix("/Movie/p\(movie.objectID.key)"))
        let coordinator = container.persistentStoreCoordinator
        #expect(try coordinator.objectID(forURI: uri.absoluteString) == movie.objectID)
        let id = try coordinator.managedObjectID(forURIRepresentation: uri)
        #expect(id == movie.objectID)
        let new = try context.insert(movie.entity)
        #expect(try new.uriRepresentation().lastPathComponent.hasPrefix("t"))
    }

    @Test func performRunsAtOnce() async throws {
        let context = try fill()
        var steps: [Int] = []
        steps.append(1)
        let count = try await context.perform {
            steps.append(2)
            return try context.count(FetchRequest(entity: try movie(context).entity))
        }
        try context.performAndWait {
            steps.append(3)
            _ = try context.insert(movie(context).entity)
        }
        #expect(steps == [1, 2, 3] && count == 2 && context.insertedObjects.count == 1)
        await #expect(throws: ContextError.closed) {
            try await context.perform { throw ContextError.closed }
        }
    }

    @Test func aTemplateIsARequest() throws {
        let json = """
            {"entities": [{"name": "Team", "attributes": [{"name": "name", "type": "String"},
              {"name": "points", "type": "Integer 64"}]}],
             "fetchRequests": [
              {"name": "best", "entity": "Team", "fetchLimit": 1,
               "predicate": "points >= $least AND name IN $names"}]}
            """
        let model = try Model(ManagedObjectModel(json: Array(json.utf8), name: "Teams"))
        let context = try PersistentContainer(model: model, at: ":memory:").newBackgroundContext()
        for points in 1...3 {
            let team = try context.insert(#require(model.entity(named: "Team")))
            try team.setValue(.string("team \(points)"), forKey: "name")
            try team.setValue(.int(Int64(points)), forKey: "points")
        }
        let best = try model.fetchRequestFromTemplate(
            withName: "best",
            substitutionVariables: ["least": 2, "names": ["team 1", "team 2", "team 3"]])
        var request = try #require(best)
        #expect(request.fetchLimit == 1)
        request.fetchLimit = nil
        #expect(try context.count(request) == 2)
        let worst = try model.fetchRequestFromTemplate(withName: "worst")
        #expect(worst == nil)
        let unfilled = try model.fetchRequestFromTemplate(withName: "best")
        let open = try #require(unfilled)
        #expect(throws: Stele.PredicateError.self) { try context.count(open) }
    }

    @Test func argumentsAreWrittenAsInCoreData() throws {
        let context = try fill()
        var request = FetchRequest(entity: try #require(model.entity(named: "Movie")))
        for (format, count) in [("title != %@", 2), ("title == %@", 0)] {
            request.predicate = try Stele.Predicate(format: format, nil)
            #expect(try context.count(for: request) == count)
        }
        request.predicate = try Stele.Predicate(format: "%K == %@", "title", "Vagabond")
        #expect(try context.count(for: request) == 1)
        request.predicate = try Stele.Predicate(format: "title IN $titles AND title != $not")
            .withSubstitutionVariables(["titles": ["Vagabond", "x"], "not": nil])
        #expect(try context.count(for: request) == 1)
        request.predicate = nil
        request.propertiesToFetch = [
            ExpressionDescription(name: "director", expression: .keyPath("director.name"))
        ]
        #expect(try context.rows(request) == [[.string("Agnès Varda")], [.string("Agnès Varda")]])
    }

    /// Nothing prints the numbers of bytes, or the names of cases.
    @Test func errorsAreSentences() throws {
        #expect("\(StoreError.closed)" == "the store is closed")
        #expect("\(StoreError.incompatible(code: 134100, "it is no store"))" == "it is no store")
    }
}
