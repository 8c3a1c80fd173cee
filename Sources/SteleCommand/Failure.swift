/// Errors of commands.

import ArgumentParser
import Glibc
import SteleHTTP
import SteleModel
import StelePersistence

/// The reason why a command fails: a sentence for standard error. The exit status is 1.
struct Failure: Error {
    let message: String
    /// The setting whose value cannot be used; nil for another reason.
    let setting: String?

    init(_ message: String, setting: String? = nil) {
        self.message = message
        self.setting = setting
    }

    /// Runs a command, and prints an error that it throws as one sentence.
    /// - Parameter status: the exit status after an error.
    static func reporting(
        _ status: ExitCode = .failure, _ body: () throws -> Void
    ) throws {
        do {
            try body()
        } catch let code as ExitCode {
            throw code
        } catch let invalid as ValidationError {
            // ArgumentParser prints the usage; the exit status is 64.
            throw invalid
        } catch {
            printError("stele: \(sentence(error))")
            throw status
        }
    }

    /// An error as a sentence.
    static func sentence(_ error: any Error) -> String {
        switch error {
        case let failure as Failure: failure.message
        case let errors as ModelErrors: errors.description
        case let error as HTTPServerError: error.description
        case StoreError.incompatible(code: 134100, let text)
        where text.hasSuffix("A migration is needed"):
            "\(text): see stele migrate --plan"
        case let error as StoreError: error.sentence
        default: "\(error)"
        }
    }
}

/// A word of a command line as a shell takes it: in quotes where it has more than plain characters.
func shellWord(_ word: String) -> String {
    let plain = word.utf8.allSatisfy { byte in
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte
            || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
            || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || "/._-=+,:@%".utf8.contains(byte)
    }
    return plain && !word.isEmpty ? word : "'" + word.replacing("'", with: "'\\''") + "'"
}

/// Writes a line to standard error, without the passwords of URLs.
func printError(_ line: String) { write(withoutPasswords(line) + "\n", to: 2) }

/// A text in which `…` stands for the user and the password of each URL that has both. The part may
/// have any characters but spaces and quotes, for a password whose own are not encoded.
func withoutPasswords(_ text: String) -> String {
    var shown = ""
    var rest = text[...]
    while let mark = rest.firstRange(of: "://") {
        shown += rest[..<mark.upperBound]
        rest = rest[mark.upperBound...]
        let word = rest.prefix { !$0.isWhitespace && $0 != "'" && $0 != "\"" }
        guard let at = word.lastIndex(of: "@"), word[..<at].contains(":") else { continue }
        shown += "…"
        rest = rest[at...]
    }
    return shown + rest
}

/// Writes the whole text to a descriptor.
func write(_ text: String, to descriptor: Int32) { write(Array(text.utf8), to: descriptor) }

/// Writes all bytes to a descriptor; after an error the rest is lost.
func write(_ bytes: [UInt8], to descriptor: Int32) {
    bytes.withUnsafeBytes { buffer in
        var rest = buffer[...]
        while !rest.isEmpty {
            let count = Glibc.write(
                descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
