import SteleModel

/// A checked model of a JSON text with the entities alone.
func model(_ entities: String, composites: String = "[]", name: String = "M") throws -> Model {
    let text = #"{"entities": \#(entities), "composites": \#(composites)}"#
    return try Model(ManagedObjectModel(json: Array(text.utf8), name: name))
}

/// The JSON form of an entity with attributes given as `name: Type` and further fields.
func entity(_ name: String, _ attributes: String..., more: String = "") -> String {
    let list = attributes.map { text -> String in
        let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
        let rest = parts[1].split(separator: ",", maxSplits: 1).map(String.init)
        let type = rest[0].drop(while: { $0 == " " })
        let fields = rest.count > 1 ? ", " + rest[1] : ""
        return #"{"name": "\#(parts[0])", "type": "\#(type)"\#(fields)}"#
    }
    let fields = more.isEmpty ? "" : ", " + more
    return #"{"name": "\#(name)", "attributes": [\#(list.joined(separator: ", "))]\#(fields)}"#
}

/// Entities Team and Player with a relationship from each to the other.
func league(players: String, team: String) -> String {
    let toPlayers = #""name": "players", "destination": "Player", "inverse": "team""#
    let toTeam = #""name": "team", "destination": "Team", "inverse": "players""#
    return "["
        + entity("Team", more: #""relationships": [{\#(toPlayers), \#(players)}]"#) + ","
        + entity("Player", more: #""relationships": [{\#(toTeam), \#(team)}]"#) + "]"
}
