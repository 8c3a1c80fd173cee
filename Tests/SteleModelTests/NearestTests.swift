// The name that a mistyped one is taken for, and what is too far from any.

import SteleModel
import Testing

struct NearestTests {
    @Test(
        "a name is near where a third of its letters differ at most",
        arguments: [
            ("nmae", "name"), ("Name", "name"), ("goal", "goals"), ("tem", "team"),
            ("nubmer", "number"), ("nubmre", "number"), ("teams", "team"), ("größ", "größe"),
            ("xyz", nil), ("", nil), ("x", nil), ("naem_", nil),
        ] as [(String, String?)])
    func finds(_ wrong: String, _ right: String?) {
        let known = ["name", "number", "goals", "team", "größe", "y"]
        #expect(Nearest.name(to: wrong, among: known) == right)
        #expect(Nearest.hint(to: wrong, among: known) == right.map { "did you mean \($0)?" })
    }

    @Test("of equally near names the first is taken, and long ones take no time")
    func ties() {
        #expect(Nearest.name(to: "cat", among: ["car", "bat"]) == "car")
        #expect(Nearest.name(to: "cat", among: ["bat", "car"]) == "bat")
        #expect(Nearest.name(to: "cat", among: [String]()) == nil)
        let long = String(repeating: "a", count: 1 << 20)
        let known = (0..<1_000).map { long + String($0) }
        #expect(Nearest.name(to: long, among: known) == known[0])
    }
}
