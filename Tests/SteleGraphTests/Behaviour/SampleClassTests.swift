// The Tasks and Shapes samples with classes of their own, for what the books compute and validate
// in code.

import Foundation
import SteleModel
import StelePersistence
import SteleTransformers
import TestSupport
import Testing

@testable import SteleGraph

/// A task that computes `isOverdue`, and must have a due date if its priority is high.
private final class TaskObject: ManagedObject {
    override func awakeFromFetch() {
        guard case .date(let due) = self["dueDate"] else { return }
        self["isOverdue"] = .bool(due < Date().timeIntervalSinceReferenceDate)
    }

    override func validateForInsert() throws {
        try super.validateForInsert()
        try validateDueDate()
    }

    override func validateForUpdate() throws {
        try super.validateForUpdate()
        try validateDueDate()
    }

    private func validateDueDate() throws {
        guard self["priority"] == .int(3), self["dueDate"] == .null else { return }
        throw ValidationError(
            .invalid, entity: entity, key: objectID.key, property: "dueDate",
            message: "a task of high priority must have a due date",
            detail: "dueDate of \(entity.name) is null")
    }
}

/// A shape that must not have a transparent color.
private final class ShapeObject: ManagedObject {
    override func validateForInsert() throws {
        try super.validateForInsert()
        try validateColor()
    }

    override func validateForUpdate() throws {
        try super.validateForUpdate()
        try validateColor()
    }

    private func validateColor() throws {
        let color: [Double]? = try transformable(forKey: "color")
        guard color?.last == 0 else { return }
        throw ValidationError(
            .invalid, entity: entity, key: objectID.key, property: "color",
            message: "a color must not be transparent",
            detail: "color of \(entity.name) is transparent")
    }
}

@Suite struct SampleClassTests {
    init() { ValueTransformers.registerStandard() }

    @Test(arguments: StoreKind.allCases)
    func aTaskIsOverdueIfItIsDueBeforeNow(_ kind: StoreKind) throws {
        let fixture = try Fixture(
            try sampleModel("Tasks"), kind, classes: ["Task": TaskObject.self])
        let now = Date().timeIntervalSinceReferenceDate
        try fixture.change { context in
            for due in [Value.date(now - 60), .date(now + 3_600), .null] {
                try context.insert(try fixture.entity("Task"))["dueDate"] = due
            }
        }
        let context = fixture.context()
        let tasks = try context.fetch(try fixture.request("Task", sort: "dueDate"))
        #expect(tasks.map { $0["isOverdue"] } == [.null, .bool(true), .bool(false)])
        #expect(!context.hasChanges)
    }

    @Test(arguments: StoreKind.allCases)
    func aTaskOfHighPriorityNeedsADueDate(_ kind: StoreKind) throws {
        let fixture = try Fixture(
            try sampleModel("Tasks"), kind, classes: ["Task": TaskObject.self])
        let context = fixture.coordinator.newContext(retainsRegisteredObjects: true)
        let task = try context.insert(try fixture.entity("Task"))
        task["priority"] = .int(3)
        #expect(try codes { try context.save() } == [1550])
        task["dueDate"] = .date(0)
        try context.save()
        task["dueDate"] = .null
        #expect(try codes { try context.save() } == [1550])
        task["priority"] = .int(2)
        try context.save()
        #expect(try fixture.count("Task") == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func aTransparentColorIsRefused(_ kind: StoreKind) throws {
        let fixture = try Fixture(
            try sampleModel("Shapes"), kind, classes: ["Shape": ShapeObject.self])
        let context = fixture.coordinator.newContext(retainsRegisteredObjects: true)
        let circle = try context.insert(try fixture.entity("Circle"))
        try circle.setTransformable([1, 0.84, 0, 0] as [Double]?, forKey: "color")
        #expect(try codes { try context.save() } == [1550])
        try circle.setTransformable([1, 0.84, 0, 1] as [Double]?, forKey: "color")
        try context.save()
        let read = try fixture.coordinator.newContext().get(circle.objectID)
        let color: [Double]? = try read.transformable(forKey: "color")
        #expect(color == [1, 0.84, 0, 1])
    }
}
