// Written by stele model swift from the model BasicApplication: its classes.
// It is generated from the model. Put code of your own into another file.

public import Stele

public final nonisolated class Event: ManagedObject {}

nonisolated extension Event {
    public var timeStamp: Date? {
        get { attribute(forKey: "timeStamp") }
        set { setAttribute(newValue, forKey: "timeStamp") }
    }
}

nonisolated extension ObjectKeys where Object == Event {
    public var timeStamp: AttributeKey<Date> { self[attribute: "timeStamp"] }
}

public nonisolated enum BasicApplicationModel: TypedModel {
    public static let embedded = EmbeddedModel(
        name: "BasicApplication",
        currentVersion: "BasicApplication",
        versions: [
            #"""
            {
              "name": "BasicApplication",
              "toolAttributes": {
                "lastSavedToolsVersion": "22758",
                "systemVersion": "23E224",
                "minimumToolsVersion": "Automatic",
                "sourceLanguage": "Swift"
              },
              "entities": [
                {
                  "name": "Event",
                  "class": "Event",
                  "attributes": [
                    {
                      "name": "timeStamp",
                      "type": "Date",
                      "optional": true,
                      "scalar": false
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
            "Event", Event.self,
            [
                "timeStamp": .attribute(.date)
            ]),
    ]
}
