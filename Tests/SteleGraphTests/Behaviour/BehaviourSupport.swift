// What the tests of Core Data's documented behaviour share.

import Foundation
import SteleModel
import StelePersistence
import StelePredicates
import TestSupport
import Testing

@testable import SteleGraph

/// An object that writes down what it is told, and does what it is asked to then.
class Watched: ManagedObject {
    var log: [String] = []
    var inWillSave: (Watched) -> Void = { _ in }
    var inDidSave: (Watched) -> Void = { _ in }
    /// What `validateForInsert`, `…Update` and `…Delete` find wrong.
    var complaint: String?

    override func awakeFromInsert() { log.append("insert \(entity.name) \(self["age"])") }
    override func awakeFromFetch() { log.append("fetch") }
    override func awake(fromSnapshotEvents events: SnapshotEventType) {
        log.append("snapshot \(events.rawValue) \(self["name"])")
    }
    override func willSave() {
        log.append("willSave")
        inWillSave(self)
    }
    override func didSave() {
        log.append("didSave")
        inDidSave(self)
    }
    override func prepareForDeletion() { log.append("prepare") }
    override func validateForInsert() throws { try complain("insert") }
    override func validateForUpdate() throws { try complain("update") }
    override func validateForDelete() throws { try complain("delete") }

    private func complain(_ event: String) throws {
        log.append("validate \(event)")
        guard let complaint else { return }
        throw ValidationError(
            .invalid, entity: entity, key: objectID.key, property: nil, message: complaint,
            detail: "\(event): \(complaint)")
    }

    func take() -> [String] {
        defer { log = [] }
        return log
    }
}

extension Fixture {
    /// A league whose people are `Watched`.
    static func watched(_ kind: StoreKind) throws -> Fixture {
        try Fixture(try makeLeague(), kind, classes: ["Person": Watched.self])
    }

    /// A request by predicate and sort list, as a client writes them.
    func request(
        _ name: String, _ predicate: String? = nil, sort: String? = nil
    ) throws -> FetchRequest {
        let entity = try entity(name)
        var request = FetchRequest(entity: entity)
        let check = PredicateCheck(model: model, entity: entity)
        request.predicate = try predicate.map { try check.check(Predicate(format: $0)) }
        request.sortDescriptors = try sort.map { try SortList($0).checked(by: check) } ?? []
        return request
    }

    /// Two contexts that have deleted an object and taken that back. The first has saved the deletion
    /// before, and the second was told of it.
    func contextsThatBringBack(_ id: ObjectID) throws -> [ManagedObjectContext] {
        let contexts = (0..<2).map { _ in
            let context = coordinator.newContext()
            context.undoManager = UndoManager()
            return context
        }
        for context in contexts { try context.delete(try context.get(id)) }
        try contexts[0].save()
        try contexts[1].mergeChanges(fromContextDidSave: try lastSave())
        for context in contexts { try context.undo() }
        return contexts
    }

    /// An attribute as the store has it; nil where the object is not there.
    func stored(_ name: String, _ attribute: String, of id: ObjectID) throws -> Value? {
        let reader = try store.reader()
        defer { reader.close() }
        let slot = try #require(try entity(name).attribute(named: attribute)?.slot)
        return try reader.snapshot(id)?.values[slot]
    }

    /// How many objects of an entity the store has.
    func count(_ name: String) throws -> Int {
        let reader = try store.reader()
        defer { reader.close() }
        return try reader.count(FetchRequest(entity: try entity(name)))
    }

    /// The number of the last save; that nothing was saved is that it has not changed.
    func token() throws -> Int64 {
        let reader = try store.reader()
        defer { reader.close() }
        return try reader.token
    }
}

extension Fixture {
    /// Runs what must be refused; the store is the same afterwards, and the context can go on.
    func refused<Failure: Error>(
        _ failure: Failure.Type, _ work: () throws -> Void
    ) throws -> Failure? {
        let token = try token()
        let error = #expect(throws: failure) { try work() }
        #expect(try self.token() == token)
        return error
    }
}

extension CountingStore {
    /// Expects of some work that it asks the store just so many queries.
    func expect(
        queries: Int, sourceLocation: SourceLocation = #_sourceLocation, _ work: () throws -> Void
    ) rethrows {
        let asked = try self.queries(work)
        #expect(asked == queries, sourceLocation: sourceLocation)
    }
}

/// The codes of what a save's validation finds.
func codes(_ work: () throws -> Void) throws -> [Int] {
    do { try work() } catch let errors as ValidationErrors { return errors.errors.map(\.code) }
    return []
}
