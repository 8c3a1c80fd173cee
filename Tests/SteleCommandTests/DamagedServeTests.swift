// A store whose files are cut or written over while a service has it open.

import Foundation
import SteleSystem
import TestSupport
import Testing

@Suite struct DamagedServeTests {
    private let folder: TemporaryFolder
    private let seed = drawSeed("damaged store")

    init() throws { folder = try TemporaryFolder() }

    private var store: String { folder.path + "/s.sqlite" }

    private func serve() throws -> Program {
        try Program(
            ["serve", samplePath("League"), "--store", "s.sqlite", "--port", "0"],
            folder: folder.path)
    }

    private func post(_ name: String, _ caller: Caller) throws -> String {
        try caller.call("POST", "/Team", #"{"name":"\#(name)"}"#)
    }

    /// A service with some teams, of which the last are in the log alone.
    private func start() throws -> (program: Program, caller: Caller) {
        let program = try serve()
        let caller = try Caller(program.lines(3))
        for number in 0..<20 {
            try #require(try post("first \(number)", caller).contains(" 201 "))
        }
        return (program, caller)
    }

    /// The names of the teams after a kill, as far as they can be read; nil where the store cannot be
    /// opened any more.
    private func namesAfterKill(of program: Program) throws -> Set<String>? {
        program.signal(SIGKILL)
        _ = program.end()
        if FileManager.default.fileExists(atPath: store + "-damaged") {
            for ending in ["-damaged", "-shm"] { unlink(store + ending) }
        }
        let again = try serve()
        defer {
            again.signal(SIGKILL)
            _ = again.end()
        }
        let lines = again.lines(3)
        guard lines.count == 3 else { return nil }
        let caller = try Caller(lines)
        guard let list = caller.ask("GET", "/Team?select=name&format=csv"), list.status == 200
        else { return nil }
        return Set(list.body.components(separatedBy: "\r\n"))
    }

    private func isDamage(_ answer: String) -> Bool {
        answer.contains(" 503 ") && answer.contains("store.damaged")
    }

    /// Nothing is answered as saved that would be lost, and nothing as an error of Stele's own.
    @Test(arguments: StoreFault.endingSaves)
    func nothingIsSavedToDamagedFiles(_ fault: StoreFault) throws {
        let (program, caller) = try start()
        var numbers = SeededNumbers(seed: seed)
        try fault.strike(store, &numbers)
        for number in 0..<5 {
            let answer = try post("later \(number)", caller)
            #expect(isDamage(answer), "\(answer)")
            #expect(answer.contains("is damaged") && answer.contains("restore a backup"))
            let list = try caller.call("GET", "/Team")
            #expect(list.contains(" 200 ") || isDamage(list), "\(list)")
        }
        let ready = try caller.call("GET", "/readyz")
        #expect(isDamage(ready), "\(ready)")
        #expect(try caller.call("GET", "/healthz").contains(" 200 "))
        program.signal(SIGTERM)
        let (status, log) = program.end()
        #expect(status == 0, "\(log)")
        #expect(log.components(separatedBy: "the store is damaged").count == 2, "\(log)")
        #expect(log.contains(" critical "), "\(log)")
    }

    /// A balancer takes another service without a save that fails.
    @Test(arguments: StoreFault.endingSaves)
    func aHealthCheckNoticesDamageWithoutASave(_ fault: StoreFault) throws {
        let (program, caller) = try start()
        defer {
            program.signal(SIGKILL)
            _ = program.end()
        }
        var numbers = SeededNumbers(seed: seed)
        try fault.strike(store, &numbers)
        if fault == .logCutToNothing {
            // A read meets it first.
            let list = try caller.call("GET", "/Team?sort=name")
            #expect(list.contains(" 200 ") || list.contains("s.sqlite-wal is damaged"), "\(list)")
        }
        try waitUntil { isDamage(try caller.call("GET", "/readyz")) }
        #expect(isDamage(try post("later", caller)))
    }

    /// The log is left as it is, for whoever mends the store.
    @Test func aDamagedLogIsNotCopiedIntoTheStoreAtTheEnd() throws {
        let (program, caller) = try start()
        var numbers = SeededNumbers(seed: seed)
        try StoreFault.logFrame.strike(store, &numbers)
        #expect(isDamage(try post("later", caller)))
        func files() throws -> [Data] {
            try ["", "-wal"].map { try Data(contentsOf: URL(fileURLWithPath: store + $0)) }
        }
        let before = try files()
        program.signal(SIGTERM)
        #expect(program.end().status == 0)
        #expect(try files() == before)
    }

    /// SQLite says the same of a file and of its log, and the ways out differ.
    @Test func aReadThatMeetsACutLogNamesTheLog() throws {
        let (program, caller) = try start()
        let log = store + "-wal"
        let size = try #require(
            FileManager.default.attributesOfItem(atPath: log)[.size] as? Int)
        #expect(truncate(log, off_t(size * 2 / 3)) == 0)
        // Once the pages are not in a connection's cache, a read meets the cut.
        var answers: [String] = []
        for number in 0..<200 where !(answers.last.map(isDamage) ?? false) {
            answers.append(try caller.call("GET", "/Team?sort=name&offset=\(number % 20)"))
        }
        answers.append(try post("later", caller))
        answers.append(try caller.call("GET", "/readyz"))
        for answer in answers where !answer.contains(" 200 ") {
            #expect(isDamage(answer) && answer.contains("s.sqlite-wal is damaged"), "\(answer)")
        }
        program.signal(SIGKILL)
        _ = program.end()
        let mark = try String(contentsOfFile: store + "-damaged", encoding: .utf8)
        #expect(mark.contains("s.sqlite-wal is damaged"), "\(mark)")
    }

    /// A page that is read, and is none.
    @Test func aReadOfADamagedPageIsNoErrorOfTheServiceItself() throws {
        let first = try start().program
        // The log is copied into the file.
        first.signal(SIGTERM)
        #expect(first.end().status == 0)
        let program = try serve()
        defer {
            program.signal(SIGTERM)
            let (status, log) = program.end()
            #expect(status == 0, "\(log)")
        }
        let caller = try Caller(program.lines(3))
        var numbers = SeededNumbers(seed: seed)
        try StoreFault.storePages.strike(store, &numbers)
        let list = try caller.call("GET", "/Team?sort=name")
        #expect(isDamage(list), "\(list)")
        let refused = try post("later", caller)
        #expect(isDamage(refused), "\(refused)")
        #expect(isDamage(try caller.call("GET", "/readyz")))
    }

    /// The log has saves, so that the file need not have the length of the database.
    @Test(arguments: StoreFault.underLog)
    func aFileThatIsChangedUnderItsLogIsNoticed(_ fault: StoreFault) throws {
        let (first, filling) = try start()
        let long = String(repeating: "x", count: 3_000)
        for _ in 0..<200 {
            let made = try filling.call("POST", "/Team", #"{"name":"a","city":"\#(long)"}"#)
            try #require(made.contains(" 201 "))
        }
        first.signal(SIGTERM)
        #expect(first.end().status == 0)
        try FileManager.default.copyItem(atPath: store, toPath: store + ".older")
        let program = try serve()
        defer {
            program.signal(SIGKILL)
            _ = program.end()
        }
        let caller = try Caller(program.lines(3))
        #expect(try post("before", caller).contains(" 201 "))
        try RawDatabase(store).run("PRAGMA wal_checkpoint(RESTART)")
        for number in 0..<3 { #expect(try post("\(number)", caller).contains(" 201 ")) }
        // The service has looked at the file.
        usleep(1_500_000)
        var numbers = SeededNumbers(seed: seed)
        try fault.strike(store, &numbers)
        if fault == .storeHalved {
            // A look at what is mapped may end the process.
            let answer = try? post("later", caller)
            #expect(!(answer ?? "").contains(" 201 "), "\(answer ?? "")")
        } else {
            try waitUntil { isDamage(try caller.call("GET", "/readyz")) }
            let answer = try post("later", caller)
            #expect(isDamage(answer) && answer.contains("s.sqlite is damaged"), "\(answer)")
        }
    }

    /// What is mapped into memory ends the process, which says so. Nothing that was answered is
    /// lost with the index of the log.
    @Test(arguments: [StoreFault.indexCutToNothing, .storeCut])
    func aFileThatIsMappedMayEndTheProcess(_ fault: StoreFault) throws {
        let (program, caller) = try start()
        var numbers = SeededNumbers(seed: seed)
        try fault.strike(store, &numbers)
        var answers: [String] = []
        for number in 0..<5 {
            guard let answer = try? post("later \(number)", caller), !answer.isEmpty else { break }
            answers.append(answer)
            _ = try? caller.call("GET", "/Team")
        }
        let saved = answers.indices.filter { answers[$0].contains(" 201 ") }
        #expect(answers.allSatisfy { $0.contains(" 201 ") || isDamage($0) }, "\(answers)")
        if fault == .indexCutToNothing {
            let (status, log) = program.end()
            #expect(
                status == 74 && log.contains("stele: critical: another program has cut"), "\(log)")
        }
        let names = try namesAfterKill(of: program)
        if fault == .indexCutToNothing {
            #expect(names?.filter { $0.hasPrefix("first") }.count == 20)
        }
        for number in saved { #expect(names?.contains("later \(number)") ?? false) }
    }

    /// Writers, a fault at any moment, and a kill: each save that was begun after the fault and
    /// answered is there, or the service has said before that the store is damaged.
    @Test func noSaveIsAnsweredThatAFaultHasTaken() throws {
        var numbers = SeededNumbers(seed: seed)
        for round in 0..<4 {
            let fault = numbers.pick(StoreFault.noticedByEachSave, or: .logCut)
            let (program, saved, isNoticed) = try strikeWriters(fault, &numbers)
            #expect(isNoticed, "seed \(seed), round \(round), \(fault)")
            let names = try namesAfterKill(of: program)
            let later = saved.filter(\.isLater).map(\.name)
            let lost = later.filter { !(names?.contains($0) ?? false) }
            #expect(
                lost.isEmpty,
                "seed \(seed), round \(round), \(fault): \(lost.count), from \(lost.prefix(4)) on")
        }
    }

    /// What other saves follow is noticed a little later, unless a checkpoint comes first that has a
    /// later frame of the page: then the fault has taken nothing.
    @Test(arguments: [StoreFault.logFrame, .logEnd])
    func aFaultWithinTheLogIsNoticedOrTakesNothing(_ fault: StoreFault) throws {
        var numbers = SeededNumbers(seed: seed)
        let (program, saved, isNoticed) = try strikeWriters(fault, &numbers)
        let names = try namesAfterKill(of: program)
        guard !isNoticed else { return }
        let lost = saved.map(\.name).filter { !(names?.contains($0) ?? false) }
        #expect(lost.isEmpty, "seed \(seed), \(fault): \(lost.count), from \(lost.prefix(4)) on")
    }

    /// Lets a fault befall a new store that four writers save to.
    /// - Returns: the service; the saves that were answered, and whether they were begun after the
    ///   fault; and whether the service has noticed it.
    private func strikeWriters(
        _ fault: StoreFault, _ numbers: inout SeededNumbers
    ) throws -> (program: Program, saved: [(name: String, isLater: Bool)], isNoticed: Bool) {
        for ending in ["", "-wal", "-shm", "-lock", "-damaged"] {
            try? FileManager.default.removeItem(atPath: store + ending)
        }
        let (program, caller) = try start()
        let answered = Atomic<Int>(0)
        let isStruck = Atomic<Bool>(false)
        let crew = Crew<[(name: String, isLater: Bool)]>()
        for writer in 0..<4 {
            crew.start { [self] in
                var saved: [(name: String, isLater: Bool)] = []
                for number in 0..<3_000 {
                    let name = "writer \(writer) \(number)"
                    let isLater = isStruck.load(ordering: .sequentiallyConsistent)
                    guard let answer = try? post(name, caller), answer.contains(" 201 ") else {
                        break
                    }
                    answered.add(1, ordering: .relaxed)
                    saved.append((name, isLater))
                }
                return saved
            }
        }
        let moment = 1 + numbers.below(60)
        try waitUntil { answered.load(ordering: .relaxed) >= moment }
        try fault.strike(store, &numbers)
        isStruck.store(true, ordering: .sequentiallyConsistent)
        let saved = crew.reported().flatMap(\.self)
        return (program, saved, isDamage(try post("last", caller)))
    }
}
