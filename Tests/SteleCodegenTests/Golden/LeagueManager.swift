// Written by stele model swift from the model LeagueManager: Player.
// It is generated from the model. Put code of your own into another file.

import SteleGraph

public final class Player: ManagedObject {}

extension Player {
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
        get throws { try destination(forKey: "team") }
    }

    public func setTeam(_ value: Team?) throws {
        try setDestination(value, forKey: "team")
    }
}

// Written by stele model swift from the model LeagueManager: Team.
// It is generated from the model. Put code of your own into another file.

import SteleGraph

public final class Team: ManagedObject {}

extension Team {
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

// Written by stele model swift from the model LeagueManager: its classes.
// It is generated from the model. Put code of your own into another file.

import SteleGraph
import SteleModel

public enum LeagueManagerModel: TypedModel {
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
