/// The prefixes that an index range scan must look up for a comparison with `[c]`.
package enum CaseVariants {
    /// Prefixes of all texts that begin with or equal the given text under `[c]`. A text with such
    /// a prefix need not match.
    ///
    /// Only ASCII characters are expanded, and only as many as give at most `limit` prefixes: `ab`
    /// gives `AB`, `Ab`, `aB`, `ab`. Characters that fold to ASCII are included: `k` gives the
    /// Kelvin sign, `ss` gives ß.
    /// - Returns: an empty list if the text is empty or begins with another character.
    package static func beginnings(of text: String, limit: Int = 8) -> [String] {
        var folded: [UInt32] = []
        withText(text) { bytes in
            var scalars = FoldedScalars(bytes, .caseOnly)
            while let scalar = scalars.next(), scalar < 0x80 { folded.append(scalar) }
        }
        var leaves = [Leaf(text: String.UnicodeScalarView(), covered: 0)]
        for place in folded.indices {
            var longer: [Leaf] = []
            for leaf in leaves {
                if leaf.covered > place {
                    longer.append(leaf)
                } else {
                    longer += leaf.extended(folded[place...])
                }
            }
            if longer.count > limit { break }
            leaves = longer
        }
        return leaves.compactMap { $0.covered > 0 ? String($0.text) : nil }
    }

    private struct Leaf {
        var text: String.UnicodeScalarView
        /// How many of the folded scalars are covered.
        var covered: Int

        /// One longer text for each scalar that folds to what comes next.
        func extended(_ wanted: ArraySlice<UInt32>) -> [Leaf] {
            guard let first = wanted.first, first < 0x80 else { return [] }
            return CaseVariants.sources[Int(first)].compactMap { source in
                guard zip(source.folded, wanted).allSatisfy({ $0 == $1 }) else { return nil }
                var longer = self
                longer.text.append(source.scalar)
                longer.covered += source.folded.count
                return longer
            }
        }
    }

    /// A scalar and its case folding.
    struct Source {
        let scalar: Unicode.Scalar
        let folded: [UInt32]
    }

    /// Scalars by the ASCII character that their folding begins with. Beyond U+3000 only ligatures
    /// have such a folding; a test checks all scalars.
    static let sources: [[Source]] = {
        var sources = [[Source]](repeating: [], count: 0x80)
        for value in Array(0..<UInt32(0x3000)) + Array(0xFB00...0xFB06) {
            let folded = unpacked(CaseFolding.caseOnly.expansion(of: value))
            guard let first = folded.first, first < 0x80, let scalar = Unicode.Scalar(value) else {
                continue
            }
            sources[Int(first)].append(Source(scalar: scalar, folded: folded))
        }
        return sources
    }()

    static func unpacked(_ packed: CaseFolding.Packed) -> [UInt32] {
        var (rest, scalars) = (packed, [UInt32]())
        repeat {
            scalars.append(UInt32(truncatingIfNeeded: rest & 0x1F_FFFF))
            rest >>= 21
        } while rest != 0
        return scalars
    }
}
