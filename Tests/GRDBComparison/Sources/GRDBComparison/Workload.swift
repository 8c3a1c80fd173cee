/// The same values for both libraries.

/// The values of a book.
struct BookValues {
    let title: String
    let pages: Int32
    /// The index of its author.
    let author: Int
}

/// A change of one book.
struct TitleChange {
    /// The index of the book, in the order of insertion.
    let book: Int
    let title: String
}

/// How much is done, and with which values.
enum Workload {
    static let seed: UInt64 = 20_261_127
    static let bookCount = 100_000
    static let authorCount = 100
    static let changeCount = 200

    static var authors: [String] { (0..<authorCount).map { "Author \($0)" } }

    /// Titles of 21 characters in a random order, which no index has.
    static func books() -> [BookValues] {
        var random = SeededGenerator(state: seed)
        return (0..<bookCount).map { index in
            BookValues(
                title: title(&random), pages: Int32.random(in: 50...950, using: &random),
                author: index % authorCount)
        }
    }

    /// The indexes of all books in a random order.
    static func lookups() -> [Int] {
        var random = SeededGenerator(state: seed + 1)
        return (0..<bookCount).shuffled(using: &random)
    }

    /// Changes of the same random books in each run. The new titles differ from run to run, because
    /// a title that a book has already is no change. They move the books to other places in the
    /// order.
    static func changes() -> [TitleChange] {
        var random = SeededGenerator(state: seed + 2)
        var unseeded = SystemRandomNumberGenerator()
        return (0..<changeCount).map { _ in
            TitleChange(
                book: Int.random(in: 0..<bookCount, using: &random), title: title(&unseeded))
        }
    }

    private static func title(_ random: inout some RandomNumberGenerator) -> String {
        let digits = String(UInt64.random(in: 0..<(1 << 48), using: &random), radix: 16)
        return "The Book " + String(repeating: "0", count: 12 - digits.count) + digits
    }

    /// What a row adds to the sum that is compared.
    static func sum(_ title: String, _ pages: Int32) -> Int { title.utf8.count + Int(pages) }
}

/// SplitMix64: the same numbers in each run.
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
