/// One client of a soak, on a thread of its own.

import Foundation
import TestSupport

/// What a client does again and again.
enum SoakRole: CaseIterable {
    case reader, exporter, writer, bulkWriter, subscriber, listener, editor, vanisher, drop, failer

    /// How many clients do it at a time.
    var count: Int {
        switch self {
        case .reader, .writer, .exporter, .subscriber: 3
        case .listener, .vanisher: 2
        default: 1
        }
    }
}

struct SoakClient {
    let state: SoakState
    let role: SoakRole
    /// A number of its own, for what it makes.
    let number: Int
    var numbers: SeededNumbers
    private var connection: RawConnection?
    private var made: [Int] = []
    /// Longer than a statement takes and the service is stopped.
    private static let longest = 60.0

    init(_ state: SoakState, _ role: SoakRole, number: Int, seed: UInt64) {
        self.state = state
        self.role = role
        self.number = number
        numbers = SeededNumbers(seed: seed)
    }

    /// Goes on until the run is over.
    mutating func run() {
        while !state.isOver {
            switch role {
            case .reader: read()
            case .exporter: export()
            case .writer: write()
            case .bulkWriter: writeMany()
            case .subscriber: follow("/changes?values=\(numbers.one(in: 2))")
            case .listener:
                let age = numbers.below(60)
                follow("/Person?limit=20&sort=-name&where=age%20%3E%20\(age)")
            case .editor: edit()
            case .vanisher: vanish()
            case .drop: drip()
            case .failer: fail()
            }
        }
        for id in made { ask("DELETE", "/Person/\(id)") }
    }

    // MARK: Requests

    static func bytes(
        _ method: String, _ path: String, _ body: String = "", _ fields: [String] = []
    ) -> [UInt8] {
        var head = "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\n"
        for field in fields { head += field + "\r\n" }
        if !body.isEmpty {
            if !fields.contains(where: { $0.hasPrefix("Content-Type") }) {
                head += "Content-Type: application/json\r\n"
            }
            head += "Content-Length: \(body.utf8.count)\r\n"
        }
        return Array((head + "\r\n" + body).utf8)
    }

    /// Asks over the client's connection.
    @discardableResult
    private mutating func ask(
        _ method: String, _ path: String, _ body: String = "", _ fields: [String] = []
    ) -> RawAnswer? {
        let isNew = connection == nil
        connection = connection ?? RawConnection(port: state.port)
        connection?.send(Self.bytes(method, path, body, fields))
        let reading = connection?.answer(within: Self.longest, keep: 65_536)
        if case .answer(let answer)? = reading {
            if answer.closes { connection = nil }
            state.note("\(role)", answer.status) { "\(method) \(path): \(answer.text)" }
            return answer
        }
        connection = nil
        switch reading {
        case .ended(partly: false)? where !isNew:
            return ask(method, path, body, fields)
        case .malformed(let text)?: state.fail("\(method) \(path) is answered by \(text)")
        case .silent?: state.fail("\(method) \(path) is not answered")
        default: state.noteUnanswered()
        }
        return nil
    }

    private mutating func person() -> Int { 1 + numbers.below(state.people) }
    private mutating func team() -> Int { 1 + numbers.below(state.teams) }

    private mutating func read() {
        let name = numbers.pick("Ann", "Bo", "Cy", "Di", "Ed", "Ännchen")
        let paths = [
            "/Person/\(person())", "/Person/\(person())?include=team", "/Team/\(team())",
            "/Person?limit=50&offset=\(numbers.below(2_000))",
            "/Person?where=name%20%3D%3D%20\"\(name)\"&limit=20",
            "/Person?where=age%20BETWEEN%20%7B\(numbers.below(40)),50%7D&sort=-salary&limit=10",
            "/Person/count?where=age%20%3E%20\(numbers.below(80))",
            "/Team/\(team())/members?limit=100", "/Team/\(team())/members/count",
            "/Team?include=members&limit=3", "/changes?limit=50&since=0",
            "/Person?select=age,n:count(),s:sum(salary)&groupBy=age", "/metrics", "/",
            "/Person?limit=100&format=csv", "/Person?limit=30&select=name,team.name",
        ]
        let path = numbers.pick(paths, or: "/").replacing("\"", with: "%22")
            .replacing("Ä", with: "%C3%84")
        ask("GET", path, "", numbers.one(in: 4) ? ["Accept-Encoding: gzip"] : [])
        state.sleep(Double(numbers.below(20)) / 1_000)
    }

    /// All objects, slowly enough that another export begins before this one ends.
    private mutating func export() {
        let path = "/Person?format=ndjson" + (numbers.one(in: 4) ? "&include=team" : "")
        guard let own = RawConnection(port: state.port, receiveBuffer: 65_536) else { return }
        own.pause = 0.004 + Double(numbers.below(12)) / 1_000
        own.send(Self.bytes("GET", path))
        state.noteExport(1)
        defer { state.noteExport(-1) }
        switch own.answer(within: Self.longest) {
        case .answer(let answer): state.note("exporter", answer.status) { path }
        case .malformed(let text): state.fail("\(path) is answered by \(text)")
        default: state.noteUnanswered()
        }
    }

    private mutating func write() {
        let mark = "w\(number)"
        switch numbers.below(10) {
        case 0..<3:
            let body =
                "{\"name\":\"\(numbers.pick("Ann", "Bo", "Cy"))\",\"age\":\(numbers.below(90)),"
                + "\"mark\":\"\(mark)\",\"team\":\(team()),\"salary\":\"\(numbers.below(9_999)).25\"}"
            let answer = ask("POST", "/Person", body)
            if let id = answer?.text.firstMatch(of: /"_id":(\d+)/)?.1 { made += [Int(id) ?? 0] }
        case 3..<6:
            ask("PATCH", "/Person/\(person())", "{\"age\":\(numbers.below(90))}")
        case 6:
            let operations =
                "[{\"op\":\"update\",\"object\":\"Person/\(person())\",\"values\":{\"age\":3}},"
                + "{\"op\":\"update\",\"object\":\"Team/\(team())\",\"values\":{\"city\":\"\(mark)\"}}]"
            ask("POST", "/transactions", operations)
        case 7:
            if let id = made.last {
                let photo = String(repeating: "p", count: 1_000 + numbers.below(150_000))
                ask("PUT", "/Person/\(id)/photo", photo, ["Content-Type: application/octet-stream"])
                ask("GET", "/Person/\(id)/photo")
            }
        default: break
        }
        while made.count > 100 { ask("DELETE", "/Person/\(made.removeFirst())") }
        state.sleep(Double(numbers.below(15)) / 1_000)
    }

    /// Many objects in one save, and their end in another.
    private mutating func writeMany() {
        let rows = (0..<500).map {
            "{\"name\":\"Many \($0)\",\"mark\":\"many\",\"age\":\($0 % 90)}"
        }
        ask("POST", "/Person", "[\(rows.joined(separator: ","))]", ["Prefer: return=minimal"])
        ask("PATCH", "/Person?where=mark%20%3D%3D%20%22many%22", "{\"age\":1}")
        ask("DELETE", "/Person?where=mark%20%3D%3D%20%22many%22")
        state.sleep(0.5)
    }

    /// An event stream that is left after a while.
    private mutating func follow(_ path: String) {
        guard let own = RawConnection(port: state.port) else { return }
        own.send(Self.bytes("GET", path, "", ["Accept: text/event-stream"]))
        if case .answer(let answer) = own.answer(within: Self.longest) {
            state.note("\(role)", answer.status) { path }
            _ = own.drain(for: Double(numbers.below(4_000)) / 1_000)
            if numbers.one(in: 2) { own.resetWhenClosed() }
        } else {
            state.noteUnanswered()
        }
        state.sleep(Double(numbers.below(300)) / 1_000)
    }

    /// An editing context that is saved, deleted or left open.
    private mutating func edit() {
        guard let place = ask("POST", "/contexts", "{}")?.field("location") else {
            return state.sleep(0.5)
        }
        for _ in 0..<5 {
            ask("POST", place + "/Person", "{\"name\":\"Ed\",\"mark\":\"e\(number)\"}")
            ask("PATCH", place + "/Person/\(person())", "{\"age\":\(numbers.below(90))}")
        }
        ask("GET", place + "/Person?where=mark%20%3D%3D%20%22e\(number)%22&limit=10")
        switch numbers.below(4) {
        case 0:
            ask("POST", place + "/save")
            ask("DELETE", "/Person?where=mark%20%3D%3D%20%22e\(number)%22")
            ask("DELETE", place)
        case 1: ask("POST", place + "/undo")
        case 2: ask("DELETE", place)
        default: break
        }
        state.sleep(0.2)
    }

    /// Goes away in the midst of a request, or of an answer.
    private mutating func vanish() {
        guard let own = RawConnection(port: state.port, receiveBuffer: 4_096) else { return }
        if numbers.one(in: 2) { own.resetWhenClosed() }
        let requests = [
            Self.bytes("POST", "/Person", "{\"name\":\"Gone\",\"mark\":\"gone\"}"),
            Self.bytes("GET", "/Person?format=ndjson"), Self.bytes("GET", "/Person?limit=5000"),
            Self.bytes("GET", "/live?q.a=/Person%3Flimit%3D5", "", ["Accept: text/event-stream"]),
            Self.bytes("PUT", "/Person/\(person())/photo", String(repeating: "x", count: 300_000)),
            Self.bytes("GET", "/Person?select=team.name,n:count()&groupBy=team.name"),
        ]
        var bytes = numbers.pick(requests, or: [])
        if numbers.one(in: 2) { bytes = Array(bytes.prefix(1 + numbers.below(bytes.count))) }
        own.send(bytes)
        if numbers.one(in: 2) { _ = own.drain(for: Double(numbers.below(200)) / 1_000) }
        state.note("vanisher")
        if numbers.one(in: 20) { ask("DELETE", "/Person?where=mark%20%3D%3D%20%22gone%22") }
        state.sleep(Double(numbers.below(100)) / 1_000)
    }

    /// Sends a request in drops, or takes an answer in drops.
    private mutating func drip() {
        guard let own = RawConnection(port: state.port, receiveBuffer: 4_096) else { return }
        if numbers.one(in: 2) {
            for byte in Self.bytes("PATCH", "/Person/\(person())", "{\"age\":\(numbers.below(90))}")
            {
                own.send([byte])
                usleep(10_000)
            }
            if case .answer(let answer) = own.answer(within: Self.longest) {
                state.note("drop", answer.status) { "PATCH in drops" }
            } else {
                state.noteUnanswered()
            }
        } else {
            own.pause = 0.1
            own.send(Self.bytes("GET", "/Person?format=ndjson"))
            _ = own.drain(for: Double(numbers.below(8)))
            own.resetWhenClosed()
            state.note("drop")
        }
    }

    /// What is refused.
    private mutating func fail() {
        switch numbers.below(9) {
        case 0: ask("POST", "/Person", "{\"name\":")
        case 1: ask("POST", "/Person", "{\"age\":-1,\"name\":\"x\"}")
        case 2: ask("GET", "/Person?where=nothing%20%3E%20(")
        case 3: ask("PATCH", "/Person/999999999", "{\"age\":1}")
        case 4: ask("POST", "/Team", "{\"name\":\"Team 1\"}")
        case 5: ask("PATCH", "/Person/\(person())", "{\"age\":1}", ["If-Match: \"1-none\""])
        case 6: ask("GET", "/" + String(repeating: "x", count: 40_000))
        case 7: ask("DELETE", "/contexts/none")
        default: ask("GET", "/Person?where=name%20MATCHES%20%22(a*)*b%22&limit=1")
        }
        state.sleep(Double(numbers.below(50)) / 1_000)
    }
}
