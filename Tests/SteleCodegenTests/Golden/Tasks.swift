// Written by stele model swift from the model Tasks: Location.
// It is generated from the model. Put code of your own into another file.

import SteleGraph

public final class Location: ManagedObject {}

extension Location {
    public var latitude: Double? {
        get { attribute(forKey: "latitude") }
        set { setAttribute(newValue, forKey: "latitude") }
    }

    public var longitude: Double? {
        get { attribute(forKey: "longitude") }
        set { setAttribute(newValue, forKey: "longitude") }
    }

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

    public var highPriTasks: [Task] {
        get throws { try fetched(forKey: "highPriTasks") }
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

    public var isDone: Bool {
        get { attribute(forKey: "isDone") ?? false }
        set { setAttribute(newValue, forKey: "isDone") }
    }

    public var priority: Int16 {
        get { attribute(forKey: "priority") ?? 0 }
        set { setAttribute(newValue, forKey: "priority") }
    }

    public var title: String? {
        get { attribute(forKey: "title") }
        set { setAttribute(newValue, forKey: "title") }
    }

    public var location: Location? {
        get throws { try destination(forKey: "location") }
    }

    public func setLocation(_ value: Location?) throws {
        try setDestination(value, forKey: "location")
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
                "latitude": .attribute(.double),
                "longitude": .attribute(.double),
                "name": .attribute(.string),
                "tasks": .toMany("Task"),
                "highPriTasks": .fetched("Task"),
            ]),
        TypedEntity(
            "Task", Task.self,
            [
                "dueDate": .attribute(.date),
                "isDone": .attribute(.boolean),
                "priority": .attribute(.integer16),
                "title": .attribute(.string),
                "location": .toOne("Location"),
            ]),
    ]
}
