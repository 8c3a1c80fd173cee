import SteleJSON
import Testing

@Suite struct PointerTests {
    /// Those of RFC 6901, section 5, and marks that join with what is before them.
    @Test(arguments: [
        ("/foo", ["foo"]), ("/foo/0", ["foo", "0"]), ("/", [""]), ("/a~1b", ["a/b"]),
        ("/c%d", ["c%d"]), ("/m~0n", ["m~n"]), ("/~01", ["~1"]), ("/ ", [" "]),
        ("/a/\u{301}b", ["a", "\u{301}b"]), ("/a~1\u{301}b", ["a/\u{301}b"]),
        ("/~0\u{200D}/\u{200D}", ["~\u{200D}", "\u{200D}"]),
    ])
    func pointersAreReadAndWritten(_ text: String, _ steps: [String]) {
        #expect(JSONPointer.steps(of: text)?.map { Array($0.utf8) } == steps.map { Array($0.utf8) })
        #expect(Array(JSONPointer.text(of: steps).utf8) == Array(text.utf8))
    }

    @Test(arguments: ["", "foo", "foo/bar", " /foo"])
    func otherTextsAreNoPointersOfParts(_ text: String) {
        #expect(JSONPointer.steps(of: text) == nil)
    }
}
