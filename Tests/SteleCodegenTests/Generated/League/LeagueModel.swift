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
