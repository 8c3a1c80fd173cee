// The lines of events: many clients read a line at a time and refuse long ones.

import SteleJSON
import StelePersistence
import TestSupport
import Testing

@testable import SteleAnswers
@testable import SteleFeed
@testable import SteleRequests
@testable import SteleService

@Suite struct EventLineTests {
    /// The lines of data of each event with a name.
    private func lines(_ client: Client, _ name: String) -> [[Substring]] {
        client.text.split(separator: "\n\n").compactMap { block in
            let lines = block.split(separator: "\n")
            guard lines.contains("event: \(name)") else { return nil }
            return lines.filter { $0.hasPrefix("data: ") }
        }
    }

    private func count(of part: String, _ line: Substring) -> Int {
        line.ranges(of: part).count
    }

    @Test(arguments: StoreKind.allCases) func aSnapshotHasALineForEachRow(_ kind: StoreKind) throws
    {
        let stage = try LiveStage(kind)
        try stage.people()
        let listener = try stage.listen("/Person?sort=-salary&sectionBy=_entity")
        #expect(try listener.wait { listener.rows[""] != nil })
        let rows = try #require(listener.rows[""])
        let lines = try #require(lines(listener.client, "snapshot").first)
        let sections = try #require(listener.sections[""])
        #expect(rows.count > 2)
        #expect(lines.count == rows.count + sections.count - 1, "\(lines)")
        for (index, line) in lines.enumerated() {
            #expect(count(of: "\"object\":", line) == (index < rows.count ? 1 : 0), "\(line)")
        }
    }

    @Test(arguments: StoreKind.allCases) func aChangeHasALineForEachEntry(_ kind: StoreKind) throws
    {
        let stage = try LiveStage(kind)
        try stage.people()
        let listener = try stage.listen("/Person?sort=salary&where=salary%20%3E%2015")
        #expect(try listener.wait { listener.rows[""] != nil })
        try stage.write(
            "POST", "/transactions",
            """
            [{"op":"delete","object":"Employee/4"},
            {"op":"update","object":"Person/2","values":{"name":"New"}},
            {"op":"insert","entity":"Person","values":{"name":"A","salary":16}},
            {"op":"insert","entity":"Person","values":{"name":"B","salary":99}}]
            """)
        #expect(try listener.wait { listener.names.count == 2 })
        let lines = try #require(lines(listener.client, "change").first)
        #expect(lines.count == 4, "\(lines)")
        for line in lines { #expect(count(of: "\"index\":", line) == 1, "\(line)") }
        #expect(listener.rows[""]?.count == 4)
    }

    @Test func anEventOfTheFeedHasALineForEachChange() throws {
        let stage = try Stage()
        let client = try stage.connect(values: true)
        let staff = stage.staff
        stage.store.commit((1...2_500).map { staff.insert(staff.person, Int64($0)) })
        #expect(client.wait { $0.lastEventID == "7f3a09c1-1" })
        let events = lines(client, "save")
        #expect(events.map(\.count) == [1_000, 1_000, 500])
        for line in events.joined() { #expect(count(of: "\"change\":", line) == 1) }
        // The lines together are one document.
        let data = client.events.map(\.data)
        #expect(
            try data.map { try JSONDocument($0).root["changes"]?.count } == [1_000, 1_000, 500])
    }
}
