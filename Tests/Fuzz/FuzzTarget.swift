/// What is tried with inputs that nobody would write.

import SteleDifferential

/// One part of the program that reads text from outside.
protocol FuzzTarget {
    /// The inputs that others are made of.
    var seeds: [[UInt8]] { get }
    /// The words of the language, which are spliced in.
    var words: [String] { get }

    /// Prepares what is kept from one input to the next.
    init() throws

    /// Gives the input to the part. The process ends where it traps.
    /// - Throws: `FuzzFinding` where the outcome is wrong.
    mutating func attempt(_ input: [UInt8]) throws
}

/// An outcome that is wrong, in one sentence.
public struct FuzzFinding: Error, CustomStringConvertible {
    /// The sentence.
    public let description: String

    init(_ description: String) { self.description = description }
}

/// - Throws: `FuzzFinding` with the sentence where the condition does not hold.
func require(_ condition: Bool, _ sentence: @autoclosure () -> String) throws {
    if !condition { throw FuzzFinding(sentence()) }
}

/// The targets by name.
public enum FuzzTargets {
    private static var all: [(name: String, type: any FuzzTarget.Type)] {
        [
            ("predicates", PredicateTarget.self), ("lists", ListTarget.self),
            ("json", JSONTarget.self),
            ("dates", DateTarget.self), ("headers", HeaderTarget.self),
            ("models", ModelTarget.self),
            ("tokens", TokenTarget.self), ("archives", ArchiveTarget.self),
            ("databases", DatabaseTarget.self),
            ("predicate-archives", PredicateArchiveTarget.self),
            ("mappings", MappingTarget.self), ("compiled-models", CompiledModelTarget.self),
            ("queries", QueryTarget.self), ("signed-tokens", SignedTokenTarget.self),
            ("requests", RequestTarget.self), ("text-stores", TextStoreTarget.self),
            ("binary-stores", BinaryStoreTarget.self), ("xml-stores", XMLStoreTarget.self),
        ]
    }

    /// The names of all targets that a run tries.
    public static let names = all.map(\.name)

    /// A target that traps, to try the fuzzer itself.
    public static let planted = "planted"

    static func type(named name: String) -> (any FuzzTarget.Type)? {
        name == planted ? PlantedTarget.self : all.first { $0.name == name }?.type
    }
}

/// A defect of the kind that the fuzzer is for: the exponent of a number is added to the places
/// after its point, and the sum may overflow.
struct PlantedTarget: FuzzTarget {
    let seeds = FuzzText.bytes(["a > 12.5", "price == 1.25e3 AND name == 'x'"])
    let words: [String] = []

    init() {}

    func attempt(_ input: [UInt8]) throws {
        for number in String(decoding: input, as: UTF8.self).split(separator: " ") {
            let parts = number.split(separator: "e", maxSplits: 1)
            guard parts.count == 2, let exponent = Int(parts[1]) else { continue }
            let places = parts[0].split(separator: ".", maxSplits: 1).dropFirst().first?.count ?? 0
            _ = exponent - places - 1
            _ = exponent + parts[0].count
        }
    }
}

enum FuzzText {
    static func bytes(_ texts: [String]) -> [[UInt8]] { texts.map { Array($0.utf8) } }
}
