// Text operators and MATCHES: the file and the store in memory say the same.

import SteleModel
import StelePersistence
import StelePredicates
import TestSupport
import Testing

@testable import SteleSQLite

@Suite struct TextOperatorTests {
    private static let texts: [Value] =
        [
            "", "a", "A", "ann", "Ann", "ANN", "annabel lee", "aNNa", "joann", "ab", "abab", "aa",
            "k", "K", "\u{212A}", "\u{212A}elvin", "kelvin", "s", "S", "ſ", "ss", "ß", "ẞ",
            "Straße",
            "STRASSE", "ﬁnal", "FInal", "ﬆ", "st", "é", "e\u{301}", "É", "e", "\u{301}",
            "a\u{301}nn",
            "i", "I", "İ", "ı", "i\u{307}", "ǰ", "j", "ẖ", "😀", "👩‍👧", "a😀b", "%", "_", "*", "?",
            "\\", "a*b", "'", "\"", "a\nb", "ab\n", " ", "100%", "日本", "x\u{10FFFF}", "\u{FFFD}",
            "\u{0}", "a\u{0}ann", "ann\u{0}", "\u{0}k", "a\u{1}", "a\u{2}", "a\u{1}b",
        ].map { .string($0) } + [.null]

    private static func model() throws -> Model {
        try makeModel([
            EntityMaker("Word").attribute("name", .string).attribute("plain", .string)
                .index("by_name", on: "name")
        ])
    }

    /// The keys of the words for which it holds, or the error's code.
    private func keys(_ store: any PersistentStore, _ predicate: Predicate) throws -> String {
        var request = FetchRequest(entity: try #require(store.model.entity(named: "Word")))
        request.predicate = predicate
        let reader = try store.reader()
        defer { reader.close() }
        do { return "\(try reader.fetch(request).map(\.key).sorted())" } catch {
            if case StoreError.predicate(let it) = error { return it.code }
            throw error
        }
    }

    private func compare(_ predicates: [Predicate]) throws {
        let folder = try TemporaryFolder()
        let model = try Self.model()
        let file = try SQLiteStore.open(path: folder.store, model: model)
        defer { file.close() }
        let memory = InMemoryStore(model: model)
        let word = try #require(model.entity(named: "Word"))
        var save = SaveRequest(readToken: 0)
        save.changes = Self.texts.enumerated().map { index, text in
            ObjectChange(
                .insert, entity: word.index, key: Int64(-1 - index),
                values: word.row(["name": text, "plain": text]))
        }
        for store in [memory, file] as [any PersistentStore] { _ = try store.save(save) }
        for predicate in predicates {
            let (expected, found) = (try keys(memory, predicate), try keys(file, predicate))
            #expect(expected == found, "\(predicate.description)")
        }
    }

    private static let optionSets: [ComparisonOptions] = [
        [], .caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive],
        [.caseInsensitive, .normalized], [.caseInsensitive, .localeSensitive],
    ]

    @Test func textOperatorsAgreeOnAwkwardNames() throws {
        let types: [Comparison.Operator] = [
            .beginsWith, .endsWith, .contains, .like, .equal, .notEqual, .lessThan,
        ]
        let wanted =
            Self.texts
            + ["a*", "*a", "an?", "?", "\\**", "*nn*", "k*", "ss*", "fi*"]
            .map { .string($0) }
        var predicates: [Predicate] = []
        for options in Self.optionSets {
            for type in types {
                for text in wanted {
                    for key in ["name", "plain"] {
                        let it = Predicate.comparison(
                            Comparison(.key(key), type, .constant(text), options: options))
                        predicates.append(key == "name" ? it : .not(it))
                    }
                }
            }
        }
        try compare(predicates)
    }

    @Test func regularExpressionsAgreeOnAwkwardNames() throws {
        let patterns = [
            "", ".*", "a|ann", "an+", "(?i)ann", "^a.*$", "a.b", "(?s)a.b", "[a-z]+", "\\w+", "\\X",
            ".", "..", "é", "[é]", "strasse", "(ab)\\1", "k.*", "\\p{Lu}+", "i̇", "\\\\", "\\*",
            "(", "[a",
        ]
        var predicates: [Predicate] = []
        for options in Self.optionSets {
            for pattern in patterns {
                let it = Predicate.comparison(
                    Comparison(
                        .key("name"), .matches, .constant(.string(pattern)), options: options))
                predicates += [it, .not(it)]
            }
            predicates.append(
                .comparison(
                    Comparison(
                        .constant(.string("a")), .matches, .key("name"), options: options)))
        }
        try compare(predicates)
    }

    // MARK: Errors and bounds

    /// A store with one word of many letters a and a !.
    private func store(_ folder: TemporaryFolder, _ text: String) throws -> SQLiteStore {
        let store = try SQLiteStore.open(path: folder.store, model: Self.model())
        let word = try #require(store.model.entity(named: "Word"))
        _ = try store.insert(word, ["name": .string(text), "plain": .string("(")])
        return store
    }

    private func count(
        _ store: SQLiteStore, _ text: String, _ budget: ReadBudget? = nil
    ) throws -> Int {
        var request = FetchRequest(entity: try #require(store.model.entity(named: "Word")))
        request.predicate = try Predicate(format: text)
        let reader = try store.reader(budget: budget)
        defer { reader.close() }
        return try reader.count(request)
    }

    @Test func whatRunsTooLongIsAnErrorThatSaysSo() throws {
        let folder = try TemporaryFolder()
        let store = try store(folder, String(repeating: "a", count: 40) + "!")
        defer { store.close() }
        for text in ["name MATCHES '(a+)+$'", "NOT name MATCHES '(a|aa)+$'"] {
            #expect { try count(store, text) } throws: { error in
                guard case StoreError.predicate(let it) = error else { return false }
                return it.code == "predicate.limit" && it.hint != nil
                    && it.message.contains("200 ms on a text of 41 characters")
            }
        }
        #expect(try count(store, "name MATCHES 'a+!'") == 1, "the connection goes on")
    }

    @Test func aPatternOfAColumnThatIsNoneIsAnError() throws {
        let folder = try TemporaryFolder()
        let store = try store(folder, "a")
        defer { store.close() }
        #expect { try count(store, "name MATCHES plain") } throws: { error in
            if case StoreError.predicate(let it) = error {
                it.code == "predicate.pattern"
            } else {
                false
            }
        }
    }

    @Test func underABudgetALongMatchIsBrokenOff() throws {
        let folder = try TemporaryFolder()
        let store = try store(folder, String(repeating: "a", count: 40) + "!")
        defer { store.close() }
        let budget = ReadBudget(steps: 40_000, nanoseconds: 20_000_000_000)
        #expect(try count(store, "name MATCHES 'a+!'", budget) == 1)
        #expect { try count(store, "name MATCHES '(a+)+$'", budget) } throws: { error in
            if case StoreError.overBudget = error { true } else { false }
        }
    }
}
