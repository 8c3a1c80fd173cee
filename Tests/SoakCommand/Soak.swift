/// Serves a mixed load with faults, and watches memory, the log of the store and files.

import Foundation
import SteleFaults

/// `Soak SECONDS [SEED] [OBJECTS]`.
@main
struct Soak {
    static func main() throws {
        let words = CommandLine.arguments.dropFirst().filter { !$0.isEmpty }
        let numbers = words.compactMap { UInt64($0) }
        guard numbers.count == words.count, words.count <= 3 else {
            print("Soak SECONDS [SEED] [OBJECTS]")
            exit(64)
        }
        let seed = numbers.dropFirst().first ?? .random(in: 1...999_999)
        let run = SoakRun(
            seconds: Double(numbers.first ?? 600), seed: seed,
            people: Int(numbers.dropFirst(2).first ?? 50_000))
        exit(try run.run() ? 0 : 1)
    }
}
