// Written by stele model swift from the model Tasks: its classes.
// It is generated from the model. Put code of your own into another file.

public import Stele

public final nonisolated class Location: ManagedObject {}

nonisolated extension Location {
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

nonisolated extension ObjectKeys where Object == Location {
    public var name: AttributeKey<String> { self[attribute: "name"] }
    public var tasks: ToManyKeys<Task> { self[toMany: "tasks"] }
}

public final nonisolated class Task: ManagedObject {}

nonisolated extension Task {
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
        get { object(forKey: "location") }
        set { setObject(newValue, forKey: "location") }
    }

    @available(*, deprecated, message: "set the property, or setDestination(_:forKey:)")
    public func setLocation(_ value: Location?) throws {
        try setDestination(value, forKey: "location")
    }

    public var highPriTasks: [Task] {
        get throws { try fetched(forKey: "highPriTasks") }
    }
}

nonisolated extension ObjectKeys where Object == Task {
    public var dueDate: AttributeKey<Date> { self[attribute: "dueDate"] }
    public var priority: AttributeKey<Int16> { self[attribute: "priority"] }
    public var text: AttributeKey<String> { self[attribute: "text"] }
    public var location: ObjectKeys<Location> { self[toOne: "location"] }
}

public nonisolated enum TasksModel: TypedModel {
    public static let embedded = EmbeddedModel(
        name: "Tasks",
        currentVersion: "Tasks",
        versions: [
            #"""
            {
              "name": "Tasks",
              "toolAttributes": {
                "lastSavedToolsVersion": "22758",
                "systemVersion": "23E224",
                "minimumToolsVersion": "Automatic",
                "sourceLanguage": "Swift"
              },
              "entities": [
                {
                  "name": "Location",
                  "class": "Location",
                  "attributes": [
                    {
                      "name": "name",
                      "type": "String",
                      "optional": false
                    }
                  ],
                  "relationships": [
                    {
                      "name": "tasks",
                      "destination": "Task",
                      "inverse": "location",
                      "toMany": true,
                      "optional": true,
                      "deleteRule": "Nullify"
                    }
                  ],
                  "syncable": true,
                  "codeGeneration": "class"
                },
                {
                  "name": "Task",
                  "class": "Task",
                  "attributes": [
                    {
                      "name": "dueDate",
                      "type": "Date",
                      "optional": true,
                      "scalar": false
                    },
                    {
                      "name": "isOverdue",
                      "type": "Boolean",
                      "optional": true,
                      "transient": true,
                      "scalar": false
                    },
                    {
                      "name": "priority",
                      "type": "Integer 16",
                      "optional": false,
                      "default": 0,
                      "minimum": 0,
                      "maximum": 3,
                      "scalar": true
                    },
                    {
                      "name": "text",
                      "type": "String",
                      "optional": false,
                      "default": "Text"
                    }
                  ],
                  "relationships": [
                    {
                      "name": "location",
                      "destination": "Location",
                      "inverse": "tasks",
                      "toMany": false,
                      "optional": true,
                      "deleteRule": "Nullify"
                    }
                  ],
                  "fetchedProperties": [
                    {
                      "name": "highPriTasks",
                      "optional": true,
                      "fetchRequest": {
                        "entity": "Task",
                        "predicate": "priority == 3"
                      }
                    }
                  ],
                  "syncable": true,
                  "codeGeneration": "class"
                }
              ],
              "fetchRequests": [
                {
                  "name": "tasksDueSooner",
                  "entity": "Task",
                  "predicate": "dueDate < $DUE_DATE",
                  "toolAttributes": {
                    "includeSubentities": "YES"
                  }
                }
              ]
            }
            """#
        ])

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
