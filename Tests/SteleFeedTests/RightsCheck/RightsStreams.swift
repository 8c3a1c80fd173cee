// Streams of the role from services whose hidden data alone differ, over several saves.

import TestSupport

@testable import SteleFeed

/// A stream of live queries and one of the feed, of each service.
struct RightsStreams {
    private let hosts: [RightsHost]
    private let live: RightsQuestion
    private let feed: RightsQuestion
    private let listeners: [Client]
    private let followers: [Client]
    /// The ids of the last events after the first save.
    private var known: [String] = []
    /// How many saves the feed has told.
    private var saves = 0
    private static let queries = ["a", "b"]

    /// Nil where the role may follow no two of some lists.
    init?(_ hosts: [RightsHost], _ questions: inout RightsQuestions) {
        var targets: [String] = []
        for _ in 0..<12 where targets.count < Self.queries.count {
            let question = questions.followed()
            guard let stream = hosts[0].stream("ann", question)?.stream else { continue }
            stream.drop()
            targets.append(question.target)
        }
        guard targets.count == Self.queries.count else { return nil }
        var live = RightsQuestion(
            "/live" + RightsQuestions.query(zip(Self.queries.map { "q.\($0)" }, targets).map { $0 })
        )
        live.accept = "text/event-stream"
        var feed = questions.changes()
        feed.accept = "text/event-stream"
        let listeners = hosts.compactMap { $0.stream("ann", live) }
        let followers = hosts.compactMap { $0.stream("ann", feed) }
        guard listeners.count == hosts.count, followers.count == hosts.count else { return nil }
        (self.hosts, self.live, self.feed) = (hosts, live, feed)
        (self.listeners, self.followers) = (listeners, followers)
        // What is saved before they have begun may be in their first rows, or be told by later data.
        for listener in listeners { _ = listener.wait(for: Self.queries.count) }
        waitForFeed(since: 0)
    }

    /// Waits until the feed has told what its page tells.
    private mutating func waitForFeed(since number: Int64) {
        var page = feed
        page.target = page.target.replacing("{STORE}-0", with: "{STORE}-\(number)")
        page.accept = "application/json"
        saves += hosts[0].answer("ann", page).body.ranges(of: #"{"transaction":"#).count
        for follower in followers {
            // A thread of low priority may tell them, and others may have all processors.
            for _ in 0..<6 where !follower.wait(for: saves) {}
        }
    }

    /// What the services have told where it differs, after they have told the saves between two
    /// tokens.
    mutating func difference(
        since start: Int64, at token: Int64
    ) -> (RightsQuestion, [RightsAnswer])? {
        if let told = difference(of: listeners, at: token) { return (live, told) }
        if known.isEmpty { known = listeners.map(\.lastEventID) }
        waitForFeed(since: start)
        let changes = zip(hosts, followers).map { $0.told($1) }
        return changes[0] == changes[1] ? nil : (feed, changes)
    }

    /// What the services tell clients that have missed all saves but the first, where it differs. The
    /// queries are followed by nobody meanwhile, so it is made of the history.
    func differenceAtReturn(at token: Int64) throws -> (RightsQuestion, [RightsAnswer])? {
        if known.isEmpty { return nil }
        for client in listeners { client.stream.drop() }
        for host in hosts { try waitUntil { host.service.liveQueries.figures.queries == 0 } }
        let back = zip(hosts, known).compactMap { host, id in
            var question = live
            question.fields = [("Last-Event-ID", id)]
            return host.stream("ann", question)
        }
        defer { for client in back { client.stream.drop() } }
        // Refused, such as one of the members of an object that has been deleted.
        if back.count < hosts.count {
            let answers = hosts.map { $0.answer("ann", live) }
            return answers[0] == answers[1] ? nil : (live, answers)
        }
        return difference(of: back, at: token).map { (live, $0) }
    }

    /// What clients of the services were told, where it differs, once they know a save.
    private func difference(of clients: [Client], at token: Int64) -> [RightsAnswer]? {
        let count = Self.queries.count
        for (host, client) in zip(hosts, clients) {
            let isTold = client.wait {
                if !$0.failed.isEmpty { return true }
                let id = LiveID($0.lastEventID)
                return (0..<count).allSatisfy { (id?.number(at: $0, of: count) ?? 0) >= token }
            }
            if !isTold { return [host.told(client)] }
        }
        let told = zip(hosts, clients).map { $0.told($1) }
        return told[0] == told[1] ? nil : told
    }

    func drop() { for client in listeners + followers { client.stream.drop() } }
}

extension RightsHost {
    /// A stream; nil where it is refused.
    func stream(_ who: String, _ question: RightsQuestion) -> Client? {
        guard case .events(let stream) = response(who, question).body else { return nil }
        return Client(stream)
    }

    /// The events of a stream, those of each query together: which query is told first of a save
    /// depends on how long they take. Ids have drawn marks.
    fileprivate func told(_ client: Client) -> RightsAnswer {
        var byQuery = Dictionary(grouping: client.events) { $0.name.prefix { $0 != "." } }
        // An error ends the stream, wherever the other queries are.
        let failed = client.failed
        if !failed.isEmpty { byQuery = byQuery.filter { failed.contains($0.key) } }
        let events = byQuery.sorted { $0.key < $1.key }.flatMap(\.value).map {
            "\($0.name) \(plain($0.data))"
        }
        let state = client.stream.isClosed ? "closed" : "open"
        return RightsAnswer(
            status: 200, fields: [state], body: events.joined(separator: "\n      "))
    }
}

extension Client {
    /// The queries that ended with an error.
    fileprivate var failed: Set<Substring> {
        Set(
            events.filter { $0.name.hasSuffix(".error") }.map { $0.name.prefix { $0 != "." } })
    }
}
