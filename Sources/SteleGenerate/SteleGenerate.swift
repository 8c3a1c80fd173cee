/// Writes the classes of a model into one file, for `SteleModelPlugin`: it is built with a program
/// that uses the library, so it has neither the server nor a command line of its own.

import FoundationEssentials
import Glibc
import SteleCodegen
import SteleModel
import SteleModelFiles
import StelePredicates

@main
struct SteleGenerate {
    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count == 4 else { fail("three arguments are needed: MODEL OUTPUT ACCESS") }
        let (path, output) = (arguments[1], arguments[2])
        guard let access = AccessLevel(rawValue: arguments[3]) else {
            fail(
                "stele-model.json: error: accessLevel is \(arguments[3].debugDescription), and can "
                    + "be \(AccessLevel.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        do throws(ModelErrors) {
            var file = try ModelFile.read(path)
            file.embeddedMappings = try MappingSearch(model: path).embedded()
            try file.model().checkRequests()
            let generator = try SwiftGenerator(file, access: access)
            write(generator.combined().text, to: output)
            for note in generator.notes() { print("\(path): note: \(note)") }
        } catch {
            fail("\(path): error: \(error)")
        }
    }

    private static func write(_ text: String, to path: String) {
        do { try Data(text.utf8).write(to: URL(filePath: path), options: .atomic) } catch {
            fail("\(path) cannot be written: \(error)")
        }
    }

    private static func fail(_ message: String) -> Never {
        Array("\(message)\n".utf8).withUnsafeBytes { _ = Glibc.write(2, $0.baseAddress, $0.count) }
        exit(1)
    }
}
