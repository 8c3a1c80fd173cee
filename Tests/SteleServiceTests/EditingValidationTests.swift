// `POST /contexts/{context}/validate`: the errors of a save, before it.

import Testing

@testable import SteleService

@Suite struct EditingValidationTests {
    @Test(arguments: [false, true])
    func itSaysWhatASaveWouldSayAndSavesNothing(inMemory: Bool) throws {
        let league = try ServiceFixture(TestModels.league(), inMemory: inMemory)
        _ = league.post("/Team", #"{"name":"A"}"#)
        _ = league.post("/Player", #"{"name":"Ann","team":1}"#)
        let editor = try Editor(league)
        #expect(editor.post("/validate").status == 204, "without changes")
        _ = editor.patch("/Player/1", #"{"goals":7}"#)
        #expect(editor.post("/validate").status == 204)
        _ = editor.patch("/Player/1", #"{"number":1000}"#)
        _ = editor.post("/Player", #"{"name":""}"#)
        let refused = editor.post("/validate")
        #expect(refused.status == 422 && refused.code == "1560")
        let save = editor.post("/save")
        #expect(refused.text == save.text)
        // Nothing is saved, and no step is lost or added.
        #expect(league.get("/Player/1?select=goals,number").text == #"{"goals":0,"number":null}"#)
        #expect(try editor.state("hasChanges") == true)
        #expect(editor.post("/undo").status == 200)
        #expect(editor.post("/undo").status == 200)
        #expect(editor.post("/validate").status == 204)
        #expect(editor.post("/save").status == 200)
        #expect(league.get("/Player/1?select=goals,number").text == #"{"goals":7,"number":null}"#)
    }

    /// Floats are rounded where they are set, so a validation has nothing to undo.
    @Test func undoAndRedoStayAsTheyAre() throws {
        let editor = try Editor(ServiceFixture.zoo())
        #expect(editor.post("/Square", #"{"side":0.1}"#).status == 201)
        #expect(editor.post("/validate").status == 204)
        #expect(editor.post("/undo").status == 200)
        #expect(try editor.state("hasChanges") == false)
        #expect(editor.post("/validate").status == 204)
        #expect(editor.post("/redo").status == 200)
        #expect(editor.post("/Square", "{}").status == 201)
        #expect(editor.post("/undo").status == 200)
        #expect(editor.post("/validate").status == 204)
        #expect(editor.post("/redo").status == 200)
    }

    @Test func aChildIsValidatedToo() throws {
        let league = try ServiceFixture.league()
        let child = try Editor(league).child()
        _ = child.post("/Team", "{}")
        #expect(child.post("/validate").status == 422)
        _ = child.patch("/Team/t1", #"{"name":"A"}"#)
        #expect(child.post("/validate").status == 204)
        #expect(child.post("/save").status == 200)
    }

    @Test func itTakesNoBody() throws {
        let editor = try Editor(ServiceFixture.league())
        #expect(editor.post("/validate", #"{"x":1}"#).status == 400)
        #expect(editor.post("/validate", "{}").status == 204)
        #expect(editor.ask("GET", "/validate").status == 405)
    }
}
