/// Tokens of the history: `GENERATION-NUMBER`.

import SteleJSON
import StelePersistence
import SteleRequests

/// A client's name for a place in a store's history (NSPersistentHistoryToken).
package struct ChangeToken: Sendable, Hashable {
    package let generation: String
    /// The transaction's number; 0 for the place before the first.
    package let number: Int64

    /// The token of a save.
    package init(_ number: Int64, of line: HistoryLine) {
        generation = line.generation(of: number)
        self.number = number
    }

    /// The token as events and links carry it.
    package var text: String { "\(generation)-\(number)" }

    /// The token of a position: that of its save, and within a save, after a point, the position
    /// of the last change before it.
    package static func text(_ position: HistoryPosition, of line: HistoryLine) -> String {
        let save = ChangeToken(position.save, of: line).text
        return position.change.map { "\(save).\($0)" } ?? save
    }

    /// The meaning of a client's text.
    package enum Reading: Sendable, Equatable {
        /// `0`: the oldest kept transaction.
        case beginning
        /// A token of this store's history.
        case number(Int64)
        /// A position within a save of this store's history.
        case within(Int64, change: Int64)
        /// A token of another history.
        case otherGeneration
        /// Not a token.
        case garbage
    }

    /// Reads a token strictly: no signs, no spaces, no zeros before the number.
    package static func read(_ text: String, of line: HistoryLine) -> Reading {
        if text == "0" { return .beginning }
        let utf8 = text.utf8
        guard let dash = utf8.lastIndex(of: UInt8(ascii: "-")), dash > utf8.startIndex,
            utf8.count <= 128
        else { return .garbage }
        let numbers = utf8[utf8.index(after: dash)...]
            .split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        guard let number = integer(numbers[0]) else { return .garbage }
        let owner = utf8[..<dash]
        guard owner.allSatisfy(isTokenByte) else { return .garbage }
        let isOwn = line.has(String(Substring(owner)), number)
        guard numbers.count > 1 else { return isOwn ? .number(number) : .otherGeneration }
        guard let change = integer(numbers[1]) else { return .garbage }
        return isOwn ? .within(number, change: change) : .otherGeneration
    }

    private static func integer(_ digits: Substring.UTF8View) -> Int64? {
        guard let first = digits.first, digits.count <= 19,
            digits.allSatisfy({ (0x30...0x39).contains($0) }),
            first != 0x30 || digits.count == 1
        else { return nil }
        return Int64(Substring(digits))
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
            || byte == UInt8(ascii: "-")
    }
}
