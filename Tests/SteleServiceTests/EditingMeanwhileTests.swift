// What a request to an editing context makes of what others have saved since the one before.

import SteleJSON
import TestSupport
import Testing

@testable import SteleAnswers
@testable import SteleFeed
@testable import SteleRequests
@testable import SteleService

@Suite struct EditingMeanwhileTests {
    /// A canvas with circles that are on none, and a context that has put the first on it.
    private func editor(
        _ inMemory: Bool, _ settings: String, _ put: (Editor) -> Answer
    ) throws -> (ServiceFixture, Editor) {
        let shapes = try ServiceFixture(drawingModel(), inMemory: inMemory)
        #expect(shapes.post("/Canvas", #"{"name":"Page"}"#).status == 201)
        #expect(shapes.post("/Circle", #"[{"radius":1},{"radius":2},{"radius":3}]"#).status == 201)
        let editor = try Editor(shapes, settings)
        #expect(put(editor).status == 200)
        return (shapes, editor)
    }

    private func drawn(_ editor: Editor) -> String {
        editor.get("/Canvas/1/shapes?select=_id").text
    }

    @Test(arguments: [false, true], ["", #"{"mergePolicy":"overwrite"}"#])
    func aPutReplacesAllWhoAreMembersByThen(_ inMemory: Bool, _ settings: String) throws {
        for undoes in [true, false] {
            let (shapes, editor) = try editor(inMemory, settings) {
                _ = $0.ask("PATCH", "", #"{"undoEnabled":\#(undoes)}"#)
                return $0.patch("/Circle/1", #"{"canvas":1}"#)
            }
            #expect(shapes.ask("PUT", "/Canvas/1/shapes", "[1,2]").text == "[1,2]")
            #expect(editor.ask("PUT", "/Canvas/1/shapes", "[]").text == "[]")
            #expect(drawn(editor) == "[]")
            #expect(editor.get("/changes").text.contains(#""changed":{"shapes":[]}"#))
            let saved = editor.post("/save")
            #expect(saved.status == 200 && !saved.text.contains(#""transaction":null"#))
            #expect(shapes.get("/Canvas/1/shapes").text == "[]", "undo \(undoes)")
            #expect(drawn(editor) == "[]")
        }
    }

    /// A member's own to-one, the list of members and a single member, whichever is written.
    @Test(
        arguments: [false, true],
        [
            ("PATCH", "/Circle/1", #"{"canvas":null}"#), ("DELETE", "/Circle/1/canvas", nil),
            ("DELETE", "/Canvas/1/shapes/1", nil), ("PUT", "/Canvas/1/shapes", "[]"),
        ])
    func whatIsTakenOutGoesWhereOthersHavePutItInToo(
        _ inMemory: Bool, _ write: (method: String, path: String, body: String?)
    ) throws {
        let (shapes, editor) = try editor(inMemory, "") {
            $0.post("/Canvas/1/shapes", "[1]")
        }
        #expect(shapes.post("/Canvas/1/shapes", "[1]").status == 200)
        #expect(drawn(editor) == #"[{"_id":1}]"#)
        let written = editor.ask(write.method, write.path, write.body)
        #expect(written.status == (write.method == "DELETE" ? 204 : 200), "\(written.text)")
        #expect(drawn(editor) == "[]")
        #expect(editor.get("/Circle/1").text.contains(#""canvas":null"#))
        #expect(editor.post("/save").status == 200)
        #expect(shapes.get("/Circle/1").text.contains(#""canvas":null"#))
    }

    /// Changes are dropped of who has none but in a to-many, at both ends of its links.
    @Test(arguments: [false, true])
    func aRefreshDropsChangesOfToManys(_ inMemory: Bool) throws {
        let zoo = try ServiceFixture(TestModels.zoo(), inMemory: inMemory)
        #expect(zoo.post("/Page", "{}").status == 201)
        #expect(zoo.post("/Tag", #"[{"name":"a"},{"name":"b"}]"#).status == 201)
        let editor = try Editor(zoo)
        #expect(editor.ask("PUT", "/Page/1/tags", "[1,2]").text == "[1,2]")
        let state = editor.post("/refresh", #"{"merge":false}"#)
        #expect(try state.json["hasChanges"] == false, "\(state.text)")
        #expect(editor.get("/Page/1/tags").text == "[]")
        #expect(editor.get("/Tag/1/pages").text == "[]")
    }

    /// Undo leaves alone what others have done, and a list shows what there is.
    @Test(arguments: [false, true])
    func undoLeavesWhatOthersHavePutIn(_ inMemory: Bool) throws {
        let (shapes, editor) = try editor(inMemory, "") {
            $0.patch("/Circle/1", #"{"canvas":1}"#)
        }
        #expect(shapes.ask("PUT", "/Canvas/1/shapes", "[1,2]").status == 200)
        #expect(editor.post("/undo").status == 200)
        #expect(drawn(editor) == #"[{"_id":1},{"_id":2}]"#)
        #expect(try editor.state("hasChanges") == false)
        #expect(editor.post("/save").text.contains(#""transaction":null"#))
        #expect(shapes.get("/Canvas/1/shapes?select=_id").text == #"[{"_id":1},{"_id":2}]"#)
    }
}
