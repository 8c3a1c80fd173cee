/// Stores in folders in which nothing can be made. The superuser may write everywhere, so the program
/// runs as another user there.

import Foundation
import SteleModel
import SteleModelFiles
import TestSupport
import Testing

@Suite struct UnwritableFolderTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func run(_ arguments: [String]) throws -> (status: Int32, errors: String) {
        let program = try Program(
            ["-k", "1", "10"]
                + (getuid() == 0
                    ? ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : [])
                + [Program.path] + arguments,
            environment: ["HOME": "/tmp"], folder: folder.path, file: "/usr/bin/timeout")
        return program.end()
    }

    private static func model(_ more: String) -> String {
        #"{"entities":[{"name":"Tag","attributes":[{"name":"label","type":"String"}\#(more)]}]}"#
    }

    /// Every command that writes a store says what `serve` says.
    @Test(arguments: [false, true]) func everyCommandAsksForPermission(_ isOfApp: Bool) throws {
        try folder.write(Self.model(""), to: "m.json")
        try folder.write(#"{"label":"x"}"#, to: "Tag.ndjson")
        try folder.write(
            Self.model(#",{"name":"n","type":"Integer 16"}"#), to: "m2.json")
        let place = folder.path + "/ro"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
        let made = try Program.run(
            "import", "m.json", "--store", "ro/s.sqlite", "Tag.ndjson", folder: folder.path)
        try #require(made.status == 0, "\(made)")
        let backed = try Program.run(
            "backup", "ro/s.sqlite", "--to", "backups", folder: folder.path)
        try #require(backed.status == 0, "\(backed)")
        let backup =
            "backups/"
            + (try FileManager.default.contentsOfDirectory(atPath: folder.path + "/backups"))[0]
        if isOfApp {
            try makeBareStore(
                try ModelFile.read(folder.path + "/m.json").model(), at: place + "/s.sqlite")
        }
        for file in try FileManager.default.contentsOfDirectory(atPath: place) {
            chmod(place + "/" + file, 0o444)
        }
        for shared in ["", "/backups", "/" + backup] { chmod(folder.path + shared, 0o755) }
        chmod(place, 0o555)
        defer { chmod(place, 0o755) }
        for arguments in [
            ["migrate", "m2.json"], ["serve", "m2.json", "--migrate", "--port", "0"],
            ["serve", "m.json", "--port", "0"], ["import", "m.json", "Tag.ndjson"],
            ["restore", backup],
        ] {
            let end = try run(arguments + ["--store", "ro/s.sqlite"])
            #expect(end.status == 1, "\(arguments): \(end.errors)")
            #expect(
                end.errors.contains(
                    "ro/s.sqlite cannot be written: a store needs write permission for its file and "
                        + "for its folder"), "\(arguments): \(end.errors)")
        }
    }
}
