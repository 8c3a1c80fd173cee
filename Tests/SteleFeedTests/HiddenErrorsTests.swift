// What the errors and orders of writes show of objects that a role does not see.

import SteleJSON
import SteleModel
import StelePersistence
import TestSupport
import Testing

@testable import SteleHTTP

@Suite struct HiddenErrorsTests {
    /// A club has players in an order, who have medals and shirts; a shirt is unique in a team.
    private static let model = """
        {"name": "Clubs", "entities": [
            {"name": "Club", "attributes": [{"name": "name", "type": "String"}],
             "relationships": [
                {"name": "players", "destination": "Player", "inverse": "club", "toMany": true,
                 "ordered": true, "deleteRule": "Cascade"}]},
            {"name": "Player", "attributes": [{"name": "name", "type": "String"}],
             "uniquenessConstraints": [["name", "club"]],
             "relationships": [
                {"name": "club", "destination": "Club", "inverse": "players"},
                {"name": "medals", "destination": "Medal", "inverse": "player", "toMany": true,
                 "deleteRule": "Deny"}]},
            {"name": "Captain", "parent": "Player"},
            {"name": "Medal", "attributes": [{"name": "name", "type": "String"},
                {"name": "grade", "type": "Integer 16"},
                {"name": "of", "type": "String", "derivation": "player.name"}],
             "relationships": [
                {"name": "player", "destination": "Player", "inverse": "medals"}]}]}
        """

    private static let data = """
        [{"op":"insert","entity":"Club","as":"c1","values":{"name":"seen"}},
         {"op":"insert","entity":"Club","as":"c2","values":{"name":"hidden"}},
         {"op":"insert","entity":"Player","as":"p1","values":{"name":"a","club":{"_ref":"c2"}}},
         {"op":"insert","entity":"Player","as":"p2","values":{"name":"b","club":{"_ref":"c2"}}},
         {"op":"insert","entity":"Player","as":"p3","values":{"name":"x1","club":{"_ref":"c1"}}},
         {"op":"insert","entity":"Captain","as":"p4","values":{"name":"x2","club":{"_ref":"c1"}}},
         {"op":"insert","entity":"Player","as":"p5","values":{"name":"d","club":{"_ref":"c1"}}},
         {"op":"insert","entity":"Player","as":"p6","values":{"name":"e","club":{"_ref":"c1"}}},
         {"op":"insert","entity":"Medal","as":"m1","values":{"name":"x","player":{"_ref":"p3"}}},
         {"op":"insert","entity":"Medal","as":"m2","values":{"name":"y","player":{"_ref":"p4"}}}]
        """

    private func stage(_ kind: StoreKind) throws -> RightsStage {
        let all = #""create": true, "update": true, "delete": true"#
        let role = """
            {"Club": {"read": "name != 'hidden'", \(all)},
             "Player": {"read": "NOT name BEGINSWITH 'x'", \(all)},
             "Medal": {"read": "name != 'x'", \(all)}}
            """
        return try RightsStage(
            kind, rights: RightsModel.rights(role: role),
            model: try RightsModel.model(Self.model), data: Self.data
        ) {
            $0.limits.liveIdleSeconds = 0.01
            $0.heartbeatSeconds = 0.02
        }
    }

    private func body(_ response: Response) throws -> JSONNode {
        try JSONDocument(LiveStage.text(response)).root
    }

    @Test(arguments: [StoreKind.sqlite, .memory])
    func aConflictShowsNoLinkToAHiddenObject(_ kind: StoreKind) throws {
        let response = try stage(kind).ask("ann", "PATCH", "/Player/2", #"{"name":"a"}"#)
        #expect(response.status == 409)
        let body = try body(response)
        #expect(body["object"]?.string == "/Player/1")
        #expect(body["values"]?[0]?.string == "a" && body["values"]?[1]?.kind == .null)
    }

    /// Two hidden players have medals, one of them of a subentity.
    @Test(arguments: [StoreKind.sqlite, .memory])
    func hiddenObjectsThatDenyAreNotCounted(_ kind: StoreKind) throws {
        let stage = try stage(kind)
        func told() throws -> [UInt8] {
            let response = stage.ask("ann", "DELETE", "/Club/1")
            #expect(response.status == 409)
            return try body(response).canonical
        }
        let two = try told()
        let errors = try JSONDocument(two).root["errors"]
        #expect(errors?.count == 1 && errors?[0]?["entity"]?.string == "Player")
        #expect(errors?[0]?["object"] == nil && errors?[0]?["key"] == nil)
        try stage.write("DELETE", "/Medal/1")
        #expect(try told() == two)
    }

    /// The members of a list that is followed are numbered among those that are seen.
    @Test(arguments: [StoreKind.sqlite, .memory])
    func hiddenMembersDoNotMoveOthers(_ kind: StoreKind) throws {
        let stage = try stage(kind)
        let client = try stage.stream("ann", "/Club/1/players?select=_id")
        #expect(client.wait(for: 1))
        // A hidden one goes to the end, and comes back.
        for order in ["[4,5,6,3]", "[5,3,6,4]", "[3,4,5,6]"] {
            try stage.write("PUT", "/Club/1/players", order)
        }
        try stage.write("PUT", "/Club/1/players", "[3,4,6,5]")
        #expect(client.wait(for: 2))
        #expect(client.events.map(\.name) == ["snapshot", "change"])
        let change = try client.data(1)
        #expect(change["moves"]?.count == 1 && change["updates"]?.count == 0)
    }

    /// How the rows looked to the client is not known, and an update of one that looks the same would
    /// tell of hidden objects.
    @Test(arguments: [StoreKind.sqlite, .memory])
    func whoComesBackIsNotToldOfHiddenObjects(_ kind: StoreKind) throws {
        let stage = try stage(kind)
        let target = "/Club?select=name,players.name"
        let client = try stage.stream("ann", target)
        #expect(client.wait(for: 1))
        let id = client.lastEventID
        client.stream.drop()
        try waitUntil { stage.service.liveQueries.figures.queries == 0 }
        try stage.write("PATCH", "/Player/3", #"{"name":"x3"}"#)
        let back = try stage.stream("ann", target, resuming: id)
        #expect(back.wait(for: 1))
        #expect(back.events.map(\.name) == ["snapshot"])
        #expect(back.events[0].data == client.events[0].data)
    }

    /// The same where the member moves for another reason.
    @Test(arguments: [StoreKind.sqlite, .memory])
    func aMoveDoesNotTellOfHiddenObjects(_ kind: StoreKind) throws {
        let stage = try stage(kind)
        try stage.write("POST", "/Medal", #"{"name":"x","player":6}"#)
        let client = try stage.stream("ann", "/Club/1/players?include=medals")
        #expect(client.wait(for: 1))
        try stage.write(
            "POST", "/transactions",
            """
            [{"op":"update","object":"Club/1","values":{"players":[6,3,4,5]}},
             {"op":"update","object":"Medal/3","values":{"grade":1}}]
            """)
        #expect(client.wait(for: 2))
        #expect(try client.data(1)["moves"]?[0]?["updated"]?.count == 0)
    }

    /// A hidden object that changes by derived values does not move others.
    @Test(arguments: [StoreKind.sqlite, .memory])
    func hiddenDerivedValuesDoNotMoveChanges(_ kind: StoreKind) throws {
        let told = try [5, 6].map { player in
            let stage = try stage(kind)
            try stage.write("POST", "/Medal", #"{"name":"x","player":\#(player)}"#)
            let before = try stage.token
            try stage.write(
                "POST", "/transactions",
                """
                [{"op":"update","object":"Player/5","values":{"name":"f"}},
                 {"op":"insert","entity":"Club","values":{"name":"new"}},
                 {"op":"delete","object":"Medal/2"}]
                """)
            return try stage.changes("ann", since: before)
        }
        #expect(told[0] == told[1] && told[0].count == 3, "\(told)")
    }

    /// An object that changes by derived values alone stands where other updates stand.
    @Test(arguments: [StoreKind.sqlite, .memory])
    func derivedValuesAreToldInTheOrderOfIDs(_ kind: StoreKind) throws {
        let stage = try stage(kind)
        let before = try stage.token
        try stage.write(
            "POST", "/transactions",
            """
            [{"op":"update","object":"Player/5","values":{"name":"f"}},
             {"op":"update","object":"Player/4","values":{"name":"x4"}}]
            """)
        #expect(
            try stage.changes("root", since: before) == [
                "update Medal 2 of", "update Player 5 name", "update Captain 4 name",
            ])
    }

    /// An object that a save in parts changes several times stands where its first change that is
    /// seen stands.
    @Test(arguments: [StoreKind.sqlite, .memory])
    func changesOfLinksToHiddenObjectsDoNotMoveOthers(_ kind: StoreKind) throws {
        let seen = [
            #"{"_entity":"Player","_id":2,"name":"b2"}"#,
            #"{"_entity":"Player","_id":5,"name":"d5"}"#,
        ]
        let hidden = #"{"_entity":"Medal","_id":1,"player":2}"#
        for records in [seen + [hidden], [hidden] + seen] {
            let stage = try stage(kind)
            let before = try stage.token
            try stage.load(records, keys: [:], batch: 1)
            #expect(
                try stage.changes("ann", since: before) == [
                    "update Player 2 name", "update Player 5 name",
                ])
        }
    }
}
