// The torture of whole-file stores: a server that is killed while it saves, again and again.

import Foundation
import SteleDifferential
import TestSupport
import Testing

/// STELE_KILLS says how often each server is killed; STELE_SEED repeats the pauses.
@Suite struct WholeFileTests {
    @Test(arguments: StoreKind.files)
    func aKilledSaveLeavesTheLastAnsweredOneOrALater(_ kind: StoreKind) throws {
        let kills = ProcessInfo.processInfo.environment["STELE_KILLS"].flatMap { Int($0) } ?? 4
        var numbers = SeededNumbers(seed: drawSeed("whole files, \(kind), \(kills) kills"))
        let model = try temporaryFile(FeedFilter.model, name: "Staff.json")
        let folder = String(model.dropLast("/Staff.json".count))
        let arguments = [
            "serve", model, "--store", folder + "/staff", "--store-type", kind.rawValue, "--port",
            "0", "--log-level", "warning",
        ]
        var server = try Program(arguments)
        var caller = try Caller(server.lines(3))
        // Enough that writing the file takes a while.
        let rows = (0..<400).map { "{\"name\":\"Bo \($0)\",\"age\":7,\"mark\":\"first\"}" }
        #expect(caller.ask("POST", "/Person", "[\(rows.joined(separator: ","))]")?.status == 201)
        var answered: Set<String> = []
        var sent = 0
        for kill in 0..<kills {
            let crew = Crew<[String]>()
            for writer in 0..<3 {
                crew.start { [caller] in
                    Self.write(to: caller, as: "\(kill)-\(writer)")
                }
            }
            usleep(UInt32(20_000 + numbers.below(500_000)))
            server.signal(SIGKILL)
            #expect(server.end().status == SIGKILL)
            let told = crew.reported().flatMap { $0 }
            answered.formUnion(told)
            sent += told.count + 3

            server = try Program(arguments)
            caller = try Caller(server.lines(3))
            let path = "/Person?limit=10000&where=age%20%3D%3D%208"
            let found = caller.ask("GET", path)?.json as? [[String: Any]] ?? []
            let marks = Set(found.compactMap { $0["mark"] as? String })
            #expect(answered.subtracting(marks).isEmpty, "answered saves are lost")
            #expect(marks.count == found.count && marks.count <= sent)
            #expect(
                caller.ask("GET", "/Person/count?where=age%20%3D%3D%207")?.body
                    == "{\"count\":400}")
        }
        #expect(!answered.isEmpty, "no save was answered")
        server.signal(SIGTERM)
        #expect(server.end().status == 0)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == [
                "Staff.json", "staff",
            ])
    }

    /// Saves until the server is gone; the marks of the saves that were answered.
    private static func write(to caller: Caller, as name: String) -> [String] {
        var answered: [String] = []
        while true {
            let mark = "\(name)-\(answered.count)"
            let answer = caller.ask("POST", "/Person", "{\"age\":8,\"mark\":\"\(mark)\"}")
            guard answer?.status == 201 else { return answered }
            answered.append(mark)
        }
    }
}
