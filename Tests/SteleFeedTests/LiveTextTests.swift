// Text that only its bytes tell apart: what a live query tells of it leads to what the list gives.

import SteleJSON
import TestSupport
import Testing

@testable import SteleAnswers
@testable import SteleFeed
@testable import SteleHTTP
@testable import SteleRequests
@testable import SteleService

@Suite struct LiveTextTests {
    /// What Swift's own `==` does not tell apart: a composed letter and the same one in two.
    private static let (composed, decomposed) = (#"\u00e1"#, #"a\u0301"#)

    @Test(
        arguments: StoreKind.allCases,
        [
            "/Person?select=name,s:sum(salary)&groupBy=name", "/Person?select=name&distinct=true",
            "/Person?select=m:max(name)&where=name%20!=%20%22b%22",
            "/Person?select=name&sort=name&sectionBy=name",
        ])
    func lettersThatAreWrittenOtherwiseAreFollowed(_ kind: StoreKind, _ target: String) throws {
        let stage = try LiveStage(kind)
        try stage.write(
            "POST", "/Person",
            #"""
            [{"name":"\#(Self.composed)","salary":1},{"name":"\#(Self.decomposed)","salary":2},
             {"name":"b"}]
            """#)
        let listener = try stage.listen(target)
        #expect(try shows(listener, stage, target))
        for (method, path, body) in [
            ("POST", "/Person", #"{"name":"0"}"#), ("DELETE", "/Person/2", ""),
            ("PATCH", "/Person/1", #"{"name":"\#(Self.decomposed)"}"#),
            ("PATCH", "/Person/1", #"{"name":"\#(Self.composed)"}"#),
        ] {
            try stage.write(method, path, body)
            #expect(try shows(listener, stage, target), "\(method) \(path)")
        }
        #expect(listener.names.dropFirst().allSatisfy { $0 == "change" })
    }

    /// Reads until the rows are what the list gives, to the byte.
    private func shows(_ listener: Listener, _ stage: LiveStage, _ target: String) throws -> Bool {
        let wanted = bytes(try stage.list(target.replacing("&sectionBy=name", with: "")))
        return try listener.wait { bytes(listener.objects()) == wanted }
    }

    private func bytes(_ value: JSONValue) -> [UInt8] {
        var writer = ByteWriter(capacity: 256)
        value.write(to: &writer)
        return writer.take()
    }

    /// Two marks over one letter, in either order: as many bytes, and the same text to `==`.
    @Test(arguments: StoreKind.allCases)
    func queriesOfTextThatIsWrittenOtherwiseAreTwo(_ kind: StoreKind) throws {
        let stage = try LiveStage(kind)
        try stage.write(
            "POST", "/Person", #"[{"name":"a\u0301\u0323"},{"name":"a\u0323\u0301"}]"#)
        let targets = ["a%CC%81%CC%A3", "a%CC%A3%CC%81"].map {
            "/Person?where=name%20==%20%22\($0)%22"
        }
        let listeners = try targets.map { try stage.listen($0) }
        for (target, listener) in zip(targets, listeners) {
            #expect(try listener.becomes(stage, target), "\(target)")
        }
    }
}
