// Short runs of what `make mutate` and `make soak` do for as long as one likes.

import Foundation
import TestSupport
import Testing

@Suite struct FaultTests {
    private func run(_ name: String, _ arguments: String...) throws {
        let seed = String(drawSeed(name))
        let file = URL(fileURLWithPath: Program.path).deletingLastPathComponent()
            .appendingPathComponent(name).path
        let numbers = arguments.map { $0 == "SEED" ? seed : $0 }
        let program = try Program(numbers, file: file)
        let (status, errors) = program.end()
        #expect(status == 0, "\(program.text)\(errors)")
        print(program.text)
    }

    @Test func mutatedRequestsAreAnsweredWell() throws { try run("Mutate", "20", "SEED", "200") }

    @Test func aMixedLoadWithFaultsIsServed() throws { try run("Soak", "5", "SEED", "2000") }
}
