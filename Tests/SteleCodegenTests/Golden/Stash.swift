// Written by stele model swift from the model Stash: its classes.
// It is generated from the model. Put code of your own into another file.

public import Stele

public final nonisolated class Category: ManagedObject {}

nonisolated extension Category {
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

nonisolated extension ObjectKeys where Object == Category {
    public var name: AttributeKey<String> { self[attribute: "name"] }
    public var systems: ToManyKeys<System> { self[toMany: "systems"] }
}

public final nonisolated class List: ManagedObject {}

nonisolated extension List {
    public var name: String? {
        get { attribute(forKey: "name") }
        set { setAttribute(newValue, forKey: "name") }
    }

    public var version_: Int16 {
        get { attribute(forKey: "version") ?? 0 }
        set { setAttribute(newValue, forKey: "version") }
    }
}

nonisolated extension ObjectKeys where Object == List {
    public var name: AttributeKey<String> { self[attribute: "name"] }
    public var version_: AttributeKey<Int16> { self[attribute: "version"] }
}

public final nonisolated class Note: ManagedObject {}

nonisolated extension Note {
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

nonisolated extension ObjectKeys where Object == Note {
    public var title: AttributeKey<String> { self[attribute: "title"] }
}

public final nonisolated class System: ManagedObject {}

nonisolated extension System {
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
        get { object(forKey: "category") }
        set { setObject(newValue, forKey: "category") }
    }

    @available(*, deprecated, message: "set the property, or setDestination(_:forKey:)")
    public func setCategory(_ value: Category?) throws {
        try setDestination(value, forKey: "category")
    }
}

nonisolated extension ObjectKeys where Object == System {
    public var name: AttributeKey<String> { self[attribute: "name"] }
    public var userId: AttributeKey<String> { self[attribute: "userId"] }
    public var category: ObjectKeys<Category> { self[toOne: "category"] }
}

public nonisolated enum StashModel: TypedModel {
    public static let embedded = EmbeddedModel(
        name: "Stash",
        currentVersion: "Stash",
        versions: [
            #"""
            {
              "name": "Stash",
              "toolAttributes": {
                "lastSavedToolsVersion": "22758",
                "systemVersion": "23E224",
                "minimumToolsVersion": "Automatic",
                "sourceLanguage": "Swift"
              },
              "entities": [
                {
                  "name": "Category",
                  "class": "Category",
                  "attributes": [
                    {
                      "name": "name",
                      "type": "String",
                      "optional": true
                    }
                  ],
                  "relationships": [
                    {
                      "name": "systems",
                      "destination": "System",
                      "inverse": "category",
                      "toMany": true,
                      "optional": true,
                      "deleteRule": "Nullify"
                    }
                  ],
                  "syncable": true,
                  "codeGeneration": "class"
                },
                {
                  "name": "List",
                  "class": "List",
                  "attributes": [
                    {
                      "name": "name",
                      "type": "String",
                      "optional": false
                    },
                    {
                      "name": "version",
                      "type": "Integer 16",
                      "optional": true,
                      "default": 0,
                      "scalar": true
                    }
                  ],
                  "uniquenessConstraints": [
                    [
                      "name"
                    ]
                  ],
                  "syncable": true,
                  "codeGeneration": "class"
                },
                {
                  "name": "Note",
                  "class": "Note",
                  "attributes": [
                    {
                      "name": "body",
                      "type": "Transformable",
                      "optional": true,
                      "valueTransformer": "AESGCMTransformer",
                      "class": "String"
                    },
                    {
                      "name": "title",
                      "type": "String",
                      "optional": true
                    }
                  ],
                  "syncable": true,
                  "codeGeneration": "class"
                },
                {
                  "name": "System",
                  "class": "System",
                  "attributes": [
                    {
                      "name": "name",
                      "type": "String",
                      "optional": true
                    },
                    {
                      "name": "password",
                      "type": "Transformable",
                      "optional": true,
                      "valueTransformer": "AESGCMTransformer",
                      "class": "String"
                    },
                    {
                      "name": "userId",
                      "type": "String",
                      "optional": true,
                      "minimum": 3,
                      "maximum": 10,
                      "regularExpression": "[A-Za-z0-9]*"
                    }
                  ],
                  "relationships": [
                    {
                      "name": "category",
                      "destination": "Category",
                      "inverse": "systems",
                      "toMany": false,
                      "optional": true,
                      "deleteRule": "Nullify"
                    }
                  ],
                  "syncable": true,
                  "codeGeneration": "class"
                }
              ],
              "configurations": [
                {
                  "name": "Notes",
                  "entities": [
                    "Note"
                  ]
                },
                {
                  "name": "Passwords",
                  "entities": [
                    "System",
                    "Category",
                    "List"
                  ]
                }
              ]
            }
            """#
        ])

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
