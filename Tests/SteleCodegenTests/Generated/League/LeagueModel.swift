// Written by stele model swift from the model League: its classes.
// It is generated from the model. Put code of your own into another file.

public import Stele

public nonisolated enum LeagueModel: TypedModel {
    public static let embedded = EmbeddedModel(
        name: "League",
        currentVersion: "League",
        versions: [
            #"""
            {
              "name": "League",
              "toolAttributes": {
                "lastSavedToolsVersion": "22758",
                "systemVersion": "23E224",
                "minimumToolsVersion": "Automatic",
                "sourceLanguage": "Swift"
              },
              "entities": [
                {
                  "name": "Player",
                  "class": "Player",
                  "attributes": [
                    {
                      "name": "country",
                      "type": "String",
                      "optional": true,
                      "minimum": 2,
                      "maximum": 2
                    },
                    {
                      "name": "goals",
                      "type": "Integer 32",
                      "optional": true,
                      "default": 0,
                      "minimum": 0,
                      "scalar": true
                    },
                    {
                      "name": "joinedAt",
                      "type": "Date",
                      "optional": true,
                      "scalar": false
                    },
                    {
                      "name": "name",
                      "type": "String",
                      "optional": false,
                      "minimum": 1,
                      "maximum": 100
                    },
                    {
                      "name": "number",
                      "type": "Integer 16",
                      "optional": true,
                      "minimum": 1,
                      "maximum": 99,
                      "scalar": false
                    },
                    {
                      "name": "salary",
                      "type": "Decimal",
                      "optional": true,
                      "minimum": 0
                    }
                  ],
                  "relationships": [
                    {
                      "name": "team",
                      "destination": "Team",
                      "inverse": "players",
                      "toMany": false,
                      "optional": true,
                      "deleteRule": "Nullify"
                    }
                  ],
                  "indexes": [
                    {
                      "name": "byName",
                      "elements": [
                        "name"
                      ]
                    }
                  ],
                  "syncable": true,
                  "codeGeneration": "class"
                },
                {
                  "name": "Team",
                  "class": "Team",
                  "attributes": [
                    {
                      "name": "city",
                      "type": "String",
                      "optional": true
                    },
                    {
                      "name": "founded",
                      "type": "Integer 16",
                      "optional": true,
                      "minimum": 1800,
                      "maximum": 2100,
                      "scalar": false
                    },
                    {
                      "name": "name",
                      "type": "String",
                      "optional": false,
                      "minimum": 1,
                      "maximum": 100
                    }
                  ],
                  "relationships": [
                    {
                      "name": "players",
                      "destination": "Player",
                      "inverse": "team",
                      "toMany": true,
                      "optional": true,
                      "deleteRule": "Cascade"
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
            "Player", Player.self,
            [
                "country": .attribute(.string),
                "goals": .attribute(.integer32),
                "joinedAt": .attribute(.date),
                "name": .attribute(.string),
                "number": .attribute(.integer16),
                "salary": .attribute(.decimal),
                "team": .toOne("Team"),
            ]),
        TypedEntity(
            "Team", Team.self,
            [
                "city": .attribute(.string),
                "founded": .attribute(.integer16),
                "name": .attribute(.string),
                "players": .toMany("Player"),
            ]),
    ]
}
