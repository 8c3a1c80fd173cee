// What lies on disk: folders, versions, text that is cut or hostile.

import Foundation
import SteleModel
import SteleModelFiles
import TestSupport
import Testing

@Suite("Model files")
struct FileTests {
    private static let empty = "<model><entity name=\"A\"/></model>"

    private func write(_ text: String, _ folder: URL, _ path: String) throws {
        let file = folder.appendingPathComponent(path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    private func complaint(_ url: URL) -> String {
        do {
            let file = try ModelFile.read(url.path)
            return "read \(file.currentVersionName)"
        } catch {
            return error.description
        }
    }

    @Test("Without a choice the last version as the Finder sorts them is the current one")
    func choice() throws {
        try withFolder { folder in
            for name in ["M 10", "M", "m 9", "M 2"] {
                try write(Self.empty, folder, "M.xcdatamodeld/\(name).xcdatamodel/contents")
            }
            let package = folder.appendingPathComponent("M.xcdatamodeld")
            let file = try ModelFile.read(package.path + "/")
            #expect(file.versions.map(\.name) == ["M", "M 2", "m 9", "M 10"])
            #expect(file.currentVersionName == "M 10")
            let list = "<plist><dict></dict></plist>"
            try write(list, folder, "M.xcdatamodeld/.xccurrentversion")
            #expect(try ModelFile.read(package.path).current.name == "M 10")
            let chosen =
                "<plist><dict><key>_XCCurrentVersionName</key>"
                + "<string>M 2.xcdatamodel</string></dict></plist>"
            try write(chosen, folder, "M.xcdatamodeld/.xccurrentversion")
            #expect(try ModelFile.read(package.path).current.name == "M 2")
            try write("<model", folder, "M.xcdatamodeld/M 10.xcdatamodel/contents")
            let partial = try ModelFile.read(package.path)
            #expect(partial.versions.count == 3)
            #expect(partial.notes.contains { $0.place == "M 10" })
            try write("<model", folder, "M.xcdatamodeld/M 2.xcdatamodel/contents")
            #expect(complaint(package).contains("not well-formed"))
            let gone = chosen.replacingOccurrences(of: "M 2.x", with: "M 3.x")
            try write(gone, folder, "M.xcdatamodeld/.xccurrentversion")
            #expect(
                complaint(package).contains(
                    "M.xcdatamodeld: its current version M 3 does not exist, and .xccurrentversion "
                        + "names it (it has M, M 2, m 9, M 10)"))
        }
    }

    @Test("The binary form of Xcode 3 is refused with what to do, wherever it is")
    func elements() throws {
        try withFolder { folder in
            for version in ["One.xcdatamodel", "P.xcdatamodeld/A.xcdatamodel"] {
                for name in ["elements", "layout"] {
                    try write("bplist00", folder, "\(version)/\(name)")
                }
            }
            for path in ["One.xcdatamodel", "One.xcdatamodel/elements", "P.xcdatamodeld"] {
                let said = complaint(folder.appendingPathComponent(path))
                #expect(said.contains("binary form of Xcode 3 (elements), which cannot be read"))
                #expect(
                    said.contains(
                        "open it in Xcode 4 or later and save it, which writes a contents file, or "
                            + "give the .mom in the app's bundle"), "\(said)")
            }
        }
    }

    @Test("A single version, a bare contents file and JSON are models, too")
    func single() throws {
        try withFolder { folder in
            try write(Self.empty, folder, "One.xcdatamodel/contents")
            try write(Self.empty, folder, "loose.xml")
            try write(#"{"entities": [{"name": "A"}]}"#, folder, "Shop.json")
            for (path, name) in [
                ("One.xcdatamodel", "One"), ("One.xcdatamodel/contents", "One"),
                ("loose.xml", "loose.xml"), ("Shop.json", "Shop"),
            ] {
                let file = try ModelFile.read(folder.appendingPathComponent(path).path)
                #expect(file.current.name == name)
                #expect(file.current.entities.map(\.name) == ["A"])
            }
        }
    }

    @Test("A folder of JSON files is a model with versions")
    func jsonVersions() throws {
        try withFolder { folder in
            let text = #"{"name": "Shop", "entities": [{"name": "A"}]}"#
            for name in ["Shop 10", "Shop 2", "Shop"] { try write(text, folder, "\(name).json") }
            let file = try ModelFile.read(folder.path)
            #expect(file.versions.map(\.name) == ["Shop", "Shop 2", "Shop 10"])
            #expect(file.current.name == "Shop 10")
            try write("{", folder, "Shop 2.json")
            #expect(try ModelFile.read(folder.path).versions.count == 2)
        }
    }

    @Test("All valid versions are linked, and the others are noted")
    func models() throws {
        try withFolder { folder in
            try write(#"{"entities": [{"name": "A"}]}"#, folder, "M 1.json")
            try write(#"{"entities": [{"name": "A", "parent": "B"}]}"#, folder, "M 2.json")
            try write(#"{"entities": [{"name": "A"}]}"#, folder, "M 3.json")
            let (models, notes) = try ModelFile.read(folder.path).models()
            #expect(models.map(\.name) == ["M 1", "M 3"])
            #expect(notes.map(\.place) == ["M 2"])
            try FileManager.default.removeItem(at: folder.appendingPathComponent("M 3.json"))
            let broken = try ModelFile.read(folder.path)
            #expect(throws: ModelErrors.self) { try broken.models() }
        }
    }

    @Test("What is no model says what it is")
    func notModels() throws {
        try withFolder { folder in
            #expect(complaint(folder.appendingPathComponent("no")).contains("no such file"))
            #expect(complaint(folder).contains("the folder contains no model"))
            try write("x", folder, "Old.xcdatamodel/elements")
            #expect(complaint(folder.appendingPathComponent("Old.xcdatamodel")).contains("Xcode 3"))
            try write("bplist00", folder, "C.momd/M.mom")
            #expect(complaint(folder.appendingPathComponent("C.momd")).contains("compiled"))
            #expect(complaint(folder.appendingPathComponent("C.momd/M.mom")).contains("compiled"))
            for (name, text, words) in [
                ("V1toV2.cdm", "bplist00", "compiled mapping model"),
                ("M.omo", "momv2$", "optimized compiled model"), ("M", "momv2$", "the .mom beside"),
                ("elements", "bplist00", "Xcode 3"),
                ("layout", "bplist00", "open it in Xcode 4 or later and save it"),
            ] {
                try write(text, folder, "other/" + name)
                let found = complaint(folder.appendingPathComponent("other/" + name))
                #expect(found.contains(words), "\(found)")
            }
            try write("<database/>", folder, "map.xml")
            #expect(complaint(folder.appendingPathComponent("map.xml")).contains("<database>"))
            try write("", folder, "empty")
            #expect(complaint(folder.appendingPathComponent("empty")).contains("is empty"))
        }
    }

    @Test("Entities that grow, and depth without end, are refused")
    func hostile() throws {
        try withFolder { folder in
            let bomb =
                "<!DOCTYPE model [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]><model name=\"&b;\"/>"
            try write(bomb, folder, "bomb")
            #expect(
                complaint(folder.appendingPathComponent("bomb")).contains("declares XML entities"))
            let deep = String(repeating: "<a>", count: 100_000)
            try write("<model>\(deep)", folder, "deep")
            #expect(complaint(folder.appendingPathComponent("deep")).contains("64 deep"))
            try write("<model>\n  <entity name=></model>", folder, "broken")
            #expect(
                complaint(folder.appendingPathComponent("broken"))
                    .contains("not well-formed XML: not well-formed (invalid token) at line 2"))
            let list = "{\"entities\":" + String(repeating: "[", count: 100_000)
            try write(list, folder, "deep.json")
            #expect(!complaint(folder.appendingPathComponent("deep.json")).contains("read"))
        }
    }

    @Test("A model cut at any place is refused, and never harms")
    func truncated() throws {
        let path = Samples.libraryPath + "/Library 2.xcdatamodel/contents"
        let whole = try Data(contentsOf: URL(filePath: path))
        try withFolder { folder in
            let file = folder.appendingPathComponent("contents")
            for length in stride(from: 0, to: whole.count, by: 50) {
                try whole.prefix(length).write(to: file)
                let words = length == 0 ? "the file is empty" : "not well-formed"
                #expect(complaint(file).contains(words), "\(length)")
            }
        }
    }

    @Test("A model with one byte changed is read or refused, and never harms")
    func changed() throws {
        let path = Samples.libraryPath + "/Library 2.xcdatamodel/contents"
        let whole = try Data(contentsOf: URL(filePath: path))
        let seed = drawSeed(#function)
        var generator = SeededNumbers(seed: seed)
        var read = 0
        try withFolder { folder in
            let file = folder.appendingPathComponent("contents")
            for _ in 0..<300 {
                var bytes = [UInt8](whole)
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                bytes[place] = UInt8.random(in: 0...255, using: &generator)
                try Data(bytes).write(to: file)
                guard let model = try? ModelFile.read(file.path) else { continue }
                read += 1
                #expect(!model.summary.isEmpty)
                let again = try ManagedObjectModel(
                    json: Array(model.current.json().compact.utf8), name: "")
                #expect(again == model.current)
            }
        }
        #expect(read > 0 && read < 300)
    }
}
