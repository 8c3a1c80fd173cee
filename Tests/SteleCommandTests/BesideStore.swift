/// An app's store, and a service that keeps its history in a file beside it.

import Foundation
import SteleModel
import SteleModelFiles
import TestSupport
import Testing

/// A store without a history, with its model.
struct BesideStore {
    let path: String
    /// The path of the model.
    let model: String
    let arguments: [String]

    init() throws {
        let text =
            #"{"entities":[{"name":"Thing","attributes":[{"name":"name","type":"String"},"#
            + #"{"name":"count","type":"Integer 32"}]}]}"#
        model = try temporaryFile(text, name: "Things.json")
        path = String(model.dropLast("Things.json".count)) + "things.sqlite"
        try makeBareStore(try ModelFile.read(model).model(), at: path)
        arguments = [
            "serve", model, "--store", path, "--port", "0", "--log-level", "error",
        ]
    }

    static func post(_ name: String, _ caller: Caller) -> Int? {
        caller.ask(
            "POST", "/Thing", #"{"name":"\#(name)","count":1}"#,
            headers: ["Content-Type: application/json"])?.status
    }

    /// Serves the store after its service has ended, and checks what it has: each object is one
    /// save.
    /// - Returns: whether the history has begun anew.
    func check(_ answered: Set<String>) throws -> Bool {
        let before = try history()
        let server = try Program(arguments)
        let caller = try Caller(server.lines(2))
        let saves = try caller.history()
        let now = saves.last.map { Torture.text($0["transaction"]) }
        server.signal(SIGTERM)
        #expect(server.end().status == 0)
        let names = try RawDatabase(path).texts("SELECT ZNAME FROM ZTHING")
        #expect(Set(names).count == names.count)
        #expect(answered.subtracting(names) == [])
        #expect(
            try RawDatabase(path).texts("SELECT ZTRANSACTION FROM STELE_SAVE") == ["\(names.count)"]
        )
        // All saves up to the last one, or none.
        let told = saves.compactMap { save -> String? in
            let changes = save["changes"] as? [[String: Any]]
            return ((changes?.first?["object"] as? [String: Any])?["name"]).map { "\($0)" }
        }
        #expect(told.count == saves.count && told == Array(names.suffix(told.count)))
        if let now { #expect(now.hasSuffix("-\(names.count)")) }
        let after = try history()
        #expect(after == before.filter { $0 <= names.count } || after == [])
        for file in [path, path + "-stele"] {
            #expect(try RawDatabase(file).texts("PRAGMA integrity_check") == ["ok"])
        }
        return after == [] && !before.isEmpty
    }

    /// The numbers in the file of the history.
    private func history() throws -> [Int] {
        try RawDatabase(path + "-stele").texts("SELECT Z_PK FROM ATRANSACTION ORDER BY Z_PK")
            .compactMap { Int($0) }
    }
}
