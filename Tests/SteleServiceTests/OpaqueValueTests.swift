// Transformable values whose bytes no transformer reads, preserved values, and transient
// relationships over HTTP.

import FoundationEssentials
import SteleModel
import SteleTransformers
import TestSupport
import Testing

@testable import SteleService

struct OpaqueValueTests {
    private static func model() throws -> Model {
        ValueTransformers.registerStandard()
        return try makeModel(
            name: "Moods",
            [
                EntityMaker("Mood")
                    .attribute("name", .string) { $0.preservesValueInHistoryOnDeletion = true }
                    .attribute("colors", .transformable) {
                        $0.valueTransformerName = "ColorsTransformer"
                    }
                    .attribute("free", .transformable)
                    .attribute("archive", .transformable) {
                        $0.valueTransformerName = "NSSecureUnarchiveFromData"
                    }
                    .attribute("id", .uuid) { $0.preservesValueInHistoryOnDeletion = true }
                    .changing {
                        var it = RelationshipDescription(name: "shown", destinationName: "Mood")
                        it.isTransient = true
                        it.maximumCount = 1
                        $0.properties.append(.relationship(it))
                    }
            ])
    }

    /// An archive of a class without a JSON form.
    private static let color = BinaryPropertyListWriter.bytes(
        .dictionary([
            .init(key: "$version", value: .integer(100_000)),
            .init(key: "$archiver", value: .string("NSKeyedArchiver")),
            .init(key: "$top", value: .dictionary([.init(key: "root", value: .uid(1))])),
            .init(
                key: "$objects",
                value: .array([
                    .string("$null"),
                    .dictionary([.init(key: "$class", value: .uid(2))]),
                    .dictionary([
                        .init(key: "$classname", value: .string("UIColor")),
                        .init(key: "$classes", value: .array([.string("UIColor")])),
                    ]),
                ])),
        ]))

    private static func base64(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

    @Test(arguments: [false, true])
    func bytesAreServedAndKeptAsTheyAre(_ inMemory: Bool) throws {
        let moods = try ServiceFixture(Self.model(), inMemory: inMemory)
        let bytes: [[UInt8]] = [[0, 255, 7], Self.color, []]
        for value in bytes {
            let form = #"{"$transformer":"ColorsTransformer","$base64":"\#(Self.base64(value))"}"#
            let made = moods.post("/Mood", #"{"colors":\#(form)}"#)
            #expect(made.status == 201 && made.text.contains(#""colors":\#(form)"#), "\(made.text)")
        }
        let plain = #"{"$base64":"\#(Self.base64(Self.color))"}"#
        let archive =
            #"{"$transformer":"NSSecureUnarchiveFromData","$base64":"\#(Self.base64(Self.color))"}"#
        let both = moods.post("/Mood", #"{"free":\#(plain),"archive":\#(archive)}"#)
        #expect(both.text.contains(#""free":\#(plain),"archive":\#(archive)"#), "\(both.text)")
        for key in 1...4 {
            let shown = moods.get("/Mood/\(key)").text
            let put = moods.ask("PUT", "/Mood/\(key)", shown)
            #expect(put.status == 200 && put.text == shown, "\(put.text)")
            #expect(shown.contains(#""_version":1"#) && shown.contains(#""shown":null"#))
        }
        if !inMemory {
            let file = try RawDatabase(moods.path)
            #expect(try file.bytes("SELECT ZCOLORS FROM ZMOOD WHERE Z_PK = 2") == Self.color)
            #expect(try file.bytes("SELECT ZFREE FROM ZMOOD WHERE Z_PK = 4") == Self.color)
            #expect(try file.bytes("SELECT ZARCHIVE FROM ZMOOD WHERE Z_PK = 4") == Self.color)
        }
        #expect(moods.get("/Mood/count?where=" + encoded("colors != nil")).text == #"{"count":3}"#)
        #expect(moods.get("/Mood?sort=colors").status == 400)
        let csv = moods.get("/Mood?format=csv&select=colors").text
        #expect(csv.contains(#""{""$transformer"":""ColorsTransformer"",""$base64"":""AP8H""}""#))
        let rows = moods.get("/Mood?format=csv&select=free").text
        #expect(rows.contains(#"{""$base64"":"#), "\(rows)")
    }

    @Test(arguments: ["free", "archive", "colors"])
    func theFormOfBytesHasNoParts(_ name: String) throws {
        let names = [
            "archive": "NSSecureUnarchiveFromData", "colors": "ColorsTransformer",
        ]
        let tag = names[name].map { #""$transformer":"\#($0)","# } ?? ""
        let form = #"{\#(tag)"$base64":"\#(Self.base64(Self.color))"}"#
        for inMemory in [false, true] {
            let moods = try ServiceFixture(Self.model(), inMemory: inMemory)
            #expect(moods.post("/Mood", #"{"\#(name)":\#(form)}"#).status == 201)
            for operation in [
                #"{"op":"add","path":"/\#(name)/x","value":1}"#,
                #"{"op":"replace","path":"/\#(name)/$base64","value":"AA=="}"#,
                #"{"op":"copy","from":"/\#(name)/$base64","path":"/name"}"#,
            ] {
                let answer = JSONPatchTests.patch(moods, "/Mood/1", "[\(operation)]")
                #expect(answer.code == "patch.path", "\(operation): \(answer.text)")
                #expect(answer.detail.contains("bytes that are not read"), "\(answer.text)")
            }
            #expect(moods.get("/Mood/1?select=\(name)").text == #"{"\#(name)":\#(form)}"#)
            let whole = JSONPatchTests.patch(
                moods, "/Mood/1",
                #"[{"op":"test","path":"/\#(name)","value":\#(form)},"#
                    + #"{"op":"remove","path":"/\#(name)"}]"#)
            #expect(whole.status == 200, "\(whole.text)")
        }
    }

    @Test(arguments: [
        (#"{"colors":[1]}"#, "is not registered"),
        (#"{"colors":{"$transformer":"Other","$base64":"AA=="}}"#, "is not registered"),
        (#"{"colors":{"$base64":"AA=="}}"#, "is not registered"),
        (#"{"colors":{"$transformer":"ColorsTransformer","$base64":"A"}}"#, "is not registered"),
    ])
    func anotherFormIsRefused(_ body: String, _ words: String) throws {
        let answer = try ServiceFixture(Self.model()).post("/Mood", body)
        #expect(answer.status == 422 && answer.detail.contains(words), "\(answer.text)")
        #expect(answer.text.contains(#"{\"$transformer\":\"ColorsTransformer\""#))
    }

    /// Rows of NDJSON and the lines of events end at line ends.
    @Test func jsonOfAnotherProgramIsOnOneLine() throws {
        let moods = try ServiceFixture(Self.model())
        #expect(moods.post("/Mood", #"{"name":"x","free":[1]}"#).status == 201)
        try RawDatabase(moods.path).run(
            "UPDATE ZMOOD SET ZFREE = CAST("
                + #"'{' || char(13, 10) || '"a": "\n"' || char(10) || '}' AS BLOB)"#)
        let json = #""free":{  "a": "\n" }"#
        let rows = moods.get("/Mood?format=ndjson").text
        #expect(rows.contains(json) && rows.split(separator: "\n").count == 1, "\(rows)")
        #expect(moods.get("/Mood").text.contains(json))
        #expect(
            moods.get("/Mood?format=csv&select=free").text
                == "free\r\n" + #""{  ""a"": ""\n"" }""# + "\r\n")
        #expect(moods.patch("/Mood/1", #"{"name":"y"}"#).text.contains(json))
        #expect(moods.get("/changes?values=true").text.contains(json))
        let copied = moods.post("/Mood", "{\(json)}")
        #expect(copied.text.contains(#""free":{"a":"\n"}"#), "\(copied.text)")
    }

    /// JSON that looks like the form, but whose bytes would not be shown in it, stays JSON.
    @Test(arguments: [
        (#"free":{"$base64":"NDI="}"#, "free"), (#"free":{"$base64":"no base64!"}"#, "free"),
        (#"free":{"$base64":"AA==","more":1}"#, "free"),
        (#"archive":{"$base64":"AA=="}"#, "archive"),
    ])
    func jsonThatLooksLikeItStays(_ member: String, _ name: String) throws {
        let moods = try ServiceFixture(Self.model())
        #expect(moods.post("/Mood", "{\"\(member)}").status == 201)
        let shown = moods.get("/Mood/1?select=\(name)").text
        let isTagged = member.hasPrefix("archive")
        let expected =
            isTagged ? #"{"archive":{"$dictionary":{"$base64":"AA=="}}}"# : "{\"\(member)}"
        #expect(shown == expected)
    }

    @Test(arguments: [false, true])
    func aDeletionHasTheValuesThatTheModelPreserves(_ inMemory: Bool) throws {
        let moods = try ServiceFixture(Self.model(), inMemory: inMemory)
        let id = "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"
        #expect(moods.post("/Mood", #"{"name":"calm","id":"\#(id)","free":[1]}"#).status == 201)
        #expect(moods.ask("DELETE", "/Mood/1", "").status == 204)
        for query in ["", "?entity=Mood", "?values=true"] {
            let changes = moods.get("/changes\(query)").text
            #expect(
                changes.contains(#""tombstone":{"name":"calm","id":"\#(id)"}}"#), "\(changes)")
            #expect(changes.components(separatedBy: "tombstone").count == 2)
        }
    }

    @Test func aTransientRelationshipIsNull() throws {
        let moods = try ServiceFixture(Self.model())
        #expect(moods.post("/Mood", #"{"name":"a"}"#).text.contains(#""shown":null"#))
        for (answer, status) in [
            (moods.patch("/Mood/1", #"{"shown":1}"#), 422),
            (moods.get("/Mood/1/shown"), 404), (moods.get("/Mood?include=shown"), 400),
            (moods.get("/Mood?where=" + encoded("shown == nil")), 400),
            (moods.get("/Mood?select=shown"), 400),
        ] {
            #expect(answer.status == status && answer.text.contains("transient"), "\(answer.text)")
        }
        #expect(moods.patch("/Mood/1", #"{"shown":null}"#).status == 200)
        #expect(moods.get("/Mood?format=csv").text.hasPrefix("_id,_entity,_version,name,colors"))
    }
}
