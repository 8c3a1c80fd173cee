// `stele predicate`: what it prints, where its caret stands, and that it leaves nothing behind.

import Foundation
import TestSupport
import Testing

@testable import SteleCommand

@Suite struct PredicateCommandTests {
    private let model = samplePath("League")

    @Test("a predicate is printed back on the first line")
    func prints() throws {
        for (text, printed) in [
            ("a=1&&b=2", "a == 1 AND b == 2"),
            ("NONE a.b like[c]'x'", "NOT ANY a.b LIKE[c] \"x\""),
            ("  x\n==\t1 ", "x == 1"),
            ("größe > 1.50", "größe > 1.5"),
        ] {
            let run = try Program.run("predicate", text)
            #expect(run.status == 0)
            #expect(run.output == printed + "\n")
            #expect(run.errors == "")
        }
    }

    @Test("what SQL means by a per cent sign in LIKE is told, and the predicate taken")
    func foreignWildcards() throws {
        let run = try Program.run("predicate", "a LIKE '%x%' OR NOT b LIKE '*%'")
        #expect(run.status == 0 && run.output == "a LIKE \"%x%\" OR (NOT b LIKE \"*%\")\n")
        #expect(run.errors.hasPrefix("note: in LIKE, % is a per cent sign"))
        #expect(try Program.run("predicate", "a LIKE '*%' OR a == '%'").errors == "")
    }

    @Test("a text that begins with a dash comes after two dashes")
    func dash() throws {
        let run = try Program.run("predicate", "--", "-a == 1")
        #expect(run.status == 0)
        #expect(run.output == "0 - a == 1\n")
    }

    @Test(
        "what cannot be read is an error with a caret under the place",
        arguments: [
            (
                "name BEGNSWITH 'x'", "did you mean BEGINSWITH?",
                "  name BEGNSWITH 'x'\n       ^"
            ),
            ("", "empty", "  \n  ^"),
            ("a ==", "ends", "  a ==\n      ^"),
            ("sm(a) > 1", "did you mean sum?", "  sm(a) > 1\n  ^"),
            ("a BETWEEN {1}", "BETWEEN {low, high}", "  a BETWEEN {1}\n            ^"),
            ("FUNCTION(x,'dealloc') == 1", "dealloc", "\n             ^"),
            ("日本 = = 1", "position 5", "  日本 = = 1\n         ^"),
            ("a\t=\t= 1", "position 4", "  a = = 1\n      ^"),
            ("a == 1 AND\n  b = = 2", "line 2, column 7", "    b = = 2\n        ^"),
        ])
    func refuses(text: String, words: String, picture: String) throws {
        let run = try Program.run("predicate", text)
        #expect(run.status == 1)
        #expect(run.output == "")
        #expect(run.errors.hasPrefix("stele: "))
        #expect(run.errors.contains(words), "\(run.errors)")
        #expect(run.errors.hasSuffix(picture + "\n"), "\(run.errors)")
    }

    @Test("a long text is shown around the place, in one line that fits")
    func window() throws {
        let filler = String(repeating: "a == 1 OR ", count: 500)
        for text in [filler + "b = = 2 OR " + filler + "c == 1", "b = = 2 OR " + filler + "c == 1"]
        {
            let run = try Program.run("predicate", text)
            #expect(run.status == 1)
            let lines = run.errors.split(separator: "\n").map(Array.init)
            try #require(lines.count == 3)
            #expect(lines[1].count <= Caret.width + 4)
            let caret = try #require(lines[2].firstIndex(of: "^"))
            #expect(String(lines[1][(caret - 4)...caret]) == "b = =")
        }
    }

    @Test("a caret stands under its place whatever the line holds")
    func carets() {
        for (text, position, picture) in [
            ("abc", 0, "  abc\n  ^"), ("abc", 3, "  abc\n     ^"), ("abc", 9, "  abc\n     ^"),
            ("abc", -1, "  abc\n  ^"), ("a\u{1B}c", 2, "  a\u{FFFD}c\n    ^"),
            ("e\u{301}x", 2, "  e\u{301}x\n   ^"), ("日x", 1, "  日x\n    ^"),
            ("a\nbc\nd", 3, "  bc\n   ^"), ("a\r\nb", 3, "  b\n  ^"), ("a\n", 2, "  \n  ^"),
        ] {
            #expect(Caret.picture(of: text, at: position) == picture, "\(text) \(position)")
        }
    }

    @Test("with a model the types, the SQL, what is bound and the plan follow")
    func explains() throws {
        let run = try Program.run(
            "predicate", "--model", model, "--entity", "Player",
            "name BEGINSWITH \"Ab\" AND joinedAt > '2001-01-02' AND goals > $N", "--var", "N=3")
        #expect(run.status == 0, "\(run.errors)")
        let lines = run.output.split(separator: "\n").map(String.init)
        #expect(
            lines.first
                == "name BEGINSWITH \"Ab\" AND joinedAt > \"2001-01-02\" AND goals > $N")
        func block(_ name: String) -> [String] {
            guard let start = lines.firstIndex(of: name + ":") else { return [] }
            return lines[(start + 1)...].prefix { $0.hasPrefix("  ") }
                .map { $0.trimmingCharacters(in: .whitespaces) }
        }
        let types = block("types").map { $0.split(separator: " ", omittingEmptySubsequences: true) }
        #expect(types.contains { $0.first == "name" && $0.last == "String" })
        #expect(types.contains { $0.first == "joinedAt" && $0.last == "Date" })
        #expect(types.contains { $0.first == "CAST(86400.000000," && $0.last == "Date" })
        #expect(types.contains { $0.joined(separator: " ") == "goals Integer 32" })
        #expect(block("sql").count == 1)
        #expect(block("sql").first?.contains("FROM ZPLAYER t0 WHERE") == true)
        #expect(block("bindings").contains { $0.hasSuffix("= \"Ab\"") })
        #expect(block("bindings").contains { $0.hasSuffix("= 3") })
        #expect(block("plan").contains { $0.contains("Z_Player_name") })
    }

    @Test(
        "with a model keys and types are checked, at their own places",
        arguments: [
            ("nmae == 'x'", "did you mean name?", 2),
            ("name == \"nmae\" AND nmae == 1", "did you mean name?", 21),
            ("goals == 1 AND team.goals == 2", "goals", 22),
            ("goals > 1 OR goals  ==  'x'", "text", 26),
            ("name == YES", "YES and NO", 10),
            ("name > goals", "never equal", 9),
            ("team.nam.x == 1", "nam", 7),
            ("goals == $X", "no value", 11),
            ("goals BETWEEN number", "two", 16),
            ("ANY name == 'x'", "to-many", 6),
            ("goals > 3 AND joinedAt > '2024-02-30'", "does not exist", 27),
            ("goals > 3 AND team == '/Player/3'", "/Team/3", 24),
            (
                String(repeating: "abs(", count: 60) + "goals"
                    + String(repeating: ")", count: 60) + " == 1", "SQLite's parser", 41
            ),
        ])
    func checks(text: String, words: String, column: Int) throws {
        let run = try Program.run("predicate", "--model", model, "--entity", "Player", text)
        #expect(run.status == 1)
        #expect(run.output == "")
        #expect(run.errors.contains(words), "\(run.errors)")
        #expect(run.errors.hasSuffix("\n" + String(repeating: " ", count: column) + "^\n"))
    }

    @Test("what is missing or misspelt beside the text is named")
    func options() throws {
        func errors(_ arguments: String...) throws -> String {
            let program = try Program(["predicate", "goals == 1"] + arguments)
            let (status, errors) = program.end()
            #expect(status == 1)
            #expect(program.text == "")
            return errors
        }
        #expect(try errors("--entity", "Player").contains("add --model"))
        #expect(try errors("--var", "N=1").contains("add --model"))
        #expect(try errors("--model", model).contains("Player, Team"))
        #expect(try errors("--model", model, "--entity", "Playr").contains("did you mean Player?"))
        #expect(try errors("--model", model, "--entity", "Xyzzy").contains("Player, Team"))
        #expect(try errors("--model", "nowhere.json", "--entity", "A").contains("nowhere.json"))
        #expect(
            try errors("--model", model, "--entity", "Player", "--var", "N")
                .contains("NAME=VALUE"))
    }

    @Test("no file is left where it runs")
    func leavesNothing() throws {
        let folder = try TemporaryFolder()
        let run = try Program.run(
            "predicate", "goals == 1", "--model", model, "--entity", "Player",
            environment: ["TMPDIR": folder.path], folder: folder.path)
        #expect(run.status == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }
}
