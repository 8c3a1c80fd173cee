/// A writer that remembers which of its saves were answered.

import Foundation
import SteleDifferential
import TestSupport

/// One client's writes, each with a mark of its own, on a thread of its own.
struct StaffWriter {
    /// One write.
    struct Save: Sendable {
        let mark: String
        let path: String
        /// The object that it deletes, as its family and id; the mark is in no history then.
        var deleted: String?
        /// How many objects have the mark, if the save is there: all of these or none.
        var objects: Int?
        /// Nil where the server died before it answered.
        var status: Int?

        var isSaved: Bool { status.map { (200..<300).contains($0) } ?? false }
    }

    private let state: TortureState
    private let name: String
    private var numbers: SeededNumbers
    private var saves: [Save] = []
    private var people = 20
    private var teams = 5
    /// From how many saves on there is one of more than a part of an event holds, until one is
    /// answered.
    private var nextLarge: Int
    private let largeEach: Int

    /// - Parameter largeEach: after how many saves there is another large one.
    init(_ state: TortureState, name: String, seed: UInt64, largeEach: Int) {
        self.state = state
        self.name = name
        self.largeEach = largeEach
        numbers = SeededNumbers(seed: seed)
        nextLarge = largeEach == 100 ? 5 : 5 + numbers.below(largeEach)
    }

    /// Writes until it is told to end.
    mutating func write() -> [Save] {
        while !state.isOver {
            let mark = "\(name)-\(saves.count)"
            switch saves.count >= nextLarge ? -1 : numbers.below(39) {
            case 0..<10: post(mark)
            case 10..<12: send("POST", "/Team", team(mark), mark)
            case 12..<24: patch(mark)
            case 24..<26: send("PATCH", "/Team/\(id(teams))", team(mark), mark)
            case 26..<30: delete("Person", id(people), mark)
            case 30: delete("Team", id(teams), mark)
            case 31..<38:
                let (operations, objects) = transaction(mark)
                send("POST", "/transactions", operations, mark, objects: objects)
            case -1:
                // Without teams, one of which could be gone, and all would be refused.
                let rows = (0..<1_010).map {
                    "{\"name\":\"Bo\",\"age\":\($0 % 70),\"mark\":\"\(mark)\"}"
                }
                send(
                    "POST", "/Person", "[\(rows.joined(separator: ","))]", mark,
                    objects: rows.count)
                if saves.last?.isSaved == true {
                    nextLarge = saves.count + largeEach
                    state.hasLargeSave = true
                }
            default:
                let filter = "name == \"\(numbers.pick(FeedFilter.names, or: ""))\" AND age < 9"
                send(
                    "PATCH", "/Person?where=\(filter.percentEncoded)",
                    "{\"mark\":\"\(mark)\",\"age\":\(id(60))}", mark, objects: nil)
            }
            if saves.last?.isSaved == true { state.noteSave() }
            usleep(UInt32(numbers.below(15_000)))
        }
        return saves
    }

    /// An id of those there may be, rather one of the last.
    private mutating func id(_ count: Int) -> Int {
        numbers.one(in: 3) ? 1 + numbers.below(count) : max(1, count - numbers.below(20))
    }

    private mutating func post(_ mark: String) {
        let entity = numbers.pick("Person", "Employee", "Manager")
        var values = person(mark)
        if entity != "Person" {
            values = values.dropLast() + ",\"salary\":\(Double(numbers.below(90)) / 4)}"
        }
        if entity == "Manager" { values = values.dropLast() + ",\"level\":\(numbers.below(9))}" }
        send("POST", "/\(entity)", values, mark)
    }

    private mutating func patch(_ mark: String) {
        if numbers.one(in: 5) {
            let body = "{\"salary\":\(numbers.below(500)),\"mark\":\"\(mark)\"}"
            send("PATCH", "/Employee/\(id(people))", body, mark)
        } else {
            send("PATCH", "/Person/\(id(people))", person(mark), mark)
        }
    }

    private mutating func person(_ mark: String) -> String {
        var values = [
            "\"name\":\"\(numbers.pick(FeedFilter.names, or: ""))\"", "\"mark\":\"\(mark)\"",
        ]
        if numbers.one(in: 2) {
            values.append("\"age\":\(numbers.one(in: 6) ? "null" : String(numbers.below(70)))")
        }
        if numbers.one(in: 3) {
            values.append(
                "\"team\":\(numbers.one(in: 3) ? "null" : String(1 + numbers.below(teams)))")
        }
        return "{\(values.joined(separator: ","))}"
    }

    private mutating func team(_ mark: String) -> String {
        "{\"name\":\"\(numbers.pick(FeedFilter.names, or: ""))\",\"city\":\"\(id(9))\",\"mark\":\"\(mark)\"}"
    }

    /// The body, and how many objects it changes.
    private mutating func transaction(_ mark: String) -> (String, objects: Int) {
        var operations = ["{\"op\":\"insert\",\"entity\":\"Employee\",\"values\":\(person(mark))}"]
        var changed: Set<Int> = []
        for _ in 0..<numbers.below(4) {
            let id = id(people)
            changed.insert(id)
            operations.append(
                "{\"op\":\"update\",\"object\":\"Person/\(id)\",\"values\":\(person(mark))}")
        }
        return ("[\(operations.joined(separator: ","))]", 1 + changed.count)
    }

    private mutating func delete(_ entity: String, _ id: Int, _ mark: String) {
        send("DELETE", "/\(entity)/\(id)", nil, mark, deleting: "\(entity) \(id)", objects: nil)
    }

    /// Notes which ids there are, from what a POST was answered.
    private mutating func note(_ made: Any?) {
        for object in made as? [[String: Any]] ?? [made as? [String: Any] ?? [:]] {
            let id = (object["_id"] as? NSNumber)?.intValue ?? 0
            if object["_entity"] as? String == "Team" {
                teams = max(teams, id)
            } else {
                people = max(people, id)
            }
        }
    }

    /// One write. Some have a key, and are sent again until they are answered.
    private mutating func send(
        _ method: String, _ path: String, _ body: String?, _ mark: String,
        deleting object: String? = nil, objects: Int? = 1
    ) {
        var save = Save(
            mark: mark, path: "\(method) \(path)", deleted: object, objects: objects)
        let headers = numbers.one(in: 3) ? ["Idempotency-Key: \(mark)"] : []
        repeat {
            guard let port = state.port else {
                if headers.isEmpty { break }
                usleep(5_000)
                continue
            }
            let answer = Caller(port: port).ask(method, path, body, headers: headers)
            // The first of the same is still under way.
            if let answer, answer.body.contains("idempotency.running") { continue }
            save.status = answer?.status
            if save.isSaved, method == "POST" { note(answer?.json) }
        } while save.status == nil && !headers.isEmpty
        saves.append(save)
    }
}
