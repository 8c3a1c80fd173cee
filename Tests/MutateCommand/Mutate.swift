/// Sends the service random mutations of valid requests.

import Foundation
import SteleFaults

/// `Mutate COUNT [SEED] [REQUESTS]`: so many mutations of each of so many requests (1,000).
@main
struct Mutate {
    static func main() throws {
        let words = CommandLine.arguments.dropFirst().filter { !$0.isEmpty }
        let numbers = words.compactMap { UInt64($0) }
        guard numbers.count == words.count, words.count <= 3 else {
            print("Mutate COUNT [SEED] [REQUESTS]")
            exit(64)
        }
        let seed = numbers.dropFirst().first ?? .random(in: 1...999_999)
        let requests = numbers.dropFirst(2).first ?? 1_000
        let run = MutationRun(
            count: Int(numbers.first ?? 1_000), seed: seed, requests: Int(requests))
        exit(try run.run() ? 0 : 1)
    }
}
