// Written by stele model swift from the model League: Player.
// It is generated from the model. Put code of your own into another file.

import SteleGraph

public final class Player: ManagedObject {}

extension Player {
    public var country: String? {
        get { attribute(forKey: "country") }
        set { setAttribute(newValue, forKey: "country") }
    }

    public var goals: Int32 {
        get { attribute(forKey: "goals") ?? 0 }
        set { setAttribute(newValue, forKey: "goals") }
    }

    public var joinedAt: Date? {
        get { attribute(forKey: "joinedAt") }
        set { setAttribute(newValue, forKey: "joinedAt") }
    }

    public var name: String? {
        get { attribute(forKey: "name") }
        set { setAttribute(newValue, forKey: "name") }
    }

    public var number: Int16? {
        get { attribute(forKey: "number") }
        set { setAttribute(newValue, forKey: "number") }
    }

    public var salary: Decimal? {
        get { attribute(forKey: "salary") }
        set { setAttribute(newValue, forKey: "salary") }
    }

    public var team: Team? {
        get throws { try destination(forKey: "team") }
    }

    public func setTeam(_ value: Team?) throws {
        try setDestination(value, forKey: "team")
    }
}

// Written by stele model swift from the model League: Team.
// It is generated from the model. Put code of your own into another file.

import SteleGraph

public final class Team: ManagedObject {}

extension Team {
    public var city: String? {
        get { attribute(forKey: "city") }
        set { setAttribute(newValue, forKey: "city") }
    }

    public var founded: Int16? {
        get { attribute(forKey: "founded") }
        set { setAttribute(newValue, forKey: "founded") }
    }

    public var name: String? {
        get { attribute(forKey: "name") }
        set { setAttribute(newValue, forKey: "name") }
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

// Written by stele model swift from the model League: its classes.
// It is generated from the model. Put code of your own into another file.

import SteleGraph
import SteleModel

public enum LeagueModel: TypedModel {
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
