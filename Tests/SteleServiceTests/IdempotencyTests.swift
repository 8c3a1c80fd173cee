// `Idempotency-Key`: a write that is sent again gives its first answer.

import Dispatch
import Foundation
import Logging
import SteleGraph
import SteleHTTP
import SteleJSON
import StelePersistence
import SteleSQLite
import TestSupport
import Testing

@testable import SteleAnswers
@testable import SteleFeed
@testable import SteleRequests
@testable import SteleService

@Suite struct IdempotencyTests {
    static func ask(
        _ fixture: ServiceFixture, _ method: String, _ path: String, _ body: String? = nil,
        key: String = "k1"
    ) -> Answer {
        fixture.ask(method, path, body, [("Idempotency-Key", key)])
    }

    @Test(arguments: [false, true])
    func theFirstAnswerIsGivenAgain(_ inMemory: Bool) throws {
        let league = try ServiceFixture(TestModels.league(), inMemory: inMemory)
        let body = #"{"name":"Rovers"}"#
        let first = Self.ask(league, "POST", "/Team", body)
        #expect(first.status == 201)
        _ = league.patch("/Team/1", #"{"name":"Later"}"#)
        let second = Self.ask(league, "POST", "/Team", body)
        #expect(second.status == 201 && second.text == first.text)
        #expect(second["Location"] == "/Team/1" && second["ETag"] == first["ETag"])
        #expect(second["Content-Type"] == "application/json")
        #expect(league.get("/Team/count").text == #"{"count":1}"#)
        let token = league.coordinator.currentToken
        // Another key, path or method is another request.
        #expect(Self.ask(league, "POST", "/Team", body, key: "\"k2\"").status == 201)
        #expect(Self.ask(league, "POST", "/Team", body, key: "k2")["Location"] == "/Team/2")
        #expect(Self.ask(league, "POST", "/Player", body)["Location"] == "/Player/1")
        #expect(league.coordinator.currentToken == token + 2)
        let other = Self.ask(league, "POST", "/Team", #"{"name":"United"}"#)
        #expect(other.status == 422 && other.code == "idempotency.reused")
        let query = Self.ask(league, "POST", "/Team?numbers=string", body)
        #expect(query.code == "idempotency.reused")
        #expect(Self.ask(league, "POST", "/Team", body, key: "").status == 400)
        #expect(
            Self.ask(league, "POST", "/Team", body, key: String(repeating: "x", count: 256)).status
                == 400)
    }

    /// Keys are told apart by their bytes.
    @Test(arguments: [false, true])
    func aKeyThatIsWrittenOtherwiseIsAnother(_ inMemory: Bool) throws {
        let league = try ServiceFixture(TestModels.league(), inMemory: inMemory)
        for (key, place) in [("\u{E1}", 1), ("a\u{301}", 2), ("\u{E1}", 1)] {
            let answer = Self.ask(league, "POST", "/Team", #"{"name":"Rovers"}"#, key: key)
            #expect(answer["Location"] == "/Team/\(place)")
        }
    }

    @Test(arguments: [false, true])
    func everyKindOfWriteIsKept(_ inMemory: Bool) throws {
        let league = try ServiceFixture(TestModels.league(), inMemory: inMemory)
        _ = league.post("/Team", #"[{"name":"A"},{"name":"B"}]"#)
        for (method, path, body) in [
            ("PATCH", "/Team/1", #"{"name":"A"}"#),
            ("PUT", "/Team/1/players", "[]"),
            ("PATCH", "/Team?where=name%20BEGINSWITH%20%27C%27", #"{"city":"York"}"#),
            ("DELETE", "/Team?where=name==%27A%27", nil),
            ("POST", "/transactions", #"[{"op":"delete","object":"Team/2"}]"#),
        ] as [(String, String, String?)] {
            let first = Self.ask(league, method, path, body, key: method + path)
            #expect((200...204).contains(first.status), "\(first.text)")
            let token = league.coordinator.currentToken
            _ = league.post("/Team", #"{"name":"A"}"#)
            let second = Self.ask(league, method, path, body, key: method + path)
            #expect(second.status == first.status && second.text == first.text, "\(method) \(path)")
            #expect(league.coordinator.currentToken == token + 1, "\(method) \(path)")
        }
        // A refusal has done nothing, so it is not kept.
        #expect(Self.ask(league, "PATCH", "/Team/99", "{}", key: "r").status == 404)
        #expect(Self.ask(league, "PATCH", "/Team/99", #"{"name":"x"}"#, key: "r").status == 404)
    }

    /// The objects are given as they are by then, in the first answer's shape.
    @Test(arguments: [false, true])
    func answersTooLargeToKeepAreMadeAnew(_ inMemory: Bool) throws {
        let league = try ServiceFixture(TestModels.league(), inMemory: inMemory) {
            $0.limits.keptAnswerBytes = 10
        }
        let one = #"{"name":"A"}"#
        let first = Self.ask(league, "POST", "/Team", one)
        #expect(first.status == 201 && !first.bytes.isEmpty)
        let again = Self.ask(league, "POST", "/Team", one)
        #expect(again.status == 201 && again.text == first.text)
        for header in ["Location", "ETag", "Content-Type", "Preference-Applied"] {
            #expect(again[header] == first[header], "\(header)")
        }
        _ = league.patch("/Team/1", #"{"name":"Later"}"#)
        let later = Self.ask(league, "POST", "/Team", one)
        #expect(later.status == 201 && later["Location"] == "/Team/1")
        #expect(later.text == league.get("/Team/1").text)
        #expect(later["ETag"] == league.get("/Team/1")["ETag"])

        let many = #"[{"name":"B"},{"name":"C","players":[{"name":"Ann"}]},{"name":"D"}]"#
        let all = Self.ask(league, "POST", "/Team", many, key: "many")
        #expect(Self.ask(league, "POST", "/Team", many, key: "many").text == all.text)
        let operations = #"""
            [{"op":"insert","entity":"Player","values":{"name":"Bo"}},
             {"op":"update","object":"Team/2","values":{"city":"York"}},
             {"op":"delete","object":"Player/1"}]
            """#
        let done = Self.ask(league, "POST", "/transactions", operations, key: "ops")
        let redone = Self.ask(league, "POST", "/transactions", operations, key: "ops")
        #expect(redone.status == 200 && redone.text == done.text)
        let members = Self.ask(league, "PUT", "/Team/2/players", "[2]", key: "members")
        #expect(members.text == "[2]")
        #expect(Self.ask(league, "PUT", "/Team/2/players", "[2]", key: "members").text == "[2]")
        let patch = #"{"name":"E"}"#
        let changed = Self.ask(league, "PATCH", "/Team/4", patch)
        #expect(Self.ask(league, "PATCH", "/Team/4", patch).text == changed.text)
    }

    @Test func anAnswerMadeAnewSaysWhatIsGone() throws {
        let league = try ServiceFixture(TestModels.league()) { $0.limits.keptAnswerBytes = 10 }
        let many = #"[{"name":"B"},{"name":"C"}]"#
        _ = Self.ask(league, "POST", "/Team", many)
        _ = league.ask("DELETE", "/Team/1")
        let again = Self.ask(league, "POST", "/Team", many)
        #expect(again.status == 201 && again["Location"] == "/Team")
        #expect(
            again.text == #"[{"_entity":"Team","_id":1,"deleted":true},"#
                + league.get("/Team/2").text + "]")
        _ = Self.ask(league, "PATCH", "/Team/2", #"{"city":"York"}"#)
        _ = Self.ask(league, "POST", "/Team", #"{"name":"D"}"#, key: "one")
        for id in 2...3 { _ = league.ask("DELETE", "/Team/\(id)") }
        let patched = Self.ask(league, "PATCH", "/Team/2", #"{"city":"York"}"#)
        #expect(patched.status == 200 && patched["ETag"] == nil)
        #expect(patched.text == #"{"_entity":"Team","_id":2,"deleted":true}"#)
        let made = Self.ask(league, "POST", "/Team", #"{"name":"D"}"#, key: "one")
        #expect(made.status == 201 && made["Location"] == "/Team/3")
        #expect(made.text == #"{"_entity":"Team","_id":3,"deleted":true}"#)
        #expect(league.get("/Team/count").text == #"{"count":0}"#)
    }

    /// Of a long list of ids the relationship is kept, not the ids.
    @Test func membersAreToldAsTheyAreByThen() throws {
        let league = try ServiceFixture(TestModels.league()) { $0.limits.keptAnswerBytes = 4 }
        _ = league.post("/Team", #"{"name":"A"}"#)
        _ = league.post("/Player", #"[{"name":"Ann"},{"name":"Bo"},{"name":"Cy"}]"#)
        let all = "[1,2,3]"
        #expect(Self.ask(league, "PUT", "/Team/1/players", all).text == all)
        #expect(Self.ask(league, "PUT", "/Team/1/players", all).text == all)
        _ = league.ask("DELETE", "/Team/1/players/2")
        #expect(Self.ask(league, "PUT", "/Team/1/players", all).text == "[1,3]")
        _ = league.ask("DELETE", "/Team/1")
        let gone = Self.ask(league, "PUT", "/Team/1/players", all)
        #expect(gone.status == 404 && gone.detail.contains("was carried out"), "\(gone.text)")
    }

    /// What is encrypted in its column is nowhere else in the file.
    @Test func noSecretIsKeptWithAnAnswer() throws {
        let people = try ServiceFixture.people()
        let body = #"{"name":"Ann","secret":"walnut-secret-99"}"#
        let first = Self.ask(people, "POST", "/Person", body)
        #expect(first.status == 201 && first.text.contains("walnut-secret-99"))
        let second = Self.ask(people, "POST", "/Person", body)
        #expect(second.status == 201 && second["Location"] == "/Person/1")
        #expect(second.text == first.text)
        let patch = #"{"secret":"hazel-secret-98"}"#
        let changed = Self.ask(people, "PATCH", "/Person/1", patch, key: "k2")
        #expect(changed.status == 200)
        #expect(Self.ask(people, "PATCH", "/Person/1", patch, key: "k2").text == changed.text)
        let counted = "/Person?where=_id==1"
        #expect(Self.ask(people, "PATCH", counted, patch, key: "k3").text == #"{"updated":1}"#)
        #expect(Self.ask(people, "PATCH", counted, patch, key: "k3").text == #"{"updated":1}"#)
        for ending in ["", "-wal"] {
            let bytes = FileManager.default.contents(atPath: people.path + ending) ?? Data()
            for secret in ["walnut-secret-99", "hazel-secret-98"] {
                #expect(bytes.firstRange(of: Data(secret.utf8)) == nil, "\(secret) in \(ending)")
            }
        }
    }

    @Test func keysOutliveTheServer() throws {
        let league = try ServiceFixture.league()
        let first = Self.ask(league, "POST", "/Team", #"{"name":"A"}"#)
        league.coordinator.store.close()
        let store = try SQLiteStore.open(path: league.path, model: league.service.model)
        defer { store.close() }
        let again = try Service(
            coordinator: PersistentStoreCoordinator(store: store),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let request = Request(
            method: "POST", path: "/Team", query: nil,
            headers: HTTPHeaders([(name: "Idempotency-Key", value: "k1")]),
            body: Array(#"{"name":"A"}"#.utf8))
        let second = Answer(response: again.respond(to: request))
        #expect(second.status == 201 && second.text == first.text)
    }

    @Test func oneThatRunsStillIsAConflict() throws {
        let league = try ServiceFixture.league()
        let keys = league.service.running
        let key = ["", "POST", "/Team", "k1"].joined(separator: "\n")
        #expect(keys.enter(key))
        let answer = Self.ask(league, "POST", "/Team", #"{"name":"A"}"#)
        #expect(answer.status == 409 && answer.code == "idempotency.running")
        #expect(answer["Retry-After"] == "1")
        keys.leave(key)
        #expect(Self.ask(league, "POST", "/Team", #"{"name":"A"}"#).status == 201)
    }

    @Test(arguments: [false, true])
    func oneKeySentByManyMakesOneObject(_ inMemory: Bool) throws {
        let league = try ServiceFixture(TestModels.league(), inMemory: inMemory)
        let statuses = onThreads(32) { _ in
            Self.ask(league, "POST", "/Team", #"{"name":"A"}"#).status
        }
        #expect(statuses.allSatisfy { $0 == 201 || $0 == 409 }, "\(statuses)")
        #expect(statuses.contains(201))
        #expect(league.get("/Team/count").text == #"{"count":1}"#)
    }

    @Test func receiptsEndAfterADay() {
        let receipt = Receipt(key: "k", fingerprint: 1, time: 1_000, answer: [])
        #expect(receipt.isGood(at: 1_000 + 86_399))
        #expect(!receipt.isGood(at: 1_000 + 86_400))
    }

    @Test func bytesOfAnyKindTellRequestsApart() throws {
        let people = try ServiceFixture.people()
        _ = people.post("/Person", "{}")
        func put(_ path: String, _ bytes: [UInt8], streamed: Bool) -> Answer {
            let headers = HTTPHeaders([("Host", "localhost"), ("Idempotency-Key", path)])
            let head = Request(method: "PUT", path: path, headers: headers)
            guard streamed, let sink = people.service.sink(for: head) else {
                return people.answer(
                    Request(method: "PUT", path: path, headers: headers, body: bytes))
            }
            sink.take(bytes)
            defer { sink.close() }
            return Answer(
                response: people.service.respond(
                    to: Request(method: "PUT", path: path, headers: headers, sink: sink)))
        }
        for (path, one, other) in [
            ("/Person/1/icon", [0xFF, 0xFE], [0xFD, 0xFC]),
            (
                "/Person/1/photo", [UInt8](repeating: 65, count: 200_000),
                [UInt8](repeating: 66, count: 200_000)
            ),
        ] as [(String, [UInt8], [UInt8])] {
            #expect(put(path, one, streamed: true).status == 204)
            #expect(put(path, one, streamed: true).status == 204, "the first answer again")
            let reused = put(path, other, streamed: true)
            #expect(reused.status == 422 && reused.code == "idempotency.reused", "\(reused.text)")
        }
        #expect(people.get("/Person/1/icon").bytes == [0xFF, 0xFE])
    }
}
