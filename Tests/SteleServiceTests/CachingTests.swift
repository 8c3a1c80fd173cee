// Entity tags, conditional requests, compression, methods without bodies.

import Glibc
import SteleHTTP
import SteleJSON
import TestSupport
import Testing

@testable import SteleAnswers
@testable import SteleFeed
@testable import SteleRequests
@testable import SteleService

@Suite struct CachingTests {
    @Test func anObjectsTagChangesWithItsVersionAlone() throws {
        let league = try ReadingTests.filled()
        let tag = try #require(league.get("/Player/1")["ETag"])
        #expect(tag.hasPrefix("\"1-"))
        _ = league.post("/Team", #"{"name":"Other"}"#)
        #expect(league.get("/Player/1")["ETag"] == tag)
        let known = league.get("/Player/1", [("If-None-Match", tag)])
        #expect(known.status == 304)
        #expect(known.bytes.isEmpty)
        #expect(known["ETag"] == tag)
        #expect(known["Vary"] != nil)
        for list in ["\"x\", \(tag)", "W/\(tag)", "*", tag.dropLast() + ";gz\""] {
            #expect(
                league.get("/Player/1", [("If-None-Match", String(list))]).status == 304, "\(list)")
        }
        #expect(league.get("/Player/1", [("If-None-Match", "\"9-x\"")]).status == 200)
        _ = league.patch("/Player/1", #"{"goals":13}"#)
        let changed = league.get("/Player/1", [("If-None-Match", tag)])
        #expect(changed.status == 200)
        #expect(try #require(changed["ETag"]).hasPrefix("\"2-"))
    }

    @Test func theSameAnswerComesFromTheCacheAndFromAWorker() throws {
        let league = try ReadingTests.filled()
        let request = Request(method: "GET", path: "/Player/2")
        let worker = Answer(response: league.service.respond(to: request))
        guard case .done(let response) = league.service.answer(request, at: .brief) else {
            Issue.record("a plain object is answered at once")
            return
        }
        let cached = Answer(response: response)
        #expect(worker.text == cached.text)
        for header in ["ETag", "Content-Type", "Cache-Control", "Vary"] {
            #expect(worker[header] == cached[header])
        }
        #expect(cached["Server-Timing"] == nil, "it did not take the long way")
        for path in [
            "/Team/2x", "/Playr/2", "/Player/02", "/Player/", "/Player//2", "/Player/2/team",
        ] {
            let request = Request(method: "GET", path: path)
            let worker = Answer(response: league.service.respond(to: request))
            #expect(league.answer(request).status == worker.status, "\(path)")
            #expect(league.answer(request).text == worker.text, "\(path)")
        }
    }

    @Test func aListsTagChangesWithEverySaveAndQuery() throws {
        let league = try ReadingTests.filled()
        let tag = try #require(league.get("/Player?limit=2")["ETag"])
        #expect(league.get("/Player?limit=2")["ETag"] == tag)
        #expect(league.get("/Player?limit=3")["ETag"] != tag)
        #expect(league.get("/Player?limit=2", [("If-None-Match", tag)]).status == 304)
        #expect(league.get("/Player/count")["ETag"] != nil)
        _ = league.post("/Team", #"{"name":"Other"}"#)
        #expect(league.get("/Player?limit=2", [("If-None-Match", tag)]).status == 200)
        #expect(league.get("/Player?where=joinedAt%3Cnow()")["ETag"] == nil)
        let embedded = try #require(league.get("/Player/1?include=team")["ETag"])
        _ = league.patch("/Team/1", #"{"city":"York"}"#)
        #expect(league.get("/Player/1?include=team")["ETag"] != embedded)
        #expect(
            league.ask("PATCH", "/Player/1", "{}", [("If-Match", embedded)]).status == 200,
            "If-Match compares the version alone")
        #expect(league.ask("PATCH", "/Player/1", "{}", [("If-Match", tag)]).status == 412)
    }

    @Test func largeAnswersAreCompressedForWhoAsks() throws {
        let league = try ReadingTests.filled()
        _ = league.post("/Player", #"[{"name":"Fay"},{"name":"Gus"},{"name":"Hal"}]"#)
        let plain = league.get("/Player?include=team")
        let packed = league.get("/Player?include=team", [("Accept-Encoding", "br, gzip")])
        #expect(packed["Content-Encoding"] == "gzip")
        #expect(packed.bytes.count < plain.bytes.count)
        #expect(packed.bytes.starts(with: [0x1F, 0x8B]))
        #expect(packed["ETag"]?.hasSuffix(";gz\"") ?? false)
        let tag = try #require(packed["ETag"])
        let known = league.get(
            "/Player?include=team", [("Accept-Encoding", "gzip"), ("If-None-Match", tag)])
        #expect(known.status == 304)
        #expect(known["ETag"] == tag, "a 304 names the variant that the client holds")
        #expect(
            league.get("/Player?include=team", [("If-None-Match", try #require(plain["ETag"]))])[
                "ETag"] == plain["ETag"])
        #expect(league.get("/Player/1", [("Accept-Encoding", "gzip")])["Content-Encoding"] == nil)
        #expect(
            league.get("/Player?include=team", [("Accept-Encoding", "gzip;q=0")])[
                "Content-Encoding"]
                == nil)
    }

    @Test func headAndOptionsWork() throws {
        let league = try ReadingTests.filled()
        #expect(league.ask("HEAD", "/Player").status == 200)
        #expect(league.ask("HEAD", "/Player/1")["ETag"] == league.get("/Player/1")["ETag"])
        let options = league.ask("OPTIONS", "/Player/1")
        #expect(options.status == 204)
        #expect(options["Allow"] == "GET, HEAD, PUT, PATCH, DELETE, OPTIONS")
        #expect(league.ask("OPTIONS", "*").status == 204)
    }

    @Test func timingNamesTheFiveSteps() throws {
        let league = try ReadingTests.filled()
        let timing = try #require(league.get("/Player")["Server-Timing"])
        for step in ["route", "call", "plan", "execution", "response"] {
            #expect(timing.contains("\(step);dur="))
        }
        let quiet = try ServiceFixture(TestModels.league()) { $0.serverTiming = false }
        #expect(quiet.get("/Player")["Server-Timing"] == nil)
    }

    /// A request that goes from worker to worker waits more than once.
    @Test func aStepThatIsTakenAgainIsOneEntry() throws {
        var timing = ServerTiming(isOn: true)
        for step: StaticString in ["route", "wait", "plan", "wait", "response"] {
            usleep(2_000)
            timing.lap(step)
        }
        var response = Response(status: 200)
        timing.add(to: &response)
        let field = try #require(response.headers.first { $0.name == "Server-Timing" }).value
        let entries = field.components(separatedBy: ", ").map {
            $0.components(separatedBy: ";dur=")
        }
        #expect(entries.map { $0[0] } == ["route", "wait", "plan", "response"])
        #expect(try #require(Double(entries[1][1])) >= 4)
    }

    @Test func aBasePathMovesEverything() throws {
        let league = try ServiceFixture(TestModels.league()) { $0.basePath = "/api" }
        #expect(league.post("/api/Team", #"{"name":"A"}"#)["Location"] == "/api/Team/1")
        #expect(league.get("/api/Team/1").status == 200)
        #expect(league.get("/api/healthz").status == 200)
        #expect(league.get("/api").status == 200)
        #expect(league.get("/Team/1").status == 404)
        #expect(league.get("/apix/Team").status == 404)
        #expect(try league.get("/api/Team/9").json["type"] == "/api/docs/errors#object.unknown")
    }

    @Test func whatAnotherProgramHasChangedIsNotWhatAClientHas() throws {
        let league = try ReadingTests.filled()
        for name in ["X", "Y", "Z"] {
            let tag = try #require(league.get("/Player/2")["ETag"])
            #expect(league.get("/Player/2", [("If-None-Match", tag)]).status == 304)
            try RawDatabase(league.path).run("UPDATE ZPLAYER SET ZNAME = '\(name)' WHERE Z_PK = 2")
            // The very first request after it.
            let answer = league.get("/Player/2", [("If-None-Match", tag)])
            #expect(answer.status == 200, "\(answer.response)")
            #expect(try answer.json["name"] == .string(name))
            #expect(answer["ETag"] != tag)
            // And what he has now stays good when the writer looks at the file.
            let now = try #require(answer["ETag"])
            #expect(league.patch("/Player/1", #"{"goals":1}"#).status == 200)
            #expect(league.get("/Player/2", [("If-None-Match", now)]).status == 304)
        }
    }

    @Test func bodyAndTagAreOfOneState() throws {
        let league = try ReadingTests.filled()
        func change(_ name: String) throws {
            try RawDatabase(league.path).run("UPDATE ZPLAYER SET ZNAME = '\(name)' WHERE Z_PK = 2")
        }
        for (index, path) in [
            "/Player/2", "/Player?limit=2", "/Player/2?select=name", "/Player/2/team",
            "/Player/count?where=name%20BEGINSWITH%20%27X%27",
        ].enumerated() {
            let before = league.get(path)
            try change("X\(index)")
            // The very first request after it, without a condition.
            let after = league.get(path)
            #expect(after.status == 200)
            #expect(after["ETag"] != before["ETag"], "\(path): \(after.text)")
            #expect(after["ETag"] == league.get(path)["ETag"], "\(path)")
        }
        // A write that changes nothing shows what another program has changed.
        let tag = try #require(league.get("/Player/2")["ETag"])
        try change("Y")
        let same = league.patch("/Player/2", "{}")
        #expect(try same.json["name"] == "Y")
        #expect(same["ETag"] != tag)
    }

    @Test func readersAreHeldToWhatTheyName() throws {
        let league = try ReadingTests.filled()
        let (one, list) = ("/Player/2", "/Player?limit=2")
        let tags = try [one, list].map { try #require(league.get($0)["ETag"]) }
        for path in [one, "/Player/2?include=team", list, "/Player/count", "/Player/2/team"] {
            let refused = league.get(path, [("If-Match", "\"99-zzz\"")])
            #expect(refused.status == 412 && refused.code == "precondition.failed", "\(path)")
            #expect(league.get(path, [("If-Match", "*")]).status == 200)
        }
        #expect(league.get(one, [("If-Match", tags[0])]).status == 200)
        #expect(league.get(list, [("If-Match", tags[1])]).status == 200)
    }

    @Test(arguments: [
        "/Player/9999", "/Player/9999/team", "/Team/9999/players", "/Team/9999/players?limit=1",
        "/Team/9999/players/count", "/Team/9999/players/1",
    ])
    func readsOfNothingIgnorePreconditions(_ path: String) throws {
        let league = try ReadingTests.filled()
        #expect(league.get(path).status == 404)
        for (field, value) in [("If-None-Match", "*"), ("If-Match", "\"9-x\""), ("If-Match", "*")] {
            #expect(league.get(path, [(field, value)]).status == 404, "\(field): \(value)")
        }
    }

    @Test func aListMayComeInSeveralLines() throws {
        let league = try ReadingTests.filled()
        let tag = try #require(league.get("/Player/2")["ETag"])
        #expect(
            league.get("/Team", [("Accept", "image/png"), ("Accept", "application/json")]).status
                == 200)
        let held = [("If-Match", "\"99-x\""), ("If-Match", tag)]
        #expect(league.ask("PATCH", "/Player/2", "{}", held).status == 200)
        let known = [("If-None-Match", "\"99-x\""), ("If-None-Match", tag)]
        #expect(league.get("/Player/2?select=name&x", known).status == 400)
        #expect(league.get("/Player/2", known).status == 304)
    }
}
