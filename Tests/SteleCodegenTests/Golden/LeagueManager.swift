// Written by stele model swift from the model LeagueManager: its classes.
// It is generated from the model. Put code of your own into another file.

public import Stele

public final nonisolated class Player: ManagedObject {}

nonisolated extension Player {
    public var email: String? {
        get { attribute(forKey: "email") }
        set { setAttribute(newValue, forKey: "email") }
    }

    public var firstName: String? {
        get { attribute(forKey: "firstName") }
        set { setAttribute(newValue, forKey: "firstName") }
    }

    public var lastName: String? {
        get { attribute(forKey: "lastName") }
        set { setAttribute(newValue, forKey: "lastName") }
    }

    public var team: Team? {
        get { object(forKey: "team") }
        set { setObject(newValue, forKey: "team") }
    }

    @available(*, deprecated, message: "set the property, or setDestination(_:forKey:)")
    public func setTeam(_ value: Team?) throws {
        try setDestination(value, forKey: "team")
    }
}

nonisolated extension ObjectKeys where Object == Player {
    public var email: AttributeKey<String> { self[attribute: "email"] }
    public var firstName: AttributeKey<String> { self[attribute: "firstName"] }
    public var lastName: AttributeKey<String> { self[attribute: "lastName"] }
    public var team: ObjectKeys<Team> { self[toOne: "team"] }
}

public final nonisolated class Team: ManagedObject {}

nonisolated extension Team {
    public var name: String? {
        get { attribute(forKey: "name") }
        set { setAttribute(newValue, forKey: "name") }
    }

    public var uniformColor: String? {
        get { attribute(forKey: "uniformColor") }
        set { setAttribute(newValue, forKey: "uniformColor") }
    }

    public var players: Set<Player> {
        get throws { try members(forKey: "players") }
    }

    public func setPlayers(_ values: Set<Player>) throws {
        try setMembers(values, forKey: "players")
    }

    public func addToPlayers(_ value: Player) throws {
        try addMembers([value], forKey: "players")
    }

    public func addToPlayers(_ values: Set<Player>) throws {
        try addMembers(values, forKey: "players")
    }

    public func removeFromPlayers(_ value: Player) throws {
        try removeMembers([value], forKey: "players")
    }

    public func removeFromPlayers(_ values: Set<Player>) throws {
        try removeMembers(values, forKey: "players")
    }
}

nonisolated extension ObjectKeys where Object == Team {
    public var name: AttributeKey<String> { self[attribute: "name"] }
    public var uniformColor: AttributeKey<String> { self[attribute: "uniformColor"] }
    public var players: ToManyKeys<Player> { self[toMany: "players"] }
}

public nonisolated enum LeagueManagerModel: TypedModel {
    public static let embedded = EmbeddedModel(
        name: "LeagueManager",
        currentVersion: "LeagueManager",
        versions: [
            #"""
            {
              "name": "LeagueManager",
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
                      "name": "email",
                      "type": "String",
                      "optional": true
                    },
                    {
                      "name": "firstName",
                      "type": "String",
                      "optional": true
                    },
                    {
                      "name": "lastName",
                      "type": "String",
                      "optional": true
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
                  "syncable": true,
                  "codeGeneration": "class"
                },
                {
                  "name": "Team",
                  "class": "Team",
                  "attributes": [
                    {
                      "name": "name",
                      "type": "String",
                      "optional": true
                    },
                    {
                      "name": "uniformColor",
                      "type": "String",
                      "optional": true
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
                "email": .attribute(.string),
                "firstName": .attribute(.string),
                "lastName": .attribute(.string),
                "team": .toOne("Team"),
            ]),
        TypedEntity(
            "Team", Team.self,
            [
                "name": .attribute(.string),
                "uniformColor": .attribute(.string),
                "players": .toMany("Player"),
            ]),
    ]
}
