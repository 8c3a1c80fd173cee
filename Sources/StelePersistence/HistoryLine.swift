/// Which history a store's tokens are of: a copy that is put back goes on otherwise than the store
/// that it was copied from.

/// The generations of a store's tokens, from its making on.
///
/// Saves are numbered, and a store that is restored from a copy gives the numbers after the copy's
/// last save once more. So saves have a new generation from each opening on (by a program that has
/// the store for itself): two stores that share a generation share all saves up to the last one of
/// the generation, and what one has beyond that is unknown to the other.
public struct HistoryLine: Sendable, Hashable {
    /// Saves of one generation.
    private struct Stretch: Sendable, Hashable {
        let generation: String
        /// The save before the first of them.
        let start: Int64
    }

    /// Oldest first; never empty.
    private var stretches: [Stretch]

    /// How many generations are kept; tokens of older ones are not known any more.
    static let most = 1_000

    /// The line of a new store.
    /// - Parameter generation: what its tokens begin with.
    public init(_ generation: String) { stretches = [Stretch(generation: generation, start: 0)] }

    /// Reads a line as `texts` has it.
    /// - Returns: nil for what is none.
    public init?(_ texts: [String]) {
        var read: [Stretch] = []
        for text in texts {
            let parts = text.split(separator: "-", omittingEmptySubsequences: false)
            guard parts.count == 2, let start = Int64(parts[1]), start >= read.last?.start ?? 0
            else {
                return nil
            }
            read.append(Stretch(generation: String(parts[0]), start: start))
        }
        if read.isEmpty { return nil }
        stretches = read
    }

    /// The line as a store keeps it: `7f3a09c1-128` for the saves after the 128th.
    public var texts: [String] { stretches.map { "\($0.generation)-\($0.start)" } }

    /// What the token of a save begins with.
    public func generation(of number: Int64) -> String {
        // Most often it is one of the last ones.
        (stretches.last { $0.start < number } ?? stretches[0]).generation
    }

    /// Whether a save of that generation and number is one of this line, or one to come.
    public func has(_ generation: String, _ number: Int64) -> Bool {
        guard let index = stretches.lastIndex(where: { $0.generation == generation }) else {
            return false
        }
        return index + 1 == stretches.count || number <= stretches[index + 1].start
    }

    /// Begins a generation for the saves that come.
    /// - Parameters:
    ///   - last: the last save there is.
    public mutating func begin(_ generation: String, after last: Int64) {
        // Nobody was told a token of one that has no saves; the first one's is that of the beginning.
        if stretches.count > 1, stretches[stretches.count - 1].start >= last {
            stretches.removeLast()
        }
        stretches.append(Stretch(generation: generation, start: last))
        if stretches.count > Self.most { stretches.removeFirst() }
    }
}
