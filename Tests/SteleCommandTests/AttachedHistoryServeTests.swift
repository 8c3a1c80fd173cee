// The service of a store whose history is in a file beside it, when it is killed and when the disk
// takes no more: no answered save is lost or made twice, and the history has no gap.

import Foundation
import SteleSystem
import TestSupport
import Testing

/// STELE_KILLS sets the number of kills, by default 4. STELE_SEED repeats their moments.
@Suite struct AttachedHistoryServeTests {
    private let store: BesideStore

    init() throws { store = try BesideStore() }

    @Test func aKilledServiceLosesNoAnsweredSave() throws {
        let kills = ProcessInfo.processInfo.environment["STELE_KILLS"].flatMap { Int($0) } ?? 4
        var numbers = SeededNumbers(seed: drawSeed("history beside, \(kills) kills"))
        var answered = Set<String>()
        var begunAnew = 0
        for round in 0..<kills {
            let server = try Program(store.arguments)
            let caller = try Caller(server.lines(2))
            let crew = Crew<[String]>()
            for writer in 0..<4 {
                crew.start {
                    var names: [String] = []
                    for number in 0... {
                        let name = "r\(round)w\(writer)n\(number)"
                        guard BesideStore.post(name, caller) == 201 else { break }
                        names.append(name)
                    }
                    return names
                }
            }
            usleep(UInt32(150_000 + numbers.below(400_000)))
            server.signal(SIGKILL)
            _ = server.end()
            for names in crew.reported() { answered.formUnion(names) }
            if try store.check(answered) { begunAnew += 1 }
        }
        #expect(answered.count > 20)
        print(
            "history beside: \(answered.count) saves, \(kills) kills, begun anew \(begunAnew) times"
        )
    }

    /// The log of the history reaches a limit before that of the store: a commit is half done.
    @Test func aHistoryThatCannotBeWrittenStopsTheSaves() throws {
        // Blocks of 512 bytes. The signal of the limit is ignored, so that writes fail.
        let command = "trap '' XFSZ; ulimit -f 4096; exec \"$@\""
        let server = try Program(
            ["-c", command, "sh", Program.path] + store.arguments, file: "/bin/sh")
        let caller = try Caller(server.lines(2))
        var answered = Set<String>()
        var refused: [Int] = []
        for number in 0..<2_000 where refused.count < 5 {
            let status = BesideStore.post("n\(number)", caller)
            if status == 201 { answered.insert("n\(number)") } else { refused.append(status ?? 0) }
        }
        #expect(refused.count == 5 && refused.allSatisfy { $0 >= 500 })
        server.signal(SIGTERM)
        _ = server.end()
        let isAnew = try store.check(answered)
        print("history beside: \(answered.count) saves, then \(refused), begun anew: \(isAnew)")
    }
}
