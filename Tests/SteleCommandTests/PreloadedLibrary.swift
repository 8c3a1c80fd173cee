/// A library in C that a process is started with, in place of functions of the system.

import Foundation
import TestSupport

/// Made once from a file of Tests, with the system's compiler.
final class PreloadedLibrary: Sendable {
    struct Failure: Error { let text: String }

    /// The program that makes libraries; nil where there is none.
    static let compiler: String? = {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        let all = ["cc", "clang", "gcc"].flatMap { name in folders.map { "\($0)/\(name)" } }
        return all.first { access($0, X_OK) == 0 }
    }()

    private let folder: TemporaryFolder?
    /// The library, for the variable `LD_PRELOAD`.
    let path: Result<String, any Error>

    /// - Parameter name: `Tests/NAME/NAME.c`.
    init(_ name: String) {
        let made = try? TemporaryFolder()
        folder = made
        path = Result {
            guard let compiler = Self.compiler else {
                throw Failure(text: "there is no C compiler")
            }
            guard let made else { throw Failure(text: "there is no temporary folder") }
            let source = packageRoot.appending(path: "Tests/\(name)/\(name).c").path
            let library = "\(made.path)/\(name).so"
            let run = try Program(
                [
                    "-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o",
                    library, source,
                ], file: compiler)
            let (status, errors) = run.end()
            guard status == 0 else { throw Failure(text: errors) }
            return library
        }
    }
}
