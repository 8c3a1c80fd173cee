// Rounds of the check of rights: a world, its services, and questions.

import SteleHTTP
import SteleModel
import StelePersistence
import TestSupport

@testable import SteleDifferential

/// One round: two services whose hidden data alone differ are asked the same, and so is one that
/// has no hidden data, by a reader of everything.
struct RightsCheck {
    let world: RightsWorld
    private let kind: StoreKind
    let hosts: [RightsHost]
    /// Without the objects that the role does not see. It has their keys no more.
    private let pruned: RightsHost
    var questions: RightsQuestions
    /// Questions that were asked.
    private(set) var asked = 0
    /// Those among them that were answered with something.
    private(set) var told = 0
    /// Those among them whose answers were also those of the service without hidden data.
    private(set) var compared = 0
    /// Writes that were asked, those that changed something, and those whose answers differed as
    /// they may.
    var writes = (all: 0, done: 0, refused: 0, revealing: 0)
    /// The hidden partners that one of the services alone has, before a write.
    var partners: Set<HiddenPartner> = []
    /// The saves after which streams were compared.
    var followed = 0
    /// How many pairs of clients have come back to their streams.
    var returns = 0
    /// Answers with an entity tag, to ask again with it.
    private var tagged: [(question: RightsQuestion, tag: String)] = []
    private(set) var failures: [String] = []
    private let seed: UInt64

    init(_ world: RightsWorld, _ kind: StoreKind, seed: UInt64) throws {
        self.world = world
        self.kind = kind
        self.seed = seed
        let rights = world.rules.file
        hosts = try [world.one, world.other].map { try RightsHost(kind, $0, rights: rights) }
        var plain = world.one
        plain.model = try RightsTemplates.model(seed: seed, nullifies: true)
        pruned = try RightsHost(kind, plain, rights: rights)
        questions = RightsQuestions(world, seed: seed &+ 3)
        for (place, id) in world.one.keys.enumerated()
        where world.seen.keys[id.root]?.contains(id.key) != true {
            let entity = world.model.entities[world.one.objects[place].entity]
            let gone = pruned.response(
                "root", RightsQuestion("DELETE", "/\(entity.name)/\(id.key)"))
            if gone.status != 204 { throw NotDeleted(status: gone.status) }
        }
    }

    struct NotDeleted: Error { let status: Int }

    mutating func run(_ count: Int) throws {
        for _ in 0..<count where failures.isEmpty {
            let question = questions.read()
            ask(question)
            if questions.numbers.one(in: 4) { askAgain() }
            if question.target.hasPrefix("/changes") || question.isStream { continue }
            try compareWithPruned(question)
        }
        guard failures.isEmpty else { return }
        try write()
    }

    /// Asks both, and the pages that follow.
    @discardableResult
    mutating func ask(_ question: RightsQuestion) -> RightsAnswer {
        var question = question
        var first: RightsAnswer?
        for _ in 0..<3 {
            let answers = hosts.map { $0.answer("ann", question) }
            asked += 1
            if answers[0].status < 300, answers[0].body.utf8.count > 2 { told += 1 }
            if answers[0] != answers[1], !excepts(question, answers) {
                fail(question, answers.map { ("ann", $0) })
            }
            first = first ?? answers[0]
            if let tag = answers[0].tag, question.method == "GET", question.fields.isEmpty {
                tagged = tagged.suffix(7) + [(question, tag)]
            }
            guard let next = answers[0].next, question.method == "GET" else { break }
            question.target = next
        }
        return first ?? hosts[0].answer("ann", question)
    }

    /// Asks again for what may be the same as it was.
    mutating func askAgain() {
        guard let (asked, tag) = tagged.randomElement(using: &questions.numbers) else { return }
        var question = asked
        let name = questions.numbers.pick("If-None-Match", "If-None-Match", "If-Match")
        question.fields = [(name, tag)]
        ask(question)
    }

    /// An entity tag that was told, of this object or of another.
    mutating func anyTag(of path: String) -> String? {
        if !questions.numbers.one(in: 3) { return ask(RightsQuestion(path)).tag }
        return tagged.randomElement(using: &questions.numbers)?.tag
    }

    /// What is not seen does not exist: lists of columns are those of a store without it. Versions
    /// differ, because objects that led to a deleted one have changed.
    private mutating func compareWithPruned(_ question: RightsQuestion) throws {
        var question = question
        let path = question.target.prefix { $0 != "?" }
        guard let name = path.split(separator: "/").first,
            let entity = world.model.entity(named: String(name)), world.rules.tells(entity),
            !path.dropFirst().contains("/") || path.hasSuffix("/count"),
            !["_version", RightsTemplates.sizes].contains(where: question.target.contains)
        else { return }
        if !path.hasSuffix("/count"), !question.target.contains("select=") {
            if question.target.contains("include=") || question.target.contains("format=") {
                return
            }
            question.target += question.target.contains("?") ? "&select=_id" : "?select=_id"
        }
        let answer = hosts[0].answer("ann", question)
        let other = pruned.answer("root", question)
        // Rules count for the depth that the database's parser takes.
        if answer.status == 403 || answer.isOfParserDepth { return }
        compared += 1
        if answer.status != other.status || answer.body != other.body {
            fail(question, [("ann", answer), ("root without hidden data", other)])
        }
    }

    mutating func fail(_ question: RightsQuestion, _ answers: [(String, RightsAnswer)]) {
        let told = answers.map { "    \($0): \($1)" }.joined(separator: "\n")
        failures.append(
            """
            \(kind), seed \(seed): \(question)
            \(told)
            rules: \(world.rules.texts)
            objects:
            \(world.one.dump)
            and with other hidden data:
            \(world.other.dump)
            seen:
            \(world.seen.lines.joined(separator: "\n"))
            """)
    }
}
