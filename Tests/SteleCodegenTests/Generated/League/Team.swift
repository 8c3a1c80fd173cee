// Written by stele model swift from the model League: Team.
// It is generated from the model. Put code of your own into another file.

public import Stele

public final nonisolated class Team: ManagedObject {}

nonisolated extension Team {
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

nonisolated extension ObjectKeys where Object == Team {
    public var city: AttributeKey<String> { self[attribute: "city"] }
    public var founded: AttributeKey<Int16> { self[attribute: "founded"] }
    public var name: AttributeKey<String> { self[attribute: "name"] }
    public var players: ToManyKeys<Player> { self[toMany: "players"] }
}
