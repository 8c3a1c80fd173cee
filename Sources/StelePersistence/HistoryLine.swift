/// The generations of a store's tokens since its creation.
///
/// Saves are numbered, and a store restored from a copy reuses the numbers after the copy's last
/// save. So each opening by a program that has exclusive use of the store starts a new generation.
/// Two stores with a common generation have the same saves up to the last one of it.
public struct HistoryLine: Sendable, Hashable {
    /// The saves of one generation.
    private struct Stretch: Sendable, Hashable {
        let generation: String
        /// The number of the save before the first one.
        let start: Int64
    }

    /// Oldest first; not empty.
    private var stretches: [Stretch]

    /// The most generations kept; tokens of older ones are unknown.
    static let most = 1_000

    /// Creates the line of a new store.
    public init(_ generation: String) { stretches = [Stretch(generation: generation, start: 0)] }

    /// Reads a line from `texts`; nil where they are malformed.
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

    /// Combines the lines of stores whose saves are numbered together. A generation ends where one
    /// of a store ends, so that a token of it names the same saves in all of them.
    init(combining lines: [HistoryLine]) {
        let starts = Set(lines.flatMap { $0.stretches.map(\.start) } + [0]).sorted()
        stretches = starts.suffix(Self.most).map { start in
            // The generations of all stores, as one of the same form (FNV-1a).
            var hash: UInt32 = 2_166_136_261
            for line in lines {
                for byte in line.generation(of: start + 1).utf8 + [0] {
                    hash = (hash ^ UInt32(byte)) &* 16_777_619
                }
            }
            let digits = String(hash, radix: 16)
            let zeros = String(repeating: "0", count: 8 - digits.utf8.count)
            return Stretch(generation: zeros + digits, start: start)
        }
    }

    /// The line as a store keeps it, such as `7f3a09c1-128` for the saves after number 128.
    public var texts: [String] { stretches.map { "\($0.generation)-\($0.start)" } }

    /// Returns the generation of a save, the first part of its token.
    public func generation(of number: Int64) -> String {
        (stretches.last { $0.start < number } ?? stretches[0]).generation
    }

    /// Returns whether the line has a save with that generation and number, or will have one.
    public func has(_ generation: String, _ number: Int64) -> Bool {
        guard let index = stretches.lastIndex(where: { $0.generation == generation }) else {
            return false
        }
        return index + 1 == stretches.count || number <= stretches[index + 1].start
    }

    /// Begins a generation for future saves.
    /// - Parameters:
    ///   - generation: the first part of the tokens of those saves.
    ///   - last: the number of the last save.
    public mutating func begin(_ generation: String, after last: Int64) {
        // No token of a generation without saves was given out, except of a store's first. One that
        // begins later is of saves that another program has removed from the history.
        while let former = stretches.last,
            stretches.count > 1 ? former.start >= last : former.start > last
        {
            stretches.removeLast()
        }
        stretches.append(Stretch(generation: generation, start: last))
        if stretches.count > Self.most { stretches.removeFirst() }
    }
}
