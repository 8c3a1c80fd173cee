// Written by stele model swift from the model OrgChart: Organization.
// It is generated from the model. Put code of your own into another file.

import SteleGraph

public final class Organization: ManagedObject {}

extension Organization {
    public var id_: Int32 {
        get { attribute(forKey: "id") ?? 0 }
        set { setAttribute(newValue, forKey: "id") }
    }

    public var name: String? {
        get { attribute(forKey: "name") }
        set { setAttribute(newValue, forKey: "name") }
    }

    public var leader: Person? {
        get throws { try destination(forKey: "leader") }
    }

    public func setLeader(_ value: Person?) throws {
        try setDestination(value, forKey: "leader")
    }
}

// Written by stele model swift from the model OrgChart: Person.
// It is generated from the model. Put code of your own into another file.

import SteleGraph

public final class Person: ManagedObject {}

extension Person {
    public var id_: Int32 {
        get { attribute(forKey: "id") ?? 0 }
        set { setAttribute(newValue, forKey: "id") }
    }

    public var name: String? {
        get { attribute(forKey: "name") }
        set { setAttribute(newValue, forKey: "name") }
    }

    public var employees: Set<Person> {
        get throws { try members(forKey: "employees") }
    }

    public func setEmployees(_ values: Set<Person>) throws {
        try setMembers(values, forKey: "employees")
    }

    public func addToEmployees(_ value: Person) throws {
        try addMembers([value], forKey: "employees")
    }

    public func addToEmployees(_ values: Set<Person>) throws {
        try addMembers(values, forKey: "employees")
    }

    public func removeFromEmployees(_ value: Person) throws {
        try removeMembers([value], forKey: "employees")
    }

    public func removeFromEmployees(_ values: Set<Person>) throws {
        try removeMembers(values, forKey: "employees")
    }
}

// Written by stele model swift from the model OrgChart: its classes.
// It is generated from the model. Put code of your own into another file.

import SteleGraph
import SteleModel

public enum OrgChartModel: TypedModel {
    public static let entities: [TypedEntity] = [
        TypedEntity(
            "Organization", Organization.self,
            [
                "id": .attribute(.integer32),
                "name": .attribute(.string),
                "leader": .toOne("Person"),
            ]),
        TypedEntity(
            "Person", Person.self,
            [
                "id": .attribute(.integer32),
                "name": .attribute(.string),
                "employees": .toMany("Person"),
            ]),
    ]
}
