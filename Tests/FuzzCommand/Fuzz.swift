/// Tries what reads text from outside with inputs that nobody would write.

import Foundation
import SteleFuzz

/// `Fuzz SECONDS [SEED] [TARGET…]` runs each target in a process of its own, for its share of the
/// time. `Fuzz --input FILE TARGET` tries one input.
@main
struct Fuzz {
    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst().filter { !$0.isEmpty }
        if arguments.first == "--run", arguments.count == 5 {
            let words = Array(arguments)
            let run = FuzzRun(
                target: words[2], seed: UInt64(words[3]) ?? 0, seconds: Double(words[4]) ?? 0)
            let count = try finding { try run.run(recording: InputRecord(path: words[1])) }
            print("\(words[2]): \(count) inputs")
            return
        }
        if arguments.first == "--input", arguments.count == 3 {
            let words = Array(arguments)
            let input = [UInt8](try Data(contentsOf: URL(fileURLWithPath: words[1])))
            let record = try InputRecord(path: Child.temporaryFile())
            return try finding { try FuzzRun.attempt(input, on: words[2], recording: record) }
        }
        let seconds = arguments.first.flatMap { Double($0) } ?? 60
        let rest = arguments.dropFirst()
        let given = rest.first.flatMap { UInt64($0) }
        let seed = given ?? .random(in: 1...UInt64(UInt32.max))
        let named = Array(given == nil ? rest : rest.dropFirst())
        let targets = named.isEmpty ? FuzzTargets.names : named
        print("seed \(seed), \(seconds) s on \(targets.joined(separator: ", "))")
        var isWhole = true
        for target in targets {
            let child = Child(target: target, seed: seed, seconds: seconds / Double(targets.count))
            if let failure = try child.failure() {
                isWhole = false
                print(failure)
            }
        }
        exit(isWhole ? 0 : 1)
    }

    /// What is found is one line, and no backtrace.
    private static func finding<R>(_ body: () throws -> R) throws -> R {
        do { return try body() } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(2)
        }
    }
}
