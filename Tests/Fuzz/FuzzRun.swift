/// The run of one target, in a process of its own.

import FoundationEssentials

/// Tries inputs on one target for some seconds: those of the corpus, the seeds, and what a
/// generator makes of both. Each is recorded before it is tried.
public struct FuzzRun {
    private let target: String
    private let seed: UInt64
    private let seconds: Double

    /// - Parameters:
    ///   - target: one of `FuzzTargets.names`, or `planted`.
    ///   - seed: of the inputs; the same seed makes the same ones.
    ///   - seconds: how long inputs are tried.
    public init(target: String, seed: UInt64, seconds: Double) {
        self.target = target
        self.seed = seed
        self.seconds = seconds
    }

    /// How many inputs were tried.
    /// - Throws: `FuzzFinding`; what cannot be prepared.
    public func run(recording record: InputRecord) throws -> Int {
        guard let type = FuzzTargets.type(named: target) else {
            throw FuzzFinding("there is no target \(target)")
        }
        var target = try type.init()
        let corpus = try Self.corpus(of: self.target)
        var count = 0
        for input in corpus + target.seeds {
            try attempt(input, &target, record)
            count += 1
        }
        var mutator = Mutator(seed: seed, seeds: target.seeds + corpus, words: target.words)
        let end = ContinuousClock.now + .seconds(seconds)
        while ContinuousClock.now < end {
            try attempt(mutator.input(), &target, record)
            count += 1
        }
        return count
    }

    /// Tries one input alone.
    /// - Throws: as `run`.
    public static func attempt(
        _ input: [UInt8], on name: String, recording record: InputRecord
    ) throws {
        guard let type = FuzzTargets.type(named: name) else {
            throw FuzzFinding("there is no target \(name)")
        }
        record.note(input)
        var target = try type.init()
        try target.attempt(input)
    }

    private func attempt(
        _ input: [UInt8], _ target: inout some FuzzTarget, _ record: InputRecord
    ) throws {
        record.note(input)
        try target.attempt(input)
    }

    /// The inputs that once failed: the files of `Tests/Fuzz/Corpus/TARGET`, by name.
    private static func corpus(of name: String) throws -> [[UInt8]] {
        let folder = root.appending(path: "Tests/Fuzz/Corpus/\(name)").path
        guard FileManager.default.fileExists(atPath: folder) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: folder).sorted().map {
            try file("Tests/Fuzz/Corpus/\(name)/\($0)")
        }
    }

    /// The bytes of a file of the package.
    static func file(_ path: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: root.appending(path: path)))
    }

    /// The package's folder.
    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
}
