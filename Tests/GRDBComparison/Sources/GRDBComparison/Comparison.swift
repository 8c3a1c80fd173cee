/// The comparison: each part in a process of its own, the libraries in turn.

import Foundation

/// Runs all parts several times and prints a table.
struct Comparison {
    let rounds: Int

    private struct Key: Hashable {
        let part: Part
        let way: Way
    }

    func run() throws {
        let folder = NSTemporaryDirectory() + "grdb-comparison-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        print(
            "\(Workload.bookCount) books of \(Workload.authorCount) authors, "
                + "\(Workload.changeCount) changes, seed \(Workload.seed), \(rounds) rounds")
        var results: [Key: [Measurement]] = [:]
        for round in 0..<rounds {
            try self.round(round, in: folder) { part, way, measurement in
                results[Key(part: part, way: way), default: []].append(measurement)
            }
        }
        for part in Part.allCases {
            let sums = Set(part.ways.flatMap { results[Key(part: part, way: $0)] ?? [] }.map(\.sum))
            guard sums.count == 1 else { throw Failure("\(part): the libraries read other rows") }
        }
        print(Table { part, way in results[Key(part: part, way: way)] ?? [] }.text)
    }

    /// Runs each part once by each way, in new files. The order of the ways is turned from round to
    /// round.
    private func round(
        _ round: Int, in folder: String, _ note: (Part, Way, Measurement) -> Void
    ) throws {
        func path(_ way: Way) -> String { "\(folder)/\(round)-\(way.rawValue).sqlite" }
        for part in Part.allCases {
            let ways = round.isMultiple(of: 2) ? part.ways : part.ways.reversed()
            for way in ways {
                // The rows of the insertion are those of the other parts.
                let file = part == .insert ? path(way) : path(way.isStele ? .stele : .grdb)
                let output = try Self.output([part.rawValue, way.rawValue, file])
                let measurement = try JSONDecoder().decode(
                    Measurement.self, from: Data(output.utf8))
                note(part, way, measurement)
                let progress = "round \(round + 1): \(part.rawValue) \(way.rawValue)\n"
                FileHandle.standardError.write(Data(progress.utf8))
            }
            if part == .insert, round == 0 {
                for way in [Way.stele, .grdb] {
                    print("settings of \(way.isStele ? "Stele" : "GRDB"):")
                    print(try Self.output(["settings", way.rawValue, path(way)]), terminator: "")
                }
            }
        }
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
        }
    }

    /// What this program prints when it is run with arguments.
    private static func output(_ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure("\(arguments.joined(separator: " ")) has failed")
        }
        return String(decoding: data, as: UTF8.self)
    }
}
