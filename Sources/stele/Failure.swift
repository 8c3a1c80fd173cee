/// Why a command ends without having done its work.

import ArgumentParser
import Glibc
import SteleHTTP
import SteleModel
import StelePersistence

/// A sentence for standard error; the exit status is 1.
struct Failure: Error {
    let message: String

    init(_ message: String) { self.message = message }

    /// Runs a command, and says in one sentence what went wrong where something did.
    static func reporting(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch let code as ExitCode {
            throw code
        } catch let invalid as ValidationError {
            // The usage, and status 64.
            throw invalid
        } catch {
            printError("stele: \(sentence(error))")
            throw ExitCode.failure
        }
    }

    /// What an error comes to in words.
    static func sentence(_ error: any Error) -> String {
        switch error {
        case let failure as Failure: failure.message
        case let errors as ModelErrors: errors.description
        case let error as HTTPServerError: error.description
        case let error as StoreError: sentence(error)
        default: "\(error)"
        }
    }

    static func sentence(_ error: StoreError) -> String {
        switch error {
        case .incompatible(_, let text), .noRoom(let text), .busy(let text), .moved(let text),
            .unsupported(let text), .invalid(let text), .tooLarge(let text), .failed(let text):
            text
        case .predicate(let error): error.description
        case .overBudget: "a statement ran for longer than its reader's budget"
        case .deadline(let seconds): "a statement ran for longer than \(seconds) seconds"
        case .conflicts: "objects were changed by another program meanwhile"
        case .constraint(let conflict):
            "\(conflict.constraint.joined(separator: ", ")) must be unique, and is not"
        case .expired: "the history of what was saved meanwhile is gone"
        case .closed: "the store is closed"
        }
    }
}

/// Writes a line to standard error.
func printError(_ line: String) { write(line + "\n", to: 2) }

/// Writes text to a descriptor, whole.
func write(_ text: String, to descriptor: Int32) { write(Array(text.utf8), to: descriptor) }

/// Writes bytes to a descriptor, whole; what cannot be written is lost.
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
