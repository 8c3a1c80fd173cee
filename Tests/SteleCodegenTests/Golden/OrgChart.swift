// Written by stele model swift from the model OrgChart: its classes.
// It is generated from the model. Put code of your own into another file.

public import Stele

public final nonisolated class Organization: ManagedObject {}

nonisolated extension Organization {
    public var id: Int16? {
        get { attribute(forKey: "id") }
        set { setAttribute(newValue, forKey: "id") }
    }

    public var name: String? {
        get { attribute(forKey: "name") }
        set { setAttribute(newValue, forKey: "name") }
    }

    public var leader: Person? {
        get { object(forKey: "leader") }
        set { setObject(newValue, forKey: "leader") }
    }

    @available(*, deprecated, message: "set the property, or setDestination(_:forKey:)")
    public func setLeader(_ value: Person?) throws {
        try setDestination(value, forKey: "leader")
    }
}

nonisolated extension ObjectKeys where Object == Organization {
    public var id: AttributeKey<Int16> { self[attribute: "id"] }
    public var name: AttributeKey<String> { self[attribute: "name"] }
    public var leader: ObjectKeys<Person> { self[toOne: "leader"] }
}

public final nonisolated class Person: ManagedObject {}

nonisolated extension Person {
    public var age: Int16? {
        get { attribute(forKey: "age") }
        set { setAttribute(newValue, forKey: "age") }
    }

    public var id: Int16? {
        get { attribute(forKey: "id") }
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

    public var leads: Organization? {
        get { object(forKey: "leads") }
        set { setObject(newValue, forKey: "leads") }
    }

    @available(*, deprecated, message: "set the property, or setDestination(_:forKey:)")
    public func setLeads(_ value: Organization?) throws {
        try setDestination(value, forKey: "leads")
    }

    public var manager: Person? {
        get { object(forKey: "manager") }
        set { setObject(newValue, forKey: "manager") }
    }

    @available(*, deprecated, message: "set the property, or setDestination(_:forKey:)")
    public func setManager(_ value: Person?) throws {
        try setDestination(value, forKey: "manager")
    }
}

nonisolated extension ObjectKeys where Object == Person {
    public var age: AttributeKey<Int16> { self[attribute: "age"] }
    public var id: AttributeKey<Int16> { self[attribute: "id"] }
    public var name: AttributeKey<String> { self[attribute: "name"] }
    public var employees: ToManyKeys<Person> { self[toMany: "employees"] }
    public var leads: ObjectKeys<Organization> { self[toOne: "leads"] }
    public var manager: ObjectKeys<Person> { self[toOne: "manager"] }
}

public nonisolated enum OrgChartModel: TypedModel {
    public static let embedded = EmbeddedModel(
        name: "OrgChart",
        currentVersion: "OrgChart",
        versions: [
            #"""
            {
              "name": "OrgChart",
              "toolAttributes": {
                "lastSavedToolsVersion": "22758",
                "systemVersion": "23E224",
                "minimumToolsVersion": "Automatic",
                "sourceLanguage": "Swift"
              },
              "entities": [
                {
                  "name": "Organization",
                  "class": "Organization",
                  "attributes": [
                    {
                      "name": "id",
                      "type": "Integer 16",
                      "optional": true,
                      "scalar": false
                    },
                    {
                      "name": "name",
                      "type": "String",
                      "optional": true
                    }
                  ],
                  "relationships": [
                    {
                      "name": "leader",
                      "destination": "Person",
                      "inverse": "leads",
                      "toMany": false,
                      "optional": true,
                      "deleteRule": "Nullify"
                    }
                  ],
                  "syncable": true,
                  "codeGeneration": "class"
                },
                {
                  "name": "Person",
                  "class": "Person",
                  "attributes": [
                    {
                      "name": "age",
                      "type": "Integer 16",
                      "optional": true,
                      "scalar": false
                    },
                    {
                      "name": "id",
                      "type": "Integer 16",
                      "optional": true,
                      "scalar": false
                    },
                    {
                      "name": "name",
                      "type": "String",
                      "optional": true
                    }
                  ],
                  "relationships": [
                    {
                      "name": "employees",
                      "destination": "Person",
                      "inverse": "manager",
                      "toMany": true,
                      "optional": true,
                      "deleteRule": "Cascade"
                    },
                    {
                      "name": "leads",
                      "destination": "Organization",
                      "inverse": "leader",
                      "toMany": false,
                      "optional": true,
                      "deleteRule": "Nullify"
                    },
                    {
                      "name": "manager",
                      "destination": "Person",
                      "inverse": "employees",
                      "toMany": false,
                      "optional": true,
                      "deleteRule": "Nullify"
                    }
                  ],
                  "syncable": true,
                  "codeGeneration": "class"
                }
              ]
            }
            """#
        ])

    public static let entities: [TypedEntity] = [
        TypedEntity(
            "Organization", Organization.self,
            [
                "id": .attribute(.integer16),
                "name": .attribute(.string),
                "leader": .toOne("Person"),
            ]),
        TypedEntity(
            "Person", Person.self,
            [
                "age": .attribute(.integer16),
                "id": .attribute(.integer16),
                "name": .attribute(.string),
                "employees": .toMany("Person"),
                "leads": .toOne("Organization"),
                "manager": .toOne("Person"),
            ]),
    ]
}
