// The feed of a role that is read after later saves: each save is judged by the objects of its time.

import Foundation
import SteleJSON
import StelePersistence
import TestSupport
import Testing

@testable import SteleRequests
@testable import SteleService

@Suite struct LaterSavesOfRolesTests {
    private func stage(_ kind: StoreKind, _ role: String) throws -> RightsStage {
        try RightsStage(kind, rights: RightsModel.rights(role: role))
    }

    /// The changes for ann of saves that were made before any was read.
    private func changes(_ stage: RightsStage, of writes: [(String, String, String)]) throws
        -> [String]
    {
        let start = try stage.token
        for (method, target, body) in writes { try stage.write(method, target, body) }
        return try stage.changes("ann", since: start)
    }

    /// Each of two saves alone makes the object visible: the first is judged without the second.
    @Test(arguments: StoreKind.allCases)
    func anObjectThatTwoSavesShowIsReportedByTheFirst(_ kind: StoreKind) throws {
        let stage = try stage(
            kind, #"{"Document": {"read": "owner.login == 'amy' OR folder.name == 'open'"}}"#)
        #expect(
            try changes(
                stage,
                of: [
                    ("PATCH", "/Account/1", #"{"login":"amy"}"#),
                    ("PATCH", "/Folder/1", #"{"name":"open"}"#),
                ]) == ["insert Document 1", "insert Document 4", "insert Document 2"])
    }

    /// What an object has while it is hidden is not reported once it is visible.
    @Test(arguments: StoreKind.allCases)
    func valuesOfAHiddenObjectAreNotReportedLater(_ kind: StoreKind) throws {
        let stage = try stage(kind, #"{"Document": {"read": "owner.login == 'amy'"}}"#)
        let start = try stage.token
        try stage.write("PATCH", "/Document/1", #"{"title":"secret"}"#)
        try stage.write("PATCH", "/Document/1", #"{"title":"harmless"}"#)
        try stage.write("PATCH", "/Account/1", #"{"login":"amy"}"#)
        let text = LiveStage.text(stage.ask("ann", "GET", "/changes?values=true&since=\(start)"))
        #expect(!text.contains("secret"), "\(text)")
        #expect(
            try stage.changes("ann", since: start) == ["insert Document 1", "insert Document 4"])
    }

    static let lastSteps: [(String, String, String)] = [
        ("DELETE", "/Document/1", ""), ("PATCH", "/Document/1", #"{"owner":2}"#),
        ("PATCH", "/Document/1", #"{"owner":null}"#),
        ("PUT", "/Account/1/documents", "[4]"),
    ]

    /// An object that a save has hidden is reported, also where a later save deletes it or leads it to
    /// another hidden object.
    @Test(arguments: StoreKind.allCases, lastSteps)
    func anObjectThatIsHiddenAndThenLeavesIsReported(
        _ kind: StoreKind, _ last: (String, String, String)
    ) throws {
        let stage = try stage(
            kind, #"{"Document": {"read": "owner.login == 'ann'"}, "Account": {"read": false}}"#)
        #expect(
            try changes(stage, of: [("PATCH", "/Account/1", #"{"login":"eve"}"#), last])
                == ["delete Document 1", "delete Document 4"])
    }

    /// The same over two steps, of which the later save changes one or the other.
    @Test(
        arguments: StoreKind.allCases,
        [
            ("DELETE", "/Document/1", ""), ("PATCH", "/Document/1", #"{"owner":2}"#),
            ("DELETE", "/Comment/1", ""), ("PATCH", "/Comment/1", #"{"document":2}"#),
        ])
    func theSameOverTwoSteps(_ kind: StoreKind, _ last: (String, String, String)) throws {
        let stage = try stage(
            kind, #"{"Comment": {"read": "document.owner.login == 'ann'"}}"#)
        #expect(
            try changes(stage, of: [("PATCH", "/Account/1", #"{"login":"eve"}"#), last])
                == ["delete Comment 1"])
    }

    /// The members of a relationship are those of the time of the save.
    @Test(arguments: StoreKind.allCases)
    func membersAreThoseOfTheTime(_ kind: StoreKind) throws {
        let stage = try stage(kind, #"{"Document": {"read": "ANY tags.name == 'open'"}}"#)
        #expect(
            try changes(
                stage,
                of: [
                    ("PATCH", "/Tag/1", #"{"name":"open"}"#),
                    ("PUT", "/Document/1/tags", "[]"), ("PUT", "/Document/4/tags", "[1]"),
                    ("PATCH", "/Document/2", #"{"title":"seen"}"#),
                    ("PATCH", "/Tag/1", #"{"name":"closed"}"#),
                ]) == [
                    "insert Document 1", "insert Document 2", "insert Document 3",
                    "delete Document 1", "insert Document 4", "update Document 2 title",
                    "delete Document 2", "delete Document 3", "delete Document 4",
                ])
    }

    /// An object that was deleted and made again under its key, as an undo of the deletion or an import
    /// does, is another one.
    @Test(arguments: StoreKind.allCases)
    func anObjectThatWasMadeAgainIsAnother(_ kind: StoreKind) throws {
        let stage = try stage(kind, #"{"Document": {"read": "owner.login == 'amy'"}}"#)
        let start = try stage.token
        try stage.write("PATCH", "/Account/1", #"{"login":"amy"}"#)
        try stage.write("PATCH", "/Account/1", #"{"login":"eve"}"#)
        try stage.write("DELETE", "/Document/1")
        try stage.load(
            [#"{"_entity":"Document","_id":1,"title":"secret","owner":2}"#], keys: [:], batch: 10)
        let text = LiveStage.text(stage.ask("ann", "GET", "/changes?values=true&since=\(start)"))
        #expect(!text.contains("secret") && text.contains(#""title":"a1""#), "\(text)")
        #expect(
            try stage.changes("ann", since: start) == [
                "insert Document 1", "insert Document 4", "delete Document 1", "delete Document 4",
            ])
    }

    /// The members of an owner that was made again are not those of the first one.
    @Test(arguments: StoreKind.allCases)
    func membersOfAnOwnerThatWasMadeAgainAreOthers(_ kind: StoreKind) throws {
        let stage = try stage(kind, #"{"Document": {"read": "owner.documents.@count > 2"}}"#)
        let start = try stage.token
        try stage.write("PATCH", "/Document/1", #"{"title":"secret"}"#)
        try stage.write("PATCH", "/Document/1", #"{"title":"harmless"}"#)
        try stage.write("DELETE", "/Account/1")
        try stage.load([#"{"_entity":"Account","_id":1,"login":"ann"}"#], keys: [:], batch: 10)
        try stage.write("PUT", "/Account/1/documents", "[1,2,4]")
        let told = try stage.changes("ann", since: start)
        #expect(
            told.filter { $0.contains("Document 1") || $0.contains("Document 4") }
                == ["insert Document 1", "insert Document 4"], "\(told)")
    }

    /// The links of an object that was made again are not those that its deletion has cut.
    @Test(arguments: StoreKind.allCases)
    func linksOfAnObjectThatWasMadeAgainAreOthers(_ kind: StoreKind) throws {
        let stage = try stage(kind, #"{"Document": {"read": "ANY tags.name == 'blue'"}}"#)
        let start = try stage.token
        try stage.write("DELETE", "/Document/1")
        try stage.load(
            [#"{"_entity":"Document","_id":1,"title":"other"}"#], keys: [:], batch: 10)
        try stage.write("PUT", "/Document/1/tags", "[2]")
        #expect(try stage.changes("ann", since: start) == ["insert Document 1"])
    }

    /// A save that deletes an owner with the members of many others.
    @Test func aLargeDeletionHasAllMembersOfAnOwner() throws {
        let stage = try stage(
            .sqlite,
            #"{"Document": {"read": "owner.login == 'ann' AND owner.documents.@count < 3"}}"#)
        let documents = (0..<10_100).map {
            #"{"_entity":"Document","title":"t\#($0)","owner":"bob"}"#
        }
        try stage.load(documents, keys: [:], batch: 20_000)
        try stage.write("POST", "/Document", #"{"title":"z","owner":1}"#)
        let start = try stage.token
        try stage.write("PATCH", "/Document/1", #"{"title":"secret"}"#)
        try stage.write("DELETE", "/Account?where=TRUEPREDICATE")
        let text = LiveStage.text(stage.ask("ann", "GET", "/changes?values=true&since=\(start)"))
        #expect(!text.contains("secret"), "\(text.prefix(500))")
    }

    /// Each update of an object changes its version.
    @Test(arguments: StoreKind.allCases)
    func versionsAreThoseOfTheTime(_ kind: StoreKind) throws {
        let stage = try stage(kind, #"{"Document": {"read": "owner._version < 2"}}"#)
        #expect(
            try changes(
                stage,
                of: [
                    ("PATCH", "/Account/1", #"{"login":"eve"}"#),
                    ("PATCH", "/Document/1", #"{"owner":null}"#), ("DELETE", "/Document/4", ""),
                ]) == ["delete Document 1", "delete Document 4"])
    }

    /// A save of more objects than are looked at for others that led to them.
    @Test func aLargeSaveFindsWhatLedToItsObjects() throws {
        let stage = try stage(.sqlite, #"{"Document": {"read": "owner.login BEGINSWITH 'a'"}}"#)
        let accounts = (10..<10_500).map { #"{"_entity":"Account","login":"a\#($0)"}"# }
        try stage.load(accounts, keys: [:], batch: 20_000)
        let start = try stage.token
        try stage.write("PATCH", "/Account?where=_id%20!=%202", #"{"login":null}"#)
        try stage.write("PATCH", "/Document/1", #"{"owner":2}"#)
        try stage.write("DELETE", "/Document/4")
        #expect(
            try stage.changes("ann", since: start).filter { $0.hasPrefix("delete") }
                == ["delete Document 1", "delete Document 4"])
    }
}
