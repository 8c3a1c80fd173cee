import FoundationEssentials
import SteleModel

/// Finds the file of a model by its name.
enum ModelSearch {
    /// The forms of a model, the source first.
    private static let endings = ["xcdatamodeld", "momd", "xcdatamodel", "mom", "json"]

    /// The path of a model.
    /// - Throws: `ModelErrors` with the folders in which there is none.
    static func path(of name: String) throws(ModelErrors) -> String {
        let files = FileManager.default
        for folder in folders {
            for ending in endings {
                let path = "\(folder)/\(name).\(ending)"
                if files.fileExists(atPath: path) { return path }
            }
        }
        throw ModelErrors(
            name, "there is no model of that name in \(folders.joined(separator: ", "))",
            hint: "name a file with Model(contentsOf:)")
    }

    /// The folder of the program, the resources that SwiftPM puts there, and the current folder.
    private static var folders: [String] {
        let files = FileManager.default
        let program =
            (try? files.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
            .map { String($0[..<($0.lastIndex(of: "/") ?? $0.startIndex)]) } ?? "."
        let resources = ((try? files.contentsOfDirectory(atPath: program)) ?? [])
            .filter { $0.hasSuffix(".resources") }.sorted().map { "\(program)/\($0)" }
        return [program] + resources + ["."]
    }
}
