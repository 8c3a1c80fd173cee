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

    public var notes: [Note] {
        get throws { try members(forKey: "notes") }
    }

    public func setNotes(_ values: [Note]) throws {
        try setMembers(values, forKey: "notes")
    }

    public func addToNotes(_ value: Note) throws {
        try addMembers([value], forKey: "notes")
    }

    public func addToNotes(_ values: [Note]) throws {
        try addMembers(values, forKey: "notes")
    }

    public func removeFromNotes(_ value: Note) throws {
        try removeMembers([value], forKey: "notes")
    }

    public func removeFromNotes(_ values: [Note]) throws {
        try removeMembers(values, forKey: "notes")
    }

    public func insertIntoNotes(_ value: Note, at index: Int) throws {
        try insertMembers([value], forKey: "notes", at: index)
    }

    public func insertIntoNotes(_ values: [Note], at index: Int) throws {
        try insertMembers(values, forKey: "notes", at: index)
    }

    public func removeFromNotes(at index: Int) throws {
        try removeMember(forKey: "notes", at: index)
    }

    public func replaceNotes(at index: Int, with value: Note) throws {
        try replaceMember(forKey: "notes", at: index, with: value)
    }
}

// Written by stele model swift from the model Stash: Note.
// It is generated from the model. Put code of your own into another file.

import SteleGraph

public final class Note: ManagedObject {}

extension Note {
    public var body: String? {
        get { attribute(forKey: "body") }
        set { setAttribute(newValue, forKey: "body") }
    }

    public var createdAt: Date? {
        get { attribute(forKey: "createdAt") }
        set { setAttribute(newValue, forKey: "createdAt") }
    }

    public var title: String? {
        get { attribute(forKey: "title") }
        set { setAttribute(newValue, forKey: "title") }
    }

    public var list: List? {
        get throws { try destination(forKey: "list") }
    }

    public func setList(_ value: List?) throws {
        try setDestination(value, forKey: "list")
    }
}

// Written by stele model swift from the model Stash: System.
// It is generated from the model. Put code of your own into another file.

import SteleGraph

public final class System: ManagedObject {}

extension System {
    public var address: URL? {
        get { attribute(forKey: "address") }
        set { setAttribute(newValue, forKey: "address") }
    }

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
                "notes": .ordered("Note"),
            ]),
        TypedEntity(
            "Note", Note.self,
            [
                "body": .attribute(.string),
                "createdAt": .attribute(.date),
                "title": .attribute(.string),
                "list": .toOne("List"),
            ]),
        TypedEntity(
            "System", System.self,
            [
                "address": .attribute(.uri),
                "name": .attribute(.string),
                "password": .attribute(.transformable),
                "userId": .attribute(.string),
                "category": .toOne("Category"),
            ]),
    ]
}
