// What goes when a context lets go of it asks that context in turn: never in the middle of a change.

import SteleModel
import StelePersistence
import TestSupport
import Testing

@testable import SteleGraph

@Suite struct LettingGoTests {
    /// The last reference to an object may be the one that its context has.
    @Test(arguments: StoreKind.allCases)
    func aContextIsClosedWithWhatNobodyElseHolds(_ kind: StoreKind) throws {
        let fixture = try Fixture(try makeLeague(), kind)
        let ids = try fixture.insert("Person", count: 3)
        let context = fixture.coordinator.newContext()
        for id in ids {
            try context.get(id)["name"] = .string("Bo")
            try context.refresh(try context.get(id), mergeChanges: false)
        }
        #expect(context.registeredObjects.count == ids.count && context.changes.touched.isEmpty)
        context.close()
        #expect(context.registeredObjects.isEmpty)
    }

    /// Another object takes its place under its identity.
    @Test(arguments: StoreKind.allCases)
    func anObjectIsReplacedThatNobodyElseHolds(_ kind: StoreKind) throws {
        let fixture = try Fixture(try makeLeague(), kind)
        let id = try fixture.insert("Person")[0]
        let context = fixture.coordinator.newContext()
        try context.get(id)["name"] = .string("Bo")
        try context.refresh(try context.get(id), mergeChanges: false)
        let other = try fixture.coordinator.newContext(retainsRegisteredObjects: true).get(id)
        context.registry.retain(other)
        #expect(context.registeredObject(for: id) === other)
        context.registry.remove(other)
        #expect(context.registeredObject(for: id) == nil)
    }

    /// An observer may hold what observes, too, and is let go of with the last reference to it.
    @Test(arguments: [false, true])
    func anObserverHoldsAnothersObservation(isClosed: Bool) throws {
        final class Holder {
            var observation: ContextObservation?
        }
        let context = try Fixture.league().coordinator.newContext()
        var holder: Holder? = Holder()
        holder?.observation = context.observe { _ in }
        let observation = context.observe { [holder] _ in withExtendedLifetime(holder) {} }
        holder = nil
        #expect(context.observers?.count == 2)
        if isClosed { context.close() } else { observation.cancel() }
        #expect(!context.isObserved)
    }
}
