// Written by stele model swift from the model Counter: its classes.
// It is generated from the model. Put code of your own into another file.

public import Stele

public final nonisolated class MyData: ManagedObject {}

nonisolated extension MyData {
    public var myAttribute: String? {
        get { attribute(forKey: "myAttribute") }
        set { setAttribute(newValue, forKey: "myAttribute") }
    }
}

nonisolated extension ObjectKeys where Object == MyData {
    public var myAttribute: AttributeKey<String> { self[attribute: "myAttribute"] }
}

public nonisolated enum CounterModel: TypedModel {
    public static let embedded = EmbeddedModel(
        name: "Counter",
        currentVersion: "Counter",
        versions: [
            #"""
            {
              "name": "Counter",
              "toolAttributes": {
                "lastSavedToolsVersion": "22758",
                "systemVersion": "23E224",
                "minimumToolsVersion": "Automatic",
                "sourceLanguage": "Swift"
              },
              "entities": [
                {
                  "name": "MyData",
                  "class": "MyData",
                  "attributes": [
                    {
                      "name": "myAttribute",
                      "type": "String",
                      "optional": true
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
            "MyData", MyData.self,
            [
                "myAttribute": .attribute(.string)
            ]),
    ]
}
