// Composite, derived, transient and transformed attributes over HTTP, on both stores.

import FoundationEssentials
import Glibc
import SteleGraph
import SteleHTTP
import SteleJSON
import SteleModel
import StelePersistence
import SteleSQLite
import TestSupport
import Testing

@testable import SteleAnswers
@testable import SteleFeed
@testable import SteleRequests
@testable import SteleService

@Suite struct AttributeTests {
    @Test(arguments: [false, true])
    func aCompositeIsAnObjectInAndOut(_ inMemory: Bool) throws {
        let people = try ServiceFixture.people(inMemory: inMemory)
        let made = people.post(
            "/Person",
            #"{"name":"Ann","home":{"city":"Rome","place":{"latitude":41.5,"longitude":12}}}"#)
        #expect(made.status == 201, "\(made.text)")
        #expect(
            made.text.contains(
                #""home":{"city":"Rome","place":{"latitude":41.5,"longitude":12},"zip":null},"#))
        #expect(people.get("/Person/1").text == made.text)
        // A patch merges, as deep as it goes.
        let patched = people.patch("/Person/1", #"{"home":{"place":{"latitude":42},"zip":7}}"#)
        #expect(
            patched.text.contains(
                #""home":{"city":"Rome","place":{"latitude":42,"longitude":12},"zip":7},"#))
        #expect(
            people.patch("/Person/1", #"{"home":{"place":null}}"#).text.contains(
                #""home":{"city":"Rome","place":null,"zip":7},"#))
        // PUT sets back what it leaves out, also inside.
        let put = people.ask("PUT", "/Person/1", #"{"name":"Ann","home":{"city":"Oslo"}}"#)
        #expect(put.text.contains(#""home":{"city":"Oslo","place":null,"zip":null},"#))
        #expect(
            people.ask("PUT", "/Person/1", #"{"name":"Ann"}"#).text.contains(#""home":null,"#))
        #expect(people.patch("/Person/1", #"{"home":{"city":"Rome","zip":3}}"#).status == 200)
        #expect(people.patch("/Person/1", #"{"home":null}"#).text.contains(#""home":null,"#))
    }

    @Test func aCompositeIsLookedForSortedBySelectedAndListed() throws {
        let people = try ServiceFixture.people()
        #expect(
            people.post(
                "/Person",
                """
                [{"name":"A","home":{"city":"Rome","zip":2}},{"name":"B","home":{"city":"Oslo"}},
                 {"name":"C"}]
                """
            ).status == 201)
        func names(_ query: String) -> String { people.get("/Person?select=name&" + query).text }
        #expect(names("where=" + encoded("home.city == 'Rome'")) == #"[{"name":"A"}]"#)
        #expect(names("where=" + encoded("home == nil")) == #"[{"name":"C"}]"#)
        #expect(
            names("where=" + encoded("home != nil") + "&sort=home.city")
                == #"[{"name":"B"},{"name":"A"}]"#)
        #expect(
            people.get("/Person?select=name,home,home.city&limit=2&sort=name").text
                == #"[{"name":"A","home":{"city":"Rome","place":null,"zip":2},"home.city":"Rome"},"#
                + #"{"name":"B","home":{"city":"Oslo","place":null,"zip":null},"home.city":"Oslo"}]"#
        )
        #expect(people.get("/Person/1?select=home.city").text == #"{"home.city":"Rome"}"#)
        #expect(
            people.get("/Person?select=home.city,n:count()&groupBy=home.city&sort=-n").text
                .contains(#"{"home.city":"Oslo","n":1}"#))
        // Pages go on by the values inside.
        let page = people.get("/Person?sort=-home.city&limit=1&select=name")
        let next = try #require(page.next)
        #expect(people.get(next).text == #"[{"name":"B"}]"#)
        let csv = people.get("/Person?format=csv&limit=1").text.split(separator: "\r\n")
        let columns =
            "_id,_entity,_version,name,plain,home.city,home.place.latitude,"
            + "home.place.longitude,home.zip,draft,photo,icon,archive,secret,friendCount"
        #expect(csv.first.map(String.init) == columns)
        #expect(csv.last == "1,Person,1,A,a,Rome,,,2,new,,,,,0")
        for query in ["sort=home", "groupBy=home&select=home,count()", "select=home&distinct=true"]
        {
            let refused = people.get("/Person?" + query)
            #expect(refused.status == 400 && refused.text.contains("composite"), "\(refused.text)")
        }
    }

    @Test(arguments: [false, true])
    func whatIsWrongInACompositeIsNamed(_ inMemory: Bool) throws {
        let people = try ServiceFixture.people(inMemory: inMemory)
        let wrong: [(String, String, String)] = [
            (#"{"home":{"town":"x"}}"#, "request.unknown-key", "town"),
            (#"{"home":"Rome"}"#, "value.type", "city, place, zip"),
            (#"{"home":[1]}"#, "value.type", "home"),
            (#"{"home":{"city":1}}"#, "value.type", "home.city"),
            (#"{"home":{"place":{"latitude":"north"}}}"#, "value.type", "home.place.latitude"),
            (#"{"home":{"zip":5}}"#, "1570", "home.city"),
            (#"{"home":{"city":"x","zip":0}}"#, "1620", "home.zip"),
            (#"{"home":{"city":"x","place":{"latitude":1}}}"#, "1570", "home.place.longitude"),
        ]
        for (body, code, word) in wrong {
            let answer = people.post("/Person", body)
            #expect(answer.code == code, "\(answer.text)")
            #expect(answer.text.contains(word), "\(answer.text)")
        }
        #expect(people.get("/Person/count").text == #"{"count":0}"#)
    }

    @Test(arguments: [false, true])
    func derivedAndTransientAttributesAreReadAndNeverWritten(_ inMemory: Bool) throws {
        let people = try ServiceFixture.people(inMemory: inMemory)
        #expect(people.post("/Person", #"{"name":"Ärger"}"#).text.contains(#""plain":"arger""#))
        let second = people.post("/Person", #"{"name":"B","friends":[1]}"#)
        #expect(second.text.contains(#""friendCount":1"#))
        #expect(second.text.contains(#""draft":"new""#))
        for (body, word) in [
            (#"{"plain":"x"}"#, "derived from canonical:(name)"),
            (#"{"friendCount":3}"#, "derived"),
            (#"{"draft":"x"}"#, "transient"),
        ] {
            let refused = people.patch("/Person/1", body)
            #expect(refused.code == "value.read-only" && refused.detail.contains(word))
        }
        // The address of an object whose derived values others change has a tag that says so.
        let before = people.get("/Person/1")
        #expect(people.ask("PUT", "/Person/1/friends", "[2]").status == 200)
        let tag = try #require(before["ETag"])
        let after = people.get("/Person/1", [("If-None-Match", tag)])
        #expect(after.status == 200 && after.text.contains(#""friendCount":1"#))
        let where_ = people.get("/Person?select=name&where=" + encoded("friendCount == 1"))
        #expect(where_.text == #"[{"name":"Ärger"},{"name":"B"}]"#)
        let refused = people.get("/Person?where=" + encoded("draft == 'x'"))
        #expect(refused.status == 400 && refused.text.contains("transient"))
    }

    @Test(arguments: [false, true])
    func keyedArchivesAreJSONToClients(_ inMemory: Bool) throws {
        let people = try ServiceFixture.people(inMemory: inMemory)
        let value = #"{"n":1.5,"tags":["a","b"],"when":{"$date":"2024-05-01T09:00:00Z"}}"#
        #expect(
            people.post(
                "/Person",
                #"{"archive":{"tags":["a","b"],"when":{"$date":"2024-05-01T09:00:00Z"},"n":1.5}}"#
            ).text.contains("\"archive\":" + value))
        #expect(people.get("/Person/1?select=archive").text == "{\"archive\":" + value + "}")
        #expect(people.get("/Person").text.contains(value))
        if !inMemory {
            let stored = try RawDatabase(people.path).bytes("SELECT ZARCHIVE FROM ZPERSON")
            #expect(stored.starts(with: "bplist00".utf8))
        }
        let refused = people.patch("/Person/1", #"{"archive":{"$date":"soon"}}"#)
        #expect(refused.code == "value.type" && refused.detail.contains("$date"))
        #expect(people.patch("/Person/1", #"{"archive":null}"#).text.contains("\"archive\":null"))
    }

    @Test func anEncryptedValueIsReadWithItsKeyAlone() throws {
        let people = try ServiceFixture.people()
        let made = people.post("/Person", #"{"name":"Ann","secret":{"card":"4111"}}"#)
        #expect(made.text.contains(#""secret":{"card":"4111"}"#))
        #expect(people.get("/Person/1").text == made.text)
        #expect(people.patch("/Person/1", #"{"secret":["new"]}"#).status == 200)
        let stored = try RawDatabase(people.path).bytes("SELECT ZSECRET FROM ZPERSON")
        #expect(stored.first == 1 && !String(decoding: stored, as: UTF8.self).contains("new"))
        // Nor does the history hold it.
        let images = try RawDatabase(people.path).bytes(
            "SELECT group_concat(ZVALUES) FROM STELE_BEFOREIMAGE")
        #expect(!String(decoding: images, as: UTF8.self).contains("4111"))

        // The same store under another key.
        let store = try SQLiteStore.open(
            path: people.path, model: AttributeModels.people(key: "OtherKey"))
        let other = try Service(
            coordinator: PersistentStoreCoordinator(store: store), logger: people.service.logger)
        defer { store.close() }
        func ask(_ method: String, _ path: String, _ query: String? = nil, _ body: String = "")
            -> Answer
        {
            Answer(
                response: other.respond(
                    to: Request(
                        method: method, path: path, query: query,
                        headers: HTTPHeaders([("Host", "localhost")]), body: Array(body.utf8))))
        }
        for answer in [
            ask("GET", "/Person/1"), ask("GET", "/Person"),
            ask("GET", "/Person/1", "select=secret"),
            ask("GET", "/Person", "format=csv"), ask("GET", "/Person", "select=secret"),
        ] {
            #expect(answer.status == 500 && answer.code == "value.unreadable", "\(answer.text)")
            #expect(answer.detail.hasPrefix("secret of Person"), "\(answer.detail)")
            #expect(answer.detail.contains("the key does not fit"))
            #expect(!answer.text.contains("2222"))
        }
        #expect(ask("GET", "/Person/1").detail.hasPrefix("secret of Person 1 cannot"))
        // What cannot be read is not written over.
        let refused = ask("PATCH", "/Person/1", nil, #"{"secret":1}"#)
        #expect(refused.code == "value.unreadable", "\(refused.text)")
        let patch = Answer(
            response: other.respond(
                to: Request(
                    method: "PATCH", path: "/Person/1",
                    headers: HTTPHeaders([
                        ("Host", "localhost"), ("Content-Type", "application/json-patch+json"),
                    ]), body: Array(#"[{"op":"replace","path":"/secret","value":"x"}]"#.utf8))))
        #expect(patch.code == "value.unreadable", "\(patch.text)")
        #expect(ask("PUT", "/Person/1", nil, #"{"name":"C"}"#).code == "value.unreadable")
        #expect(try RawDatabase(people.path).bytes("SELECT ZSECRET FROM ZPERSON") == stored)
        // All else goes on.
        #expect(ask("GET", "/Person/1", "select=name").text == #"{"name":"Ann"}"#)
        #expect(ask("PATCH", "/Person/1", nil, #"{"name":"Bea"}"#).status == 200)
        #expect(people.get("/Person/1?select=secret").text == #"{"secret":["new"]}"#)
    }
}
