// Written by stele model swift from the model Stash: Category.
// It is generated from the model. Put code of your own into another file.

import SteleGraph

public final class Category: ManagedObject {}

extension Category {
    public var name: String? {
        get { attribute(forKey: "name") }
        set { setAttribute(newValue, forKey: "name") }
    }

    public var systems: Set<System> {
        get throws { try members(forKey: "systems") }
    }

    public func setSystems(_ values: Set<System>) throws {
        try setMembers(values, forKey: "systems")
    }

    public func addToSystems(_ value: System) throws {
        try addMembers([value], forKey: "systems")
    }

    public func addToSystems(_ values: Set<System>) throws {
        try addMembers(values, forKey: "systems")
    }

    public func removeFromSystems(_ value: System) throws {
        try removeMembers([value], forKey: "systems")
    }

    public func removeFromSystems(_ values: Set<System>) throws {
        try removeMembers(values, forKey: "systems")
    }
}

// Written by stele model swift from the model Stash: List.
// It is generated from the model. Put code of your own into another file.

import SteleGraph

public final class List: ManagedObject {}

extension List {
    public var name: String? {
        get { attribute(forKey: "name") }
        set { setAttribute(newValue, forKey: "name") }
    }

    public var version_: Int16 {
        get { attribute(forKey: "version") ?? 0 }
        set { setAttribute(newValue, forKey: "version") }
    }
}

// Written by stele model swift from the model Stash: Note.
// It is generated from the model. Put code of your own into another file.

import SteleGraph

public final class Note: ManagedObject {}

extension Note {
    public var body: String? {
        get throws { try transformable(forKey: "body") }
    }

    public func setBody(_ value: String?) throws {
        try setTransformable(value, forKey: "body")
    }

    public var title: String? {
        get { attribute(forKey: "title") }
        set { setAttribute(newValue, forKey: "title") }
    }
}

// Written by stele model swift from the model Stash: System.
// It is generated from the model. Put code of your own into another file.

import SteleGraph

public final class System: ManagedObject {}

extension System {
    public var name: String? {
        get { attribute(forKey: "name") }
        set { setAttribute(newValue, forKey: "name") }
    }

    public var password: String? {
        get throws { try transformable(forKey: "password") }
    }

    public func setPassword(_ value: String?) throws {
        try setTransformable(value, forKey: "password")
    }

    public var userId: String? {
        get { attribute(forKey: "userId") }
        set { setAttribute(newValue, forKey: "userId") }
    }

    public var category: Category? {
        get throws { try destination(forKey: "category") }
    }

    public func setCategory(_ value: Category?) throws {
        try setDestination(value, forKey: "category")
    }
}

// Written by stele model swift from the model Stash: its classes.
// It is generated from the model. Put code of your own into another file.

import SteleGraph
import SteleModel

public enum StashModel: TypedModel {
    public static let entities: [TypedEntity] = [
        TypedEntity(
            "Category", Category.self,
            [
                "name": .attribute(.string),
                "systems": .toMany("System"),
            ]),
        TypedEntity(
            "List", List.self,
            [
                "name": .attribute(.string),
                "version": .attribute(.integer16),
            ]),
        TypedEntity(
            "Note", Note.self,
            [
                "body": .attribute(.transformable),
                "title": .attribute(.string),
            ]),
        TypedEntity(
            "System", System.self,
            [
                "name": .attribute(.string),
                "password": .attribute(.transformable),
                "userId": .attribute(.string),
                "category": .toOne("Category"),
            ]),
    ]
}
