/// Importing: records of the same object, and keys that change. The size of the batches must not
/// change the result.

import Foundation
import SteleModel
import StelePersistence
import SteleService
import TestSupport
import Testing

@Suite struct ImportTwiceTests {
    private static let keys = [("Player", "name")]

    private func lines(_ lines: String...) -> String { lines.joined(separator: "\n") }

    @Test("A later record of the same object updates the earlier one", arguments: [1, 2, 1_000])
    func laterRecordsUpdate(batch: Int) throws {
        let house = try House(House.club(hasOrderedPupils: true))
        let summary = try house.load(
            [
                (
                    "team.ndjson",
                    lines(
                        #"{"name":"A","players":["x","y"],"city":"Oslo"}"#,
                        #"{"name":"A","players":["y"]}"#, #"{"name":"B"}"#)
                ),
                (
                    "player.ndjson",
                    lines(
                        #"{"name":"p","coach":"x","team":"B"}"#, #"{"name":"x","coach":"z"}"#,
                        #"{"name":"p","coach":"y"}"#, #"{"name":"x","coach":null}"#,
                        #"{"name":"y","pupils":["x","z"]}"#, #"{"name":"y","pupils":["z","p"]}"#,
                        #"{"name":"z"}"#)
                ),
            ], keys: Self.keys, batch: batch
        ) { $0.onConflict = .update }
        #expect(summary.objects == ["Team": 2, "Player": 4])
        #expect(summary.updated == ["Team": 1, "Player": 3])
        #expect(try house.values("Team.city") == [.string("Oslo"), .null])
        #expect(
            try house.values("Player.name")
                == [.string("p"), .string("x"), .string("y"), .string("z")])
        #expect(try house.values("Player.coach") == [.key(3), .null, .null, .key(3)])
        #expect(try house.values("Player.team") == [.key(2), .null, .key(1), .null])
        #expect(try house.storedMembers("Player.pupils", of: 3) == [4, 1])
    }

    @Test("The first record of an object stays with skip", arguments: [1, 2, 1_000])
    func firstRecordStays(batch: Int) throws {
        let house = try House(House.club(hasOrderedPupils: true))
        let summary = try house.load(
            [
                (
                    "team.ndjson",
                    lines(#"{"name":"A","city":"Oslo"}"#, #"{"name":"A","city":"Rome"}"#)
                ),
                (
                    "player.ndjson",
                    lines(
                        #"{"_id":3,"name":"x","team":"A"}"#, #"{"_id":3,"name":"z","goals":1}"#,
                        #"{"_id":4,"name":"x","team":null}"#, #"{"name":"p","coach":{"_id":4}}"#)
                ),
            ], keys: Self.keys, batch: batch
        ) { $0.onConflict = .skip }
        #expect(summary.objects == ["Team": 1, "Player": 2] && summary.skipped == 3)
        #expect(try house.values("Team.city") == [.string("Oslo")])
        #expect(try house.values("Player.name") == [.string("x"), .string("p")])
        #expect(try house.values("Player.team") == [.key(1), .null])
        #expect(try house.values("Player.coach") == [.null, .key(3)])
    }

    @Test(
        "A second record of the same object is an error with both lines",
        arguments: [1, 2, 1_000], [false, true])
    func secondRecordIsAnError(batch: Int, givesNewIDs: Bool) throws {
        let team = #"{"name":"A"}"#
        let player = #"{"_id":3,"name":"x"}"#
        for (file, record) in [("team.ndjson", team), ("player.ndjson", player)] {
            let house = try House(House.club(hasOrderedPupils: true))
            let error = #expect(throws: ImportError.self) {
                try house.load([(file, lines(record, "", "{}", record))], batch: batch) {
                    $0.givesNewIDs = givesNewIDs
                }
            }
            #expect(error?.line == 4, "\(error as Any)")
            #expect(error?.message.contains("is also in line 1") == true, "\(error as Any)")
        }
    }

    @Test func aDateOfTwoRecordsIsNamedAsAnswersHaveIt() throws {
        let house = try House(makeModel([EntityMaker("Day").attribute("at", .date).unique("at")]))
        let record = #"{"at":"1066-10-14"}"#
        let error = #expect(throws: ImportError.self) {
            try house.load([("day.ndjson", lines(record, record))])
        }
        #expect(
            error?.message.contains("a Day with at 1066-10-14T00:00:00Z is also in line 1") == true,
            "\(error as Any)")
    }

    @Test("A key that a link has used may not name a second object", arguments: [1, 2, 1_000])
    func usedKeysAreNotAmbiguous(batch: Int) throws {
        let house = try House(House.club(hasOrderedPupils: true))
        let players = lines(
            #"{"name":"x"}"#, #"{"name":"y"}"#, #"{"name":"y"}"#, #"{"name":"p","coach":"x"}"#,
            #"{"name":"q"}"#, #"{"name":"x"}"#)
        let error = #expect(throws: ImportError.self) {
            try house.load([("player.ndjson", players)], keys: Self.keys, batch: batch)
        }
        #expect(
            error?.message.contains("more than one Player is named \"x\"") == true,
            "\(error as Any)")
        // Without the link both are imported.
        let unlinked = players.replacing(#","coach":"x""#, with: "")
        _ = try house.load([("player.ndjson", unlinked)], keys: Self.keys, batch: batch)
        #expect(try house.all("Player").count == 6)
    }

    @Test(
        "A record waits with an earlier record of its object", arguments: [1, 2, 1_000],
        [ImportOptions.Conflict.update, .skip])
    func recordsKeepTheirOrder(batch: Int, policy: ImportOptions.Conflict) throws {
        let house = try House(
            try makeModel([
                EntityMaker("Team").attribute("name", .string)
                    .toMany("players", "Player", inverse: "team").unique("name"),
                EntityMaker("Player").attribute("name", .string).attribute("goals", .integer32)
                    .toOne("team", "Team", inverse: "players", isOptional: false),
            ]))
        let records = lines(
            #"{"_entity":"Team","name":"B"}"#,
            #"{"_entity":"Player","name":"x","goals":1,"team":"A"}"#,
            #"{"_entity":"Player","name":"x","goals":2,"team":"B"}"#,
            #"{"_entity":"Team","name":"A"}"#)
        _ = try house.load([("all.ndjson", records)], keys: Self.keys, batch: batch) {
            $0.onConflict = policy
        }
        #expect(try house.values("Player.goals") == [.int(policy == .update ? 2 : 1)])
        #expect(try house.values("Player.team") == [.key(policy == .update ? 1 : 2)])
        // The second is imported where the first is left out.
        let some = try house.load(
            [
                (
                    "all.ndjson",
                    records.replacing(#""team":"A""#, with: #""team":"C""#)
                        .replacing(#""x""#, with: #""y""#)
                )
            ], keys: Self.keys, batch: batch
        ) {
            $0.onConflict = policy
            $0.missing = .skip
        }
        #expect(some.objects["Player"] == 1, "\(some)")
    }

    @Test(
        "Links by _id lead to the object that the record found by its key", arguments: [1, 1_000],
        [ImportOptions.Conflict.update, .skip])
    func idsOfFoundObjectsAreKnown(batch: Int, policy: ImportOptions.Conflict) throws {
        for givesNewIDs in [true, false] {
            let house = try House(House.club(hasOrderedPupils: true))
            _ = try house.load([("team.ndjson", lines(#"{"name":"A"}"#, #"{"name":"B"}"#))])
            let club = lines(
                #"{"_id":9,"_entity":"Player","name":"q","team":7}"#,
                #"{"_id":7,"_entity":"Team","name":"B","city":"Bern"}"#,
                #"{"_id":1,"_entity":"Player","name":"p","team":7}"#)
            _ = try house.load([("club.ndjson", club)], batch: batch) {
                $0.onConflict = policy
                $0.givesNewIDs = givesNewIDs
            }
            #expect(try house.all("Team").count == 2)
            #expect(try house.values("Player.team") == [.key(2), .key(2)])
        }
    }

    @Test("An _id that a record without one has been given is an error", arguments: [1, 2])
    func givenKeysAreNotIDs(batch: Int) throws {
        for policy in ImportOptions.Conflict.allCases {
            let house = try House(House.club(hasOrderedPupils: true))
            let error = #expect(throws: ImportError.self) {
                try house.load(
                    [
                        (
                            "player.ndjson",
                            lines(
                                #"{"_id":5,"name":"a"}"#, #"{"name":"b"}"#,
                                #"{"_id":6,"name":"c"}"#)
                        )
                    ], batch: batch
                ) { $0.onConflict = policy }
            }
            #expect(error?.line == 3 && error?.message.contains("_id 6") == true, "\(error as Any)")
        }
        let house = try House(House.club(hasOrderedPupils: true))
        let error = #expect(throws: ImportError.self) {
            try house.load(
                [
                    (
                        "player.ndjson",
                        lines(
                            #"{"_id":5,"name":"a"}"#, #"{"name":"b"}"#,
                            #"{"_id":9,"name":"c","coach":6}"#)
                    )
                ], batch: batch)
        }
        #expect(error?.message.contains("whose _id is 6, which does not exist") == true)
    }

    @Test("Links use the keys that updated objects have", arguments: [1, 1_000])
    func changedKeysAreFollowed(batch: Int) throws {
        let house = try House(House.club(hasOrderedPupils: true))
        _ = try house.load([
            ("team.ndjson", lines(#"{"name":"A"}"#, #"{"name":"B"}"#)),
            ("player.ndjson", lines(#"{"name":"x"}"#, #"{"name":"y"}"#)),
        ])
        let club = lines(
            #"{"_entity":"Player","name":"o","coach":"y","team":"B"}"#,
            #"{"_entity":"Player","_id":1,"name":"z"}"#, #"{"_entity":"Team","_id":1,"name":"C"}"#)
        let after = #"{"_entity":"Player","name":"p","coach":"z","team":"C"}"#
        let summary = try house.load(
            [("club.ndjson", lines(club, after))], keys: Self.keys, batch: batch
        ) { $0.onConflict = .update }
        #expect(summary.updated == ["Player": 1, "Team": 1])
        #expect(
            try house.values("Player.name")
                == [.string("z"), .string("y"), .string("o"), .string("p")])
        #expect(try house.values("Player.coach") == [.null, .null, .key(2), .key(1)])
        #expect(try house.values("Player.team") == [.null, .null, .key(2), .key(1)])
        // The former keys name no object.
        _ = try house.load(
            [
                (
                    "club.ndjson",
                    lines(
                        #"{"_entity":"Player","_id":1,"name":"x"}"#,
                        #"{"_entity":"Team","_id":1,"name":"A"}"#,
                        #"{"_entity":"Player","name":"q","coach":"z","team":"C"}"#)
                )
            ], keys: Self.keys, batch: batch
        ) {
            $0.onConflict = .update
            $0.missing = .null
        }
        #expect(try house.values("Player.team").last == .null)
        #expect(try house.values("Player.coach").last == .null)
    }

    @Test("A subentity with a key of its own also has its parent's", arguments: [1, 1_000])
    func subentitiesHaveTwoKeys(batch: Int) throws {
        let house = try House(
            try makeModel([
                EntityMaker("Place").attribute("name", .string)
                    .toMany("doors", "Door", inverse: "place"),
                EntityMaker("Room", parent: "Place").attribute("number", .string)
                    .toMany("exits", "Door", inverse: "room").unique("number"),
                EntityMaker("Door").toOne("place", "Place", inverse: "doors")
                    .toOne("room", "Room", inverse: "exits"),
            ]))
        let records = lines(
            #"{"_entity":"Room","name":"a","number":"1"}"#, #"{"_entity":"Place","name":"1"}"#,
            #"{"_entity":"Door","place":"1","room":"1"}"#,
            #"{"_entity":"Door","place":"a","room":"2"}"#,
            #"{"_entity":"Room","name":"b","number":"2"}"#,
            #"{"_entity":"Door","place":"b","room":"2"}"#)
        let keys = [("Place", "name"), ("Room", "number")]
        _ = try house.load([("house.ndjson", records)], keys: keys, batch: batch)
        #expect(try house.values("Door.place") == [.key(2), .key(1), .key(3)])
        #expect(try house.values("Door.room") == [.key(1), .key(3), .key(3)])
    }

    @Test("Records without a key are not imported twice", arguments: [1, 1_000])
    func recordsWithoutKeyAreNotDoubled(batch: Int) throws {
        let house = try House(House.club(hasOrderedPupils: true))
        let file = [
            ("player.ndjson", lines(#"{"name":"x"}"#, #"{"goals":5}"#, #"{"name":null}"#)),
            ("team.ndjson", lines(#"{"_id":1}"#, #"{"city":"Bern"}"#, #"{"name":"A"}"#)),
        ]
        _ = try house.load(file, keys: Self.keys, batch: batch)
        for policy in ImportOptions.Conflict.allCases where policy != .skip {
            let error = #expect(throws: ImportError.self) {
                try house.load(file, keys: Self.keys, batch: batch) { $0.onConflict = policy }
            }
            if policy == .error { continue }
            #expect(error?.line == 2, "\(error as Any)")
            #expect(error?.message.contains("was imported before") == true, "\(error as Any)")
        }
        let left = try house.load(file, keys: Self.keys, batch: batch) { $0.onConflict = .skip }
        #expect(left.total == 0 && left.skipped == 6)
        #expect(try house.all("Player").count == 3 && house.all("Team").count == 3)
        let again = try house.load(file, keys: Self.keys, batch: batch) {
            $0.onConflict = .skip
            $0.isAgain = true
        }
        #expect(again.objects == ["Player": 2, "Team": 1])
        // Both copies of a file in one command are told, too.
        let twice = #expect(throws: ImportError.self) {
            try house.load(
                [("player.1.ndjson", "{\"goals\":1}"), ("player.2.ndjson", "{\"goals\":1}")],
                keys: Self.keys, batch: batch)
        }
        #expect(twice?.message.contains("is given twice") == true, "\(twice as Any)")
    }

    /// The first record of a file tells whether its objects are recognised, but links by `_id` go
    /// from file to file.
    @Test("A file without keys is read again where another one is", arguments: [1, 1_000])
    func filesOfARepeatedImportAreReadTogether(batch: Int) throws {
        let house = try House(House.club(hasOrderedPupils: true))
        let files = [
            (
                "all.1.ndjson",
                lines(
                    #"{"_entity":"Player","_id":15,"name":"x"}"#,
                    #"{"_entity":"Team","_id":7,"name":"A"}"#)
            ),
            (
                "all.2.ndjson",
                lines(
                    #"{"_entity":"Team","_id":8,"name":"B"}"#,
                    #"{"_entity":"Player","_id":16,"name":"y","team":7}"#)
            ),
        ]
        for (objects, skipped) in [(4, 0), (0, 4)] {
            let summary = try house.load(files, batch: batch) {
                $0.givesNewIDs = true
                $0.onConflict = .skip
            }
            #expect(summary.total == objects && summary.skipped == skipped, "\(summary)")
            #expect(summary.filesSkipped.isEmpty)
        }
        #expect(try house.values("Player.team") == [.null, .key(1)])
        // A file that stands alone is not read.
        let alone = try house.load([files[0]], batch: batch) {
            $0.givesNewIDs = true
            $0.onConflict = .skip
        }
        #expect(alone.total == 0 && alone.filesSkipped.count == 1, "\(alone)")
    }
}
