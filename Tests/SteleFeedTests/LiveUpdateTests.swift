// What is told as updated looks different from before.

import Glibc
import SteleJSON
import Testing

@testable import SteleHTTP
@testable import SteleService

@Suite struct LiveUpdateTests {
    @Test(arguments: LiveStore.allCases)
    func aRowIsToldWhereItLooksDifferent(_ kind: LiveStore) throws {
        let stage = try LiveStage(kind)
        try stage.people()
        for target in [
            "/Person?sort=name&select=name,team.name", "/Person?sort=name&include=team",
            "/Person?sort=name&select=name,s:abs(salary)",
        ] {
            let listener = try stage.listen(target)
            #expect(try listener.becomes(stage, target))
            // Bo leaves Ann's team: of Ann's row nothing is changed, though her team is.
            try stage.write("PATCH", "/Person/2", #"{"team":2}"#)
            try stage.write("PATCH", "/Person/2", #"{"team":1}"#)
            try stage.write("PATCH", "/Person/3", #"{"salary":-30}"#)
            try stage.write("PATCH", "/Person/3", #"{"salary":30}"#)
            try stage.write("PATCH", "/Team/1", #"{"name":"Greens"}"#)
            try stage.write("PATCH", "/Team/1", #"{"name":"Reds"}"#)
            // Who comes after them is told last.
            try stage.write("POST", "/Person", #"{"name":"Zed"}"#)
            #expect(try listener.becomes(stage, target), "\(target)")
            try stage.write("DELETE", "/Person?where=name%20==%20%22Zed%22")
            #expect(try listener.becomes(stage, target), "\(target)")
            #expect(listener.idle == 0, "\(target)")
        }
    }

    private static let targets = [
        "/Person?sort=name&select=name,team.name", "/Person?sort=-salary&include=team&limit=4",
        "/Team?sort=name&select=name,n:members.@count", "/Team?sort=name&include=members",
        "/Person?sort=name&select=s:abs(salary),m:team.members.@max.salary",
        "/Person?sort=team.name&sectionBy=team.name&select=name,team",
        "/Person?select=_version,team.name",
    ]

    @Test(arguments: LiveStore.allCases)
    func atRandomNothingIsToldThatDoesNotShow(_ kind: LiveStore) throws {
        let seed = getenv("STELE_SEED").flatMap { UInt64(String(cString: $0)) }
        var numbers = Numbers(state: seed ?? .random(in: 1...999_999))
        print("atRandomNothingIsToldThatDoesNotShow(\(kind)): seed \(numbers.state)")
        let stage = try LiveStage(kind)
        try stage.people()
        let listeners = try Self.targets.map { ($0, try stage.listen($0)) }
        for step in 0..<60 {
            let person = Int.random(in: 1...4, using: &numbers)
            let team = Int.random(in: 1...2, using: &numbers)
            let number = Int.random(in: -3...3, using: &numbers)
            let (path, body) =
                switch Int.random(in: 0..<5, using: &numbers) {
                case 0: ("/Person/\(person)", "{\"team\":\(team)}")
                case 1: ("/Person/\(person)", "{\"team\":null}")
                case 2: ("/Person/\(person)", "{\"salary\":\(number)}")
                case 3: ("/Person/\(person)", "{\"name\":\"P\(number)\"}")
                default: ("/Team/\(team)", "{\"name\":\"T\(number)\"}")
                }
            try stage.write("PATCH", path, body)
            // Now and then several saves are told at once.
            guard Int.random(in: 0..<3, using: &numbers) == 0 || step == 59 else { continue }
            for (target, listener) in listeners {
                let list = target.replacing("&sectionBy=team.name", with: "")
                #expect(try listener.becomes(stage, list), "\(target), step \(step)")
            }
        }
        for (target, listener) in listeners {
            #expect(listener.idle == 0, "\(target)")
            #expect(listener.names.dropFirst().allSatisfy { $0 == "change" })
        }
    }

    /// splitmix64.
    private struct Numbers: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }
}
