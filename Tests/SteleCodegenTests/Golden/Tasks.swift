// Written by stele model swift from the model Tasks: Location.
// It is generated from the model. Put code of your own into another file.

import SteleGraph

public final class Location: ManagedObject {}

extension Location {
    public var name: String? {
        get { attribute(forKey: "name") }
        set { setAttribute(newValue, forKey: "name") }
    }

    public var tasks: Set<Task> {
        get throws { try members(forKey: "tasks") }
    }

    public func setTasks(_ values: Set<Task>) throws {
        try setMembers(values, forKey: "tasks")
    }

    public func addToTasks(_ value: Task) throws {
        try addMembers([value], forKey: "tasks")
    }

    public func addToTasks(_ values: Set<Task>) throws {
        try addMembers(values, forKey: "tasks")
    }

    public func removeFromTasks(_ value: Task) throws {
        try removeMembers([value], forKey: "tasks")
    }

    public func removeFromTasks(_ values: Set<Task>) throws {
        try removeMembers(values, forKey: "tasks")
    }
}

// Written by stele model swift from the model Tasks: Task.
// It is generated from the model. Put code of your own into another file.

import SteleGraph

public final class Task: ManagedObject {}

extension Task {
    public var dueDate: Date? {
        get { attribute(forKey: "dueDate") }
        set { setAttribute(newValue, forKey: "dueDate") }
    }

    public var isOverdue: Bool? {
        get { attribute(forKey: "isOverdue") }
        set { setAttribute(newValue, forKey: "isOverdue") }
    }

    public var priority: Int16 {
        get { attribute(forKey: "priority") ?? 0 }
        set { setAttribute(newValue, forKey: "priority") }
    }

    public var text: String? {
        get { attribute(forKey: "text") }
        set { setAttribute(newValue, forKey: "text") }
    }

    public var location: Location? {
        get throws { try destination(forKey: "location") }
    }

    public func setLocation(_ value: Location?) throws {
        try setDestination(value, forKey: "location")
    }

    public var highPriTasks: [Task] {
        get throws { try fetched(forKey: "highPriTasks") }
    }
}

// Written by stele model swift from the model Tasks: its classes.
// It is generated from the model. Put code of your own into another file.

import SteleGraph
import SteleModel

public enum TasksModel: TypedModel {
    public static let entities: [TypedEntity] = [
        TypedEntity(
            "Location", Location.self,
            [
                "name": .attribute(.string),
                "tasks": .toMany("Task"),
            ]),
        TypedEntity(
            "Task", Task.self,
            [
                "dueDate": .attribute(.date),
                "isOverdue": .attribute(.boolean),
                "priority": .attribute(.integer16),
                "text": .attribute(.string),
                "location": .toOne("Location"),
                "highPriTasks": .fetched("Task"),
            ]),
    ]
}
