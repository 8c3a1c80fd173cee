// Large saves as a role sees them: in pages and in parts, each visible change once.

import SteleJSON
import StelePersistence
import TestSupport
import Testing

@testable import SteleAnswers
@testable import SteleHTTP
@testable import SteleRequests
@testable import SteleService

@Suite struct RightsPageTests {
    /// Rules that are true or false of all objects, one of an object, and one that leads to another
    /// object of the save.
    static let roles = [
        #"{"Document":{"read":true}}"#,
        #"{"Document":{"read":"isPublic == YES"}}"#,
        #"{"Comment":{"read":"document.isPublic == YES"},"Document":{"read":"title != \"t7\""}}"#,
    ]

    /// Documents, each third of them public, with a comment on each.
    private func save(_ stage: RightsStage, documents: Int) throws {
        let all = (0..<documents).map { index in
            """
            {"op":"insert","entity":"Comment","values":{"text":"c","document":{"_ref":"d\(index)"}}},
            {"op":"insert","entity":"Document","as":"d\(index)","values":{
             "title":"t\(index)","isPublic":\(index % 3 == 0)}}
            """
        }
        try stage.write("POST", "/transactions", "[\(all.joined(separator: ","))]")
    }

    private func changes(of text: some StringProtocol) throws -> [String] {
        let json = JSONValue(try JSONDocument(String(text)).root)
        if case .array = json { return RightsStage.short(json) }
        return RightsStage.short(.array([json]))
    }

    private func pages(_ stage: RightsStage, since token: String) throws -> [String] {
        var next: String? = "/changes?values=true&since=\(token)"
        var found: [String] = []
        while let target = next {
            let response = stage.ask("ann", "GET", target)
            try #require(response.status == 200, "\(LiveStage.text(response))")
            let page = try changes(of: LiveStage.text(response))
            #expect(page.count <= 1_000)
            found += page
            next = response.headers.first { $0.name == "Link" }.map {
                String($0.value.dropFirst().dropLast(">; rel=\"next\"".count))
            }
        }
        return found
    }

    @Test(arguments: [StoreKind.sqlite, .memory, .group], roles)
    func eachVisibleChangeIsToldOnce(_ kind: StoreKind, _ role: String) throws {
        let stage = try RightsStage(kind, rights: RightsModel.rights(role: role))
        let token = try stage.token
        let live = try stage.stream("ann", "/changes?values=true")
        try save(stage, documents: 1_300)
        let found = try pages(stage, since: token)
        #expect(Set(found).count == found.count)
        let documents = found.filter { $0.hasPrefix("insert Document") }.count
        let comments = found.filter { $0.hasPrefix("insert Comment") }.count
        let index = try #require(Self.roles.firstIndex(of: role))
        #expect([documents, comments] == [[1_300, 0], [434, 0], [1_299, 434]][index])
        #expect(found.count == documents + comments)
        let late = try stage.stream("ann", "/changes?values=true&since=\(token)")
        let cut = try stage.stream("ann", "/changes?values=true&changeLimit=5&since=\(token)")
        for (client, most) in [(live, Int.max), (late, .max), (cut, 5)] {
            let events = client.wait { client in
                client.lastEventID.hasSuffix("-2") && !client.events.isEmpty
            }
            #expect(events)
            let told = try client.events.flatMap { try changes(of: $0.data) }
            #expect(told == Array(found.prefix(most)))
        }
    }
}
