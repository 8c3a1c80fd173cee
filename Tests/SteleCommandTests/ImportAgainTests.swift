/// Importing: missing links, dry runs, and imports into a store that has the objects.

import Foundation
import SteleModel
import StelePersistence
import SteleService
import TestSupport
import Testing

@Suite struct ImportAgainTests {
    private static let players = """
        {"name":"Ann","team":"Rovers"}
        {"name":"Bo","team":"Missing"}
        {"name":"Cy","team":"Missing"}
        {"name":"Di","team":"Nowhere","coach":"Bo"}
        {"name":"Ed","coach":"Bo"}
        {"name":"Fay"}
        """
    private static let files = [
        ("player.ndjson", players), ("team.ndjson", #"{"name":"Rovers"}"#),
    ]
    private static let keys = [("Player", "name")]

    @Test func allMissingLinksAreListedAndNothingIsSaved() throws {
        let house = try House(House.club())
        let error = #expect(throws: ImportError.self) {
            try house.load(Self.files, keys: Self.keys)
        }
        let text = error?.message ?? ""
        #expect(text.contains("3 links lead to objects that do not exist"), "\(text)")
        #expect(
            text.contains(
                "player.ndjson line 2: team names a Team whose name is \"Missing\", which does not "
                    + "exist (2 links: also line 3)"), "\(text)")
        #expect(text.contains("line 4: team names a Team whose name is \"Nowhere\""), "\(text)")
        #expect(try house.all("Player").isEmpty && house.all("Team").isEmpty)
        #expect(try house.history().isEmpty)
    }

    @Test func missingLinksAreLeftOut() throws {
        let house = try House(House.club())
        let summary = try house.load(Self.files, keys: Self.keys) { $0.missing = .null }
        #expect(summary.objects == ["Team": 1, "Player": 6] && summary.missing.count == 3)
        #expect(
            try house.values("Player.team") == [.key(1), .null, .null, .null, .null, .null])
        #expect(try house.values("Player.coach")[4] == .key(2))
        #expect(try house.history().count == 1)
    }

    @Test func objectsWithMissingLinksAreLeftOut() throws {
        let house = try House(House.club())
        let summary = try house.load(Self.files, keys: Self.keys) { $0.missing = .skip }
        #expect(summary.objects == ["Team": 1, "Player": 2] && summary.skipped == 4)
        #expect(try house.values("Player.name") == [.string("Ann"), .string("Fay")])
    }

    /// Objects that need one another are not left out, however far apart they are.
    @Test func aCircleOfObjectsIsComplete() throws {
        let house = try House(House.club())
        let count = 4_500
        let lines = (0..<count).map {
            "{\"name\":\"p\($0)\",\"coach\":\"p\(($0 + 2_300) % count)\"}"
        }
        let summary = try house.load(
            [("player.ndjson", lines.joined(separator: "\n"))], keys: Self.keys
        ) { $0.missing = .skip }
        #expect(summary.total == count && summary.skipped == 0)
    }

    /// A members' count is complete when all records are imported.
    @Test("Members that are required may be in a later batch", arguments: [1, 1_000])
    func requiredMembersMayBeLater(batch: Int) throws {
        let house = try House(
            try makeModel([
                EntityMaker("Team").attribute("name", .string)
                    .toMany("players", "Player", inverse: "team", isOptional: false, count: 2...9)
                    .unique("name"),
                EntityMaker("Player").attribute("name", .string)
                    .toOne("team", "Team", inverse: "players"),
            ]))
        let players = #"{"name":"x","team":"A"}"# + "\n" + #"{"name":"y","team":"A"}"#
        _ = try house.load(
            [("team.ndjson", #"{"name":"A"}"#), ("player.ndjson", players)], batch: batch)
        #expect(try house.storedMembers("Team.players", of: 1) == [1, 2])
    }

    @Test func aDryRunSavesNothing() throws {
        let house = try House(House.club())
        let summary = try house.load(Self.files, keys: Self.keys) {
            $0.missing = .null
            $0.isDryRun = true
        }
        #expect(summary.objects == ["Team": 1, "Player": 6] && summary.missing.count == 3)
        #expect(try house.all("Player").isEmpty && house.history().isEmpty)
        #expect(throws: ImportError.self) {
            try house.load([("team.ndjson", "{\"name\":5}")]) { $0.isDryRun = true }
        }
        _ = try house.load(Self.files, keys: Self.keys) { $0.missing = .null }
        #expect(try house.all("Player").map(\.key) == [1, 2, 3, 4, 5, 6])
    }

    @Test func storedObjectsAreUpdatedOrLeft() throws {
        let house = try House(House.club())
        _ = try house.load([
            ("team.ndjson", #"{"name":"A","city":"Oslo"}"# + "\n" + #"{"name":"B","city":"Bern"}"#)
        ])
        let changed = #"{"name":"A","city":"Rome"}"# + "\n" + #"{"name":"C"}"#
        let error = #expect(throws: ImportError.self) {
            try house.load([("team.ndjson", changed)])
        }
        #expect(error?.line == 1 && error?.message.contains("--on-conflict update") == true)
        let left = try house.load([("team.ndjson", changed)]) { $0.onConflict = .skip }
        #expect(left.objects == ["Team": 1] && left.skipped == 1)
        #expect(try house.values("Team.city") == [.string("Oslo"), .string("Bern"), .null])
        let set = try house.load([("team.ndjson", changed)]) { $0.onConflict = .update }
        #expect(set.objects.isEmpty && set.updated == ["Team": 2])
        #expect(try house.values("Team.city") == [.string("Rome"), .string("Bern"), .null])
    }

    /// Links to the `_id` would lead to the wrong one of the two.
    @Test(arguments: [ImportOptions.Conflict.update, .skip])
    func anIdAndAKeyOfTwoObjectsAreAnError(_ policy: ImportOptions.Conflict) throws {
        let house = try House(House.club())
        _ = try house.load([("team.ndjson", #"{"name":"Zeniths"}"# + "\n" + #"{"name":"Aces"}"#)])
        let error = #expect(throws: ImportError.self) {
            try house.load([
                ("team.ndjson", #"{"_id":1,"name":"Aces"}"#),
                ("player.ndjson", #"{"_id":7,"name":"Ann","team":1}"#),
            ]) { $0.onConflict = policy }
        }
        let text = error?.message ?? ""
        #expect(text.contains("the _id 1 is that of Team 1 in the store, and"), "\(text)")
        #expect(text.contains("that of Team 2: --new-ids"), "\(text)")
        #expect(try house.all("Player").isEmpty)
        _ = try house.load([
            ("team.ndjson", #"{"_id":1,"name":"Aces","city":"York"}"#),
            ("player.ndjson", #"{"_id":7,"name":"Ann","team":1}"#),
        ]) {
            $0.onConflict = policy
            $0.givesNewIDs = true
        }
        #expect(try house.values("Player.team") == [.key(2)])
    }

    @Test func linksOfStoredObjectsAreReplaced() throws {
        let house = try House(House.club())
        let files = [
            ("team.ndjson", #"{"name":"A","players":["x","y"]}"#),
            ("player.ndjson", #"{"name":"x"}"# + "\n" + #"{"name":"y"}"#),
        ]
        _ = try house.load(files, keys: Self.keys)
        #expect(try house.storedMembers("Team.players", of: 1) == [1, 2])
        let changed = [
            ("team.ndjson", #"{"name":"A","players":["z","y"]}"#),
            ("player.ndjson", #"{"name":"z"}"# + "\n" + #"{"name":"x","coach":"z"}"#),
        ]
        let summary = try house.load(changed, keys: Self.keys) { $0.onConflict = .update }
        #expect(summary.objects == ["Player": 1] && summary.updated == ["Team": 1, "Player": 1])
        #expect(try house.storedMembers("Team.players", of: 1) == [2, 3])
        _ = try house.load([("player.ndjson", #"{"name":"x","coach":null}"#)], keys: Self.keys) {
            $0.onConflict = .update
        }
        #expect(try house.values("Player.coach") == [.null, .null, .null])
    }

    @Test func theSameFileWithoutKeysIsToldToBeTheSame() throws {
        let house = try House(House.club())
        let file = [("player.ndjson", #"{"name":"x"}"#)]
        _ = try house.load(file)
        let error = #expect(throws: ImportError.self) { try house.load(file) }
        #expect(error?.message.contains("was imported before") == true, "\(error as Any)")
        let left = try house.load(file) { $0.onConflict = .skip }
        #expect(left.filesSkipped.count == 1 && left.total == 0)
        #expect(try house.all("Player").count == 1)
        let twice = #expect(throws: ImportError.self) {
            try house.load([("player.1.ndjson", "{}"), ("player.2.ndjson", "{}")])
        }
        #expect(twice?.message.contains("is given twice") == true)
        // Nothing can be in the store twice of files without records.
        for _ in 0..<2 { _ = try house.load([("player.1.ndjson", ""), ("player.2.ndjson", "")]) }
        _ = try house.load(file) { $0.isAgain = true }
        #expect(try house.all("Player").count == 2)
        // A dry run leaves no receipt.
        _ = try house.load([("player.ndjson", "{}")]) { $0.isDryRun = true }
        _ = try house.load([("player.ndjson", "{}")])
    }

    /// The records of a file of another name tell their entity, and with it their key.
    @Test func aRepeatedFileOfObjectsWithKeysIsToldByTheirKeys() throws {
        let house = try House(House.club())
        let text = #"{"_entity":"Team","name":"A","city":"Oslo"}"#
        _ = try house.load([("club.ndjson", text)])
        let error = #expect(throws: ImportError.self) { try house.load([("again.ndjson", text)]) }
        #expect(
            error?.message.contains("is already in the store: --on-conflict update changes it")
                == true, "\(error as Any)")
        let left = try house.load([("again.ndjson", text)]) { $0.onConflict = .skip }
        #expect(left.skipped == 1 && left.filesSkipped.isEmpty)
        let set = try house.load([("again.ndjson", text)]) { $0.onConflict = .update }
        #expect(set.updated == ["Team": 1])
        let cells = "_entity,name\nTeam,B\n"
        _ = try house.load([("club.csv", cells)])
        let other = try house.load([("again.csv", cells)]) { $0.onConflict = .update }
        #expect(other.updated == ["Team": 1])
        // Players have no key: the file is all that tells them.
        let player = #"{"_entity":"Player","name":"x"}"#
        _ = try house.load([("club.ndjson", player)])
        let unknown = #expect(throws: ImportError.self) {
            try house.load([("again.ndjson", player)])
        }
        #expect(unknown?.message.contains("--again imports them once more") == true)
    }

    /// Errors of the model are found when records are saved.
    @Test func allRecordsOfAPartThatAreNotValidAreListed() throws {
        let house = try House(
            makeModel([EntityMaker("Row").attribute("code", .string).attribute("n", .integer32)]))
        let text = "code,n\na,99999999999\nb,1\nc,-99999999999\n"
        let error = #expect(throws: ImportError.self) { try house.load([("Row.csv", text)]) }
        #expect(error?.line == 2 && error?.others.map(\.line) == [4], "\(error as Any)")
        let few = #expect(throws: ImportError.self) {
            try house.load([("Row.csv", text)]) { $0.mostErrors = 1 }
        }
        #expect(few?.others.isEmpty == true && few?.description.contains("--errors 10") == true)
        #expect(try house.all("Row").isEmpty)
    }

    /// Also where records of the file are linked to by their keys.
    @Test func aRepeatedFileOfLinkedObjectsIsToldByTheirKeys() throws {
        let house = try House(
            makeModel([
                EntityMaker("Row").attribute("code", .string)
                    .toOne("parent", "Row", inverse: "kids")
                    .toMany("kids", "Row", inverse: "parent").unique("code")
            ]))
        let text = "code,parent\na,\nb,a\n"
        _ = try house.load([("Row.csv", text)])
        let error = #expect(throws: ImportError.self) { try house.load([("Row.csv", text)]) }
        #expect(error?.message.contains("is already in the store") == true, "\(error as Any)")
        let again = try house.load([("Row.csv", text)]) { $0.onConflict = .update }
        #expect(again.updated == ["Row": 2])
    }

    @Test func idsAreKeptAndRecognised() throws {
        let house = try House(House.club())
        let file = [
            (
                "club.ndjson",
                #"{"_id":7,"_entity":"Player","_version":3,"name":"x","team":40,"coach":9}"# + "\n"
                    + #"{"_id":40,"_entity":"Team","_version":1,"name":"A"}"# + "\n"
                    + #"{"_id":9,"_entity":"Player","_version":1,"name":"y","team":null}"#
            )
        ]
        _ = try house.load(file)
        #expect(try house.all("Player").map(\.key) == [7, 9])
        #expect(try house.values("Player.team") == [.key(40), .null])
        #expect(try house.values("Player.coach") == [.key(9), .null])
        let error = #expect(throws: ImportError.self) { try house.load(file) }
        #expect(error?.message.contains("Player 7 is already in the store") == true)
        let set = try house.load(file) { $0.onConflict = .update }
        #expect(set.updated == ["Player": 2, "Team": 1] && set.objects.isEmpty)
        let new = try house.load([("player.ndjson", #"{"_id":7,"name":"z","coach":7}"#)]) {
            $0.givesNewIDs = true
        }
        #expect(new.objects == ["Player": 1])
        #expect(try house.all("Player").map(\.key) == [7, 9, 10])
        #expect(try house.values("Player.coach").last == .key(10))
        // A later object gets a key of its own.
        _ = try house.load([("player.ndjson", #"{"name":"new"}"#)])
        #expect(try house.all("Player").map(\.key) == [7, 9, 10, 11])
        let far = #expect(throws: ImportError.self) {
            try house.load([("player.ndjson", #"{"_id":9000000000000000000}"#)])
        }
        #expect(far?.message.contains("--new-ids") == true, "\(far as Any)")
    }
}
